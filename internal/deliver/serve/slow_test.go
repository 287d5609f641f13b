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
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// unknown is a header that the fast lane does not know: it sends a request to net/http.
const unknown = "X-Unknown: 1\r\n"

// ways are heads of requests that take the one way or the other.
var ways = map[string]string{"lane": "", "net/http": unknown}

// openConnections asks the metrics.
func openConnections(t testing.TB, s *serve.Server) int {
	t.Helper()
	w := httptest.NewRecorder()
	s.AdminHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	m := regexp.MustCompile(`(?m)^stele_connections (\d+)$`).FindStringSubmatch(w.Body.String())
	if m == nil {
		t.Fatalf("no number of connections in the metrics:\n%s", w.Body)
	}
	n := must.Get(strconv.Atoi(m[1]))(t)
	return n
}

// TestSlowHeads: whoever does not say what he wants is not waited for, however he goes about it.
func TestSlowHeads(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{HeaderTime: 200 * time.Millisecond, IdleTime: 200 * time.Millisecond}
	plain := listening(t, serve.New(opened(t, opt), opt))
	opt.TLS = secureOptions(t)
	secure := listening(t, serve.New(opened(t, opt), opt))
	var group sync.WaitGroup
	for name, begin := range map[string]string{"nothing": "", "a letter": "G", "half a line": "GET /mani", "half a head": plainHead, "half a body's head": plainHead + "Content-Length: 5\r\n"} {
		for _, address := range []string{plain, secure} {
			conn := dial(t, address)
			must.Get(io.WriteString(conn, begin))(t)
			group.Go(func() { // all of them at once, because each has to wait
				rest, err := io.ReadAll(conn)
				// over TLS, this is not even a greeting
				if status, _, _ := strings.Cut(string(rest), "\r\n"); err != nil || status != "" && status != "HTTP/1.1 408 Request Timeout" &&
					(address != secure || status != "HTTP/1.1 400 Bad Request") {
					t.Errorf("%s: %q, %v", name, rest, err)
				}
			})
		}
	}
	group.Wait()
	conn := dial(t, plain)
	drip := time.NewTicker(10 * time.Millisecond)
	defer drip.Stop()
	must.Get(io.WriteString(conn, plainHead+"X-Slow: "))(t)
	for range drip.C {
		if _, err := io.WriteString(conn, "a"); err != nil {
			break // the server has had enough
		}
	}
}

// TestThousandsOfSlowClients: they wait, others are served, and when they are gone nothing is left
// of them.
func TestThousandsOfSlowClients(t *testing.T) {
	if testing.Short() && !race.Enabled {
		t.Skip("waits for time-outs")
	}
	leavesNothing(t)
	clients := 2000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < 5000 {
		clients = 200 // each takes two files, one on either side
		t.Logf("%d files may be open (%v), so there are only %d clients", limit.Cur, err, clients)
	}
	opt := serve.Options{HeaderTime: 2 * time.Second, IdleTime: 2 * time.Second}
	s := serve.New(opened(t, opt), opt)
	address := listening(t, s)
	conns := make([]net.Conn, clients)
	for i := range conns {
		conns[i] = dial(t, address)
		must.Get(io.WriteString(conns[i], []string{"", "G", plainHead, plainHead + "\r\n" + plainHead}[i%4]))(t)
		if i%100 == 99 {
			fetch(t, client(t), "http://"+address+"/manifest.json")
		}
	}
	for i, c := range conns {
		if _, err := io.Copy(io.Discard, c); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("client %d: %v", i, err)
		}
		c.Close()
	}
	fetch(t, client(t), "http://"+address+"/manifest.json")
}

// fetch gets what must be there.
func fetch(t testing.TB, c *http.Client, url string) (*http.Response, []byte) {
	t.Helper()
	answer, err := c.Get(url)
	must.Do(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, answer.Status, err)
	}
	return answer, body
}

