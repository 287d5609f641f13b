package audit_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/testkit/heap"
	"stele/internal/trust/audit"
)

// endless sends something again and again, as long as anybody takes it.
func endless(begin, again string) answering {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, begin)
		block := strings.Repeat(again, 1+(64<<10)/len(again))
		for {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	}
}

// TestHostile: whatever a service sends ends within the limits, as something that was not tested.
func TestHostile(t *testing.T) {
	const size = 4 << 20
	for name, c := range map[string]struct {
		answer answering
		want   string
	}{
		"endless records": {endless(`[`, `{"id":"a"},`), "too large for the audit"},
		"endless text":    {endless(`{"records":[{"id":"`, "aaaaaaaa"), "too large for the audit"},
		"endless nothing": {endless(``, "   \n"), "too large for the audit"},
		"deep":            {once(strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20)), "nested too deeply"},
		"deep in records": {once(`[{"id":` + strings.Repeat("[", 1<<20)), "nested too deeply"},
		"a bomb":          {bomb, "too large for the audit"},
		"no gzip": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "{}")
		}, "content encoding"},
		"another encoding": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Encoding", "x-mine")
			io.WriteString(w, "{}")
		}, "content encoding"},
		"broken off": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `[{"id":`)
		}, "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			r, got := audited(t, at(edges, c.answer)(newSite(t)), audit.Options{Bytes: size, Methods: true})
			all := strings.Join(got, "\n")
			if !strings.Contains(all, c.want) || strings.Contains(all, " fail: ") || strings.Contains(all, " warn: ") || r.Summary.Whole {
				t.Errorf("%s", all)
			}
			if r.Summary.Unanswered == 0 {
				t.Errorf("%+v", r.Summary)
			}
			if r.Bytes > size {
				t.Errorf("%d bytes were read", r.Bytes)
			}
		})
	}
}

func once(body string) answering {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { io.WriteString(w, body) }
}

// bomb is small, and large once it is decoded.
func bomb(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Write(zipped("[", []byte("[")))
	for range 64 {
		if _, err := w.Write(charge()); err != nil {
			return
		}
	}
}

var charge = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(bytes.Repeat([]byte(`{"id":"a"},`), 1<<16)) // memory takes it
	z.Close()
	return b.Bytes()
})

// TestLongText: a record that is longer than any should be ends the reading.
func TestLongText(t *testing.T) {
	long := once(`[{"id":"` + strings.Repeat("a", 17<<20) + `"}]`)
	_, got := audited(t, at(edges, long)(newSite(t)), audit.Options{Methods: true})
	if len(got) != 2 || !strings.Contains(got[0], "SPEC-JSON not tested: a record or another value is too large") {
		t.Errorf("%q", got)
	}
}

// TestMemory: a large collection is read without being kept.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it sends many bytes")
	}
	var sent atomic.Int64
	filler := strings.Repeat("x", 1000)
	large := func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != http.MethodGet || r.Header.Get("Range") != "" || r.Header.Get("If-None-Match") != "" {
			next.ServeHTTP(w, r)
			return
		}
		io.WriteString(w, "[")
		var n int64
		for i := range 94_000 {
			if i > 0 {
				io.WriteString(w, ",")
			}
			written, err := io.WriteString(w, `{"id":"sta-`+time.Duration(i).String()+`","text":"`+filler+`"}`)
			if n += int64(written); err != nil {
				break
			}
		}
		io.WriteString(w, "]")
		sent.Add(n)
	}
	var got []string
	grown := heap.Growth(func() {
		_, got = audited(t, at("/api/v1/healthcare-statistics.json", large)(newSite(t)), audit.Options{Methods: true})
	})
	for _, finding := range got {
		if !strings.HasPrefix(finding, "HTTP-") { // the answers have no proper heads
			t.Error(finding)
		}
	}
	if grown > 32<<20 || sent.Load() < 94_000_000 {
		t.Errorf("%d MB of memory for %d MB", grown>>20, sent.Load()>>20)
	}
}

// piped serves a handler inside a bubble, where time passes as it is waited for.
func piped(t *testing.T, h http.Handler) http.RoundTripper {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h, ErrorLog: quietLog}
	go server.Serve(l)
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, serves := net.Pipe()
		select {
		case l.conns <- serves:
			return client, nil
		case <-l.closed: // some are begun that nobody needs any more
			return nil, net.ErrClosed
		}
	}
	transport := &http.Transport{DisableCompression: true, DialContext: dial}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	return transport
}

