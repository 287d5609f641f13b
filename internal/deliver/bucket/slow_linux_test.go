package bucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
)

// slowly is a proxy for a store at the end of a slow line: it takes so many bytes a second, and
// little of what is sent to it is on the way.
func slowly(t *testing.T, s *buckettest.Store, rate int64) (host string) {
	t.Helper()
	listen := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		return errors.Join(c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 16<<10)
		}), err)
	}}
	l := must.Get(listen.Listen(context.Background(), "tcp", "127.0.0.1:0"))(t)
	pass := buckettest.Proxy(s.Host, nil, nil)
	handler := func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		for {
			n, err := io.CopyN(&body, r.Body, 16<<10)
			if err == io.EOF {
				break
			}
			if err != nil {
				return // who sends it gave up
			}
			time.Sleep(time.Duration(n) * time.Second / time.Duration(rate))
		}
		r.Body = io.NopCloser(&body)
		pass.ServeHTTP(w, r)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(handler)}}
	server.Start()
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// TestSlowLine: what is sent over a slow line goes on for as long as something moves, several times
// longer than silence is waited for.
func TestSlowLine(t *testing.T) {
	for name := range buckettest.All {
		t.Run(name, func(t *testing.T) {
			s := buckettest.Shared(t, name)
			s.Address(t, "slow")
			host := slowly(t, s, 512<<10)
			if name == "fake-gcs-server" {
				t.Setenv("STORAGE_EMULATOR_HOST", host)
			}
			b := open(t, s.Through("slow", host), Options{Pause: time.Millisecond, Patience: time.Second})
			data := bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16)
			must.Do(t, b.Put(t.Context(), "slow", bytes.NewReader(data), int64(len(data)), Head{Type: "text/plain"}))
			if got, _, err := b.Read(t.Context(), "slow", 1<<30); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d bytes came back, %v", len(got), err)
			}
		})
	}
}
