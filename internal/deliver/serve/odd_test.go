//go:build unix

package serve_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// oddRequest is a row of testdata/odd-requests.md.
type oddRequest struct {
	what, bytes string
	statuses    []string
	open        bool
}

var (
	oddRow   = regexp.MustCompile("^\\| ([^|]+) \\| `([^`|]+)` \\| ([^|]+), (open|closed) \\|$")
	repeated = regexp.MustCompile(`\{(\d+)×([^}]+)\}`)
)

const plainHead = "GET /manifest.json HTTP/1.1\r\nHost: a\r\n"

// oddRequests reads what odd requests get.
func oddRequests(t *testing.T) (rows []oddRequest) {
	t.Helper()
	page := must.Get(os.ReadFile("testdata/odd-requests.md"))(t)
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "| ") || line == "| what | bytes | answer |" {
			continue
		}
		cells := oddRow.FindStringSubmatch(line)
		if cells == nil {
			t.Fatalf("this row cannot be read: %s", line)
		}
		rows = append(rows, oddRequest{cells[1], oddBytes(t, cells[2]), statusesIn(t, cells[3]), cells[4] == "open"})
	}
	if len(rows) < 60 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}

// oddBytes are the bytes that a cell stands for.
func oddBytes(t *testing.T, cell string) string {
	t.Helper()
	text := repeated.ReplaceAllStringFunc(cell, func(all string) string {
		part := repeated.FindStringSubmatch(all)
		n := must.Get(strconv.Atoi(part[1]))(t)
		return strings.Repeat(part[2], n)
	})
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%q: %v", cell, err)
	}
	return strings.ReplaceAll(text, "…", plainHead)
}

func statusesIn(t *testing.T, cell string) []string {
	t.Helper()
	if count, status, ok := strings.Cut(cell, "×"); ok {
		n := must.Get(strconv.Atoi(count))(t)
		return strings.Fields(strings.Repeat(status+" ", n))
	}
	return strings.Fields(cell)
}

// TestOddRequests sends every row of the page, over plain HTTP and over TLS.
func TestOddRequests(t *testing.T) {
	race.LeaveOut(t, "sends one request after the other")
	leavesNothing(t)
	rows := oddRequests(t)
	opt := serve.Options{HeaderBytes: 16 << 10}
	plain := listening(t, serve.New(opened(t, opt), opt))
	opt.TLS = secureOptions(t)
	secure := listening(t, serve.New(opened(t, opt), opt))
	for name, dial := range map[string]func() (net.Conn, error){
		"plain": func() (net.Conn, error) { return net.Dial("tcp", plain) },
		"TLS": func() (net.Conn, error) {
			return tls.Dial("tcp", secure, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		},
	} {
		for _, row := range rows {
			conn := must.Get(dial())(t)
			conn.SetDeadline(time.Now().Add(patience))
			if err := row.send(conn); err != nil {
				t.Errorf("%s: %s: %v", name, row.what, err)
			}
			conn.Close()
		}
	}
}

// send sends the bytes and compares what comes back.
func (o *oddRequest) send(conn net.Conn) error {
	go io.WriteString(conn, o.bytes) // the server may have had enough before all is sent
	in := bufio.NewReader(conn)
	for i, want := range o.statuses {
		method, _, _ := strings.Cut(strings.TrimLeft(o.bytes, "\r\n"), " ")
		answer, body, err := answerTo(in, method)
		if err != nil {
			return fmt.Errorf("answer %d: %w", i+1, err)
		}
		if answer.Header.Get("Date") == "" {
			return fmt.Errorf("answer %d has no date", i+1)
		}
		if got := strconv.Itoa(answer.StatusCode); got != want {
			return fmt.Errorf("answer %d is %s, want %s: %.100q", i+1, got, want, body)
		}
		if !o.open && i == len(o.statuses)-1 && !answer.Close {
			return errors.New("the last answer does not say that the connection is closed")
		}
	}
	if !o.open {
		return closed(in)
	}
	if _, err := io.WriteString(conn, plainHead+"\r\n"); err != nil {
		return err
	}
	if answer, _, err := answerTo(in, http.MethodGet); err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the next request on the connection: %v, %w", answer, err)
	}
	return nil
}

// closed waits until the server closes a connection.
func closed(in io.Reader) error {
	rest, err := io.ReadAll(in)
	if len(rest) > 0 {
		return fmt.Errorf("there came more: %.100q", rest)
	}
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("the connection is not closed: %w", err)
	}
	return nil
}

// TestPlainOnTLS: a client that forgot the s is told so.
func TestPlainOnTLS(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{TLS: secureOptions(t)}
	conn := dial(t, listening(t, serve.New(opened(t, opt), opt)))
	must.Get(io.WriteString(conn, plainHead+"\r\n"))(t)
	answer, body, err := answerTo(bufio.NewReader(conn), http.MethodGet)
	if err != nil || answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "https") {
		t.Errorf("%v, %q, %v", answer, body, err)
	}
}