type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// TestSlow: a service that sends a byte now and then is given up, and the others are audited.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drip := func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			for {
				if _, err := io.WriteString(w, " "); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(time.Second):
				}
			}
		}
		start := time.Now()
		opt := audit.Options{Methods: true, Transport: piped(t, at(edges, drip)(newSite(t)))}
		_, got := auditedAt(t, "http://data.example.org", opt)
		if len(got) != 2 || !strings.HasPrefix(got[0], "SPEC-ROUTE not tested: the service stalled") {
			t.Errorf("%q", got)
		}
		if took := time.Since(start); took > 2*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// TestTime: an audit ends when its time is over.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			newSite(t).ServeHTTP(w, r)
		})
		start := time.Now()
		r, got := auditedAt(t, "http://data.example.org", audit.Options{Time: 6 * time.Second, Transport: piped(t, slow)})
		took, all := time.Since(start), strings.Join(got, "\n")
		if took > 8*time.Second || r.Summary.Whole || !strings.Contains(all, "the time limit of the audit") {
			t.Errorf("it took %s\n%s", took, all)
		}
	})
}

// TestRetryAfter: a service that asks to wait is waited for, also by requests for other files; one
// that asks for too much is not tested.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, early atomic.Int64
		var until atomic.Int64
		busy := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if time.Now().UnixNano() < until.Load() {
					early.Add(1)
				}
				if r.URL.Path == edges && r.Method == http.MethodGet && asked.Add(1) == 1 {
					until.Store(time.Now().Add(40 * time.Second).UnixNano())
					w.Header().Set("Retry-After", "40")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				next.ServeHTTP(w, r)
			})
		}
		start := time.Now()
		opt := audit.Options{Methods: true, Transport: piped(t, busy(newSite(t)))}
		if _, got := auditedAt(t, "http://data.example.org", opt); len(got) != 0 {
			t.Errorf("%q", got)
		}
		// some were under way, or began before the answer was read; all others would come too early
		if took := time.Since(start); took < 40*time.Second || took > time.Minute || early.Load() > 20 {
			t.Errorf("it took %s, and %d requests came early", took, early.Load())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		closed := func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		opt := audit.Options{Methods: true, Transport: piped(t, at(edges, closed)(newSite(t)))}
		_, got := auditedAt(t, "http://data.example.org", opt)
		if len(got) != 2 || !strings.HasPrefix(got[0], "SPEC-ROUTE not tested: answer 503") || time.Since(start) > time.Minute {
			t.Errorf("%q after %s", got, time.Since(start))
		}
	})
}

// TestLeftOpen: what the specification leaves open is not asserted: other answers to unknown IDs,
// other members, empty kinds, routes that one listing has alone.
func TestLeftOpen(t *testing.T) {
	s := newSite(t)
	for path := range s {
		if strings.HasPrefix(path, "/data/") || strings.Contains(path, "changes") || strings.Contains(path, "healthcare") {
			delete(s, path)
		}
	}
	s["/api/v2/opportunities.json"] = []byte(`{"opportunities":[],"links":[{"href":"/"}]}`)
	s["/api/v2/recommendations.json"] = []byte(`[]`)
	s["/api/v2/entities.json"] = []byte(`[{"id":7,"name":"a number for an ID"}]`)
	odd := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s[r.URL.Path]; !ok {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		s.ServeHTTP(w, r)
	})
	r, got := audited(t, odd, audit.Options{})
	for _, finding := range got {
		if strings.Contains(finding, " fail: ") || strings.Contains(finding, " warn: ") {
			t.Error(finding)
		}
	}
	if r.Summary.Unanswered != 0 {
		t.Errorf("%+v", r.Summary)
	}
}

// TestChanged: a difference caused by a release that came meanwhile is not a failure.
func TestChanged(t *testing.T) {
	s, later := newSite(t), newSite(t)
	later.replace(signals, `"version":2`, `"version":3`)
	later.replace(later.single("signals"), `"version":2`, `"version":3`)
	var now atomic.Bool
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/v1/signals/") {
			now.Store(true) // after the collections were read
		}
		if now.Load() {
			later.ServeHTTP(w, r)
			return
		}
		s.ServeHTTP(w, r)
	})
	_, got := audited(t, h, audit.Options{Methods: true})
	all := strings.Join(got, "\n")
	if !strings.Contains(all, "SPEC-SAME not tested: the collection changed") || strings.Contains(all, " fail: ") {
		t.Errorf("%s", all)
	}
}