// TestHalfClosed: a client that says at once that it has nothing more to say gets its answers.
func TestHalfClosed(t *testing.T) {
	leavesNothing(t)
	address := listening(t, serve.New(openedLarge(t, serve.Options{}), serve.Options{}))
	for way, extra := range ways {
		conn := dial(t, address)
		for _, path := range []string{"/manifest.json", "/" + large} {
			// what does not arrive is not answered
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n%s\r\n", path, extra)
		}
		must.Do(t, conn.(*net.TCPConn).CloseWrite())
		in := bufio.NewReader(conn)
		for range 2 {
			answer, body, err := answerTo(in, http.MethodGet)
			if err != nil || answer.StatusCode != http.StatusOK || int64(len(body)) != answer.ContentLength {
				t.Errorf("%s: %v, %d bytes, %v", way, answer, len(body), err)
			}
		}
		if err := closed(in); err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
}

// TestUnwantedBody: a client that sends all of a body before it reads gets its answer, although
// nobody reads the body.
func TestUnwantedBody(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{}
	plain := dial(t, listening(t, serve.New(opened(t, opt), opt)))
	opt.TLS = secureOptions(t)
	secure := tls.Client(dial(t, listening(t, serve.New(opened(t, opt), opt))), &tls.Config{InsecureSkipVerify: true})
	for _, conn := range []net.Conn{plain, secure} {
		const size = 512 << 10
		if _, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("a", size)); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		answer, _, err := answerTo(in, http.MethodPost)
		if err != nil || answer.StatusCode != http.StatusMethodNotAllowed || !answer.Close {
			t.Errorf("%v, %v", answer, err)
		}
		if err := closed(in); err != nil {
			t.Error(err)
		}
	}
}

// TestVanishingClients leave in the middle of an answer, or before it.
func TestVanishingClients(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{}
	s := serve.New(openedLarge(t, opt), opt)
	address := listening(t, s)
	opt.TLS = secureOptions(t)
	overTLS := serve.New(openedLarge(t, opt), opt)
	secure := listening(t, overTLS)
	for i := range 200 {
		to := []string{address, address, secure, secure}[i%4]
		conn := dial(t, to)
		if to == secure {
			conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		}
		// it leaves anyway
		fmt.Fprintf(conn, "GET /%s HTTP/1.1\r\nHost: a\r\n%s\r\n", large, []string{"", unknown}[i%2])
		if i%3 > 0 {
			must.Get(io.ReadFull(conn, make([]byte, 1000)))(t)
		}
		conn.Close()
	}
	await(t, "connections to be closed", func() bool { return openConnections(t, s) == 0 && openConnections(t, overTLS) == 0 })
}

// TestSlowDownload: what goes on may take longer than the idle time. What does not is given up.
func TestSlowDownload(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	leavesNothing(t)
	opt := serve.Options{IdleTime: 2 * time.Second}
	s := serve.New(openedLarge(t, opt), opt)
	address := listening(t, s)
	var group sync.WaitGroup
	for way, extra := range ways {
		slow, stuck := dial(t, address), dial(t, address)
		for _, conn := range []net.Conn{slow, stuck} {
			must.Get(fmt.Fprintf(conn, "GET /%s HTTP/1.1\r\nHost: a\r\n%s\r\n", large, extra))(t)
		}
		group.Go(func() {
			pace := time.NewTicker(opt.IdleTime * 3 / 2 / 64)
			defer pace.Stop()
			answer, err := http.ReadResponse(bufio.NewReader(slow), nil)
			if err != nil {
				t.Errorf("%s: %v", way, err)
				return
			}
			got := int64(0)
			for err == nil {
				<-pace.C
				var n int64
				n, err = io.CopyN(io.Discard, answer.Body, largeSize/64)
				got += n
			}
			if err != io.EOF || got != largeSize {
				t.Errorf("%s: %d bytes, %v", way, got, err)
			}
			slow.Close()
		})
	}
	group.Wait()
	for _, extra := range ways { // and one that asks on and on, and reads nothing
		conn := dial(t, address)
		group.Go(func() {
			for err := error(nil); err == nil; {
				_, err = io.WriteString(conn, strings.Repeat("HEAD /manifest.json HTTP/1.1\r\nHost: a\r\n"+extra+"\r\n", 100))
			}
		})
	}
	group.Wait()
	await(t, "the clients that read nothing to be given up", func() bool { return openConnections(t, s) == 0 })
}

// TestRoomForAll: where there is room for fewer connections than there are listeners, clients of
// each get their turn.
func TestRoomForAll(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{Connections: 1}
	s := serve.New(opened(t, opt), opt)
	addresses := []string{listening(t, s), listening(t, s), listening(t, s)}
	for range 3 {
		for _, address := range addresses {
			conn := dial(t, address)
			must.Get(io.WriteString(conn, plainHead+"\r\n"))(t)
			if answer, _, err := answerTo(bufio.NewReader(conn), http.MethodGet); err != nil ||
				answer.StatusCode != http.StatusOK {
				t.Fatalf("%v, %v", answer, err)
			}
			conn.Close()
		}
	}
}
