//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Parts that heads with a body are put together from: how lengths and transfer encodings can be
// written, rightly and wrongly, so that two readers may see two ends.
var (
	smugglingVersions = []string{"HTTP/1.1", "HTTP/1.0", "HTTP/1.2"}
	smugglingMethods  = []string{"GET", "POST", "HEAD", "OPTIONS"}
	smugglingLengths  = []string{
		"", "Content-Length: 6\r\n", "Content-Length: 5\r\n", "Content-Length:6\r\nContent-Length: 6\r\n", "Content-Length: 6\r\nContent-Length: 60\r\n", "Content-Length: 6, 6\r\n", "Content-Length: 6, 7\r\n",
		"Content-Length: +6\r\n", "Content-Length: 0x6\r\n", "Content-Length: 06\r\n", "Content-Length: 6 \r\n", "Content-Length: 6;\r\n", "Content-Length : 6\r\n", "Content-Length\t: 6\r\n", " Content-Length: 6\r\n",
		"Content-Length: \r\n 6\r\n", "content-length: 6\r\n", "Content_Length: 6\r\n", "Content-Length: 6\r\r\n", "Content-Length: 99999999999999999999\r\n", "Content-Length: -6\r\n", "X: y\nContent-Length: 6\r\n", "Content-Length: 6\n",
	}
	smugglingEncodings = []string{
		"", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: Chunked\r\n", "Transfer-Encoding:chunked\r\n", "Transfer-Encoding: chunked \r\n", "Transfer-Encoding:\tchunked\r\n", "Transfer-Encoding: \"chunked\"\r\n",
		"Transfer-Encoding : chunked\r\n", "Transfer-Encoding\r\n: chunked\r\n", " Transfer-Encoding: chunked\r\n", "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunkedx\r\n", "Transfer-Encoding: identity\r\n",
		"Transfer-Encoding: identity, chunked\r\n", "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding:\x0bchunked\r\n", "Transfer-Encoding:\x00chunked\r\n",
		"X: y\nTransfer-Encoding: chunked\r\n", "X: y\rTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\n", "transfer-encoding: chunked\r\n", "Transfer_Encoding: chunked\r\n", "Transfer-Encoding: chunked;a=b\r\n", "Transfer-Encoding: ,chunked\r\n",
		"Foo: bar\r\n\tTransfer-Encoding: chunked\r\n", "TE: chunked\r\n", "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n",
	}
	smugglingBodies = []string{"0\r\n\r\n", "1\r\nA\r\n0\r\n\r\n", "0\r\nX: y\r\n\r\n", "5;ext\r\nABCDE\r\n0\r\n\r\n", "\r\n\r\n", "G", ""}
)

// hidden is a request that must not be answered where a body may be: its answer has no other.
const hidden = "OPTIONS /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

// smuggling sends every way to say how long a body is, with a request after the body.
func smuggling(ctx context.Context, p *testbed, s settings, r *section) error {
	stele, err := p.serve(ctx, false, manyConnections, p.zips[0])
	if err != nil {
		return err
	}
	defer stele.stop()
	shapes := make(chan string)
	t := trial{What: "request smuggling", Of: "shapes"}
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for shape := range shapes {
				why := smuggle(stele.address, shape)
				mu.Lock()
				t.Tried++
				if why != "" && len(t.Wrong) < 50 {
					t.Wrong = append(t.Wrong, fmt.Sprintf("%q: %s", shape, why))
				}
				mu.Unlock()
			}
		})
	}
	n := 0
	for _, version := range smugglingVersions {
		for _, method := range smugglingMethods {
			for _, length := range smugglingLengths {
				for _, encoding := range smugglingEncodings {
					for _, body := range smugglingBodies {
						if n++; ctx.Err() != nil || length == "" && encoding == "" || n%s.shapes != 0 {
							continue
						}
						shapes <- method + " / " + version + "\r\nHost: a\r\n" + length + encoding + "\r\n" + body + hidden
					}
				}
			}
		}
	}
	close(shapes)
	group.Wait()
	r.Trials = append(r.Trials, t)
	return ctx.Err()
}

// announcesBody reports whether a careful reader may think that a body follows a head, or cannot
// tell.
func announcesBody(head string) bool {
	head = strings.ToLower(head)
	head = strings.ReplaceAll(head, "\r\n\ttransfer-encoding", "") // which continues another header
	return strings.Contains(head, "content-length") || strings.Contains(head, "transfer-encoding")
}

// smuggle sends a shape, and says what is wrong with what comes back: nothing behind a head that
// may have a body may be answered, because somebody before this server may take it for the body.
func smuggle(address, shape string) string {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	go io.WriteString(conn, shape) // the server may have had enough before all is sent
	head, _, _ := strings.Cut(shape, "\r\n\r\n")
	method, _, _ := strings.Cut(shape, " ")
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return "no answer: " + err.Error()
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return "half an answer: " + err.Error()
	}
	if answer.Header.Get("Date") == "" {
		return "an answer without a date"
	}
	if !answer.Close && announcesBody(head) && !strings.Contains(head, "_") { // with "_" it is another header
		second, err := http.ReadResponse(in, nil)
		if err == nil && second.StatusCode == http.StatusNoContent {
			return "the request after the body was answered"
		}
	}
	return ""
}
