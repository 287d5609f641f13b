package agent_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/client"
	"stele/internal/deliver/agent"
	"stele/internal/testkit/must"
)

// TestHTTP: agents at an address are answered by what each request says; pages of other sites and
// what is too long are refused.
func TestHTTP(t *testing.T) {
	c := must.Get(client.Open(t.Context(), "../../../release/testdata/first", client.Options{}))(t)
	defer c.Close()
	front := httptest.NewServer(agent.New(c).Handler(nil))
	defer front.Close()
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, q := range []struct {
		method, path, origin, body string
		status                     int
		has                        string
	}{
		{"POST", "/", "", list, 200, `"name":"search"`},
		{"POST", "/", front.URL, list, 200, `"name":"search"`},
		{"POST", "/", "https://evil.example", list, 403, "other sites"},
		{"POST", "/", "null", list, 403, "other sites"},
		{"POST", "/", "", `{"x":"` + strings.Repeat("x", 2<<20) + `"}`, 413, ""},
		{"POST", "/", "", `{`, 400, ""},
		{"POST", "/", "", "\n[" + strings.Repeat(list+",", 8000) + list + "]", 400, "one message"},
		{"GET", "/", "", "", 405, ""},
		{"GET", "/server.json", "", "", 200, `"type": "streamable-http"`},
	} {
		r := must.Get(http.NewRequestWithContext(t.Context(), q.method, front.URL+q.path, strings.NewReader(q.body)))(t)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if q.origin != "" {
			r.Header.Set("Origin", q.origin)
		}
		answer := must.Get(http.DefaultClient.Do(r))(t)
		body := string(must.Get(io.ReadAll(answer.Body))(t))
		answer.Body.Close()
		if answer.StatusCode != q.status || !strings.Contains(body, q.has) {
			t.Errorf("%s %s, origin %q: %d %.300s", q.method, q.path, q.origin, answer.StatusCode, body)
		}
		if q.path == "/" && q.status == 200 && len(body) > 10_000 { // about 2,500 tokens
			t.Errorf("the definitions have %d bytes", len(body))
		}
	}
}

// ask asks the handler for a record, and returns the status and the answer.
func ask(t *testing.T, address, tool, arguments string, change func(*http.Request)) (int, string) {
	t.Helper()
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(call)))(t)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	body, err := io.ReadAll(answer.Body)
	if answer.Body.Close(); err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(body)
}

// TestHangingOrigin: a service goes on to another release, and then accepts connections and says
// nothing. Whatever is asked is answered from its last release, while the server is described.
func TestHangingOrigin(t *testing.T) {
	var mu sync.Mutex
	dir := "../../../release/testdata/first"
	hang := make(chan struct{})
	isHanging := false
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		at, wait := dir, isHanging
		mu.Unlock()
		if wait {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
			return
		}
		r.Header.Del("If-Modified-Since") // both were written in the same second
		http.FileServer(http.FS(os.DirFS(at))).ServeHTTP(w, r)
	}))
	defer origin.Close()
	defer close(hang)
	c := must.Get(client.Open(t.Context(), origin.URL, client.Options{}))(t)
	s := agent.New(c)
	must.Do(t, s.Load(t.Context()))
	ctx, stop := context.WithCancel(t.Context())
	followed := make(chan error)
	go func() { followed <- s.Follow(ctx, time.Millisecond, true) }()
	defer func() { stop(); must.Do(t, <-followed) }()
	front := httptest.NewServer(s.Handler(nil))
	defer front.Close()
	describes := func() string {
		answer := must.Get(http.Get(front.URL + "/server.json"))(t)
		defer answer.Body.Close()
		return string(must.Get(io.ReadAll(answer.Body))(t))
	}
	first := describes()
	mu.Lock()
	dir = "../../../release/testdata/second"
	mu.Unlock()
	for describes() == first {
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	isHanging = true
	mu.Unlock()
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			tool, arguments := "record", `{"id":"clm-example-vaccine"}`
			switch i % 4 {
			case 1:
				tool = "trace"
			case 2:
				tool, arguments = "changes", `{}`
			case 3:
				arguments = `{"id":"evd-none"}`
			}
			status, body := ask(t, front.URL, tool, arguments, nil)
			if status != http.StatusOK || !strings.Contains(body, `"result"`) || strings.Contains(body, "listed, and is not") {
				t.Errorf("%s %s: %d %.300s", tool, arguments, status, body)
			}
		})
	}
	all.Wait()
}

// TestUnfinishedQuestions: clients that begin a question and do not end it keep nobody out.
func TestUnfinishedQuestions(t *testing.T) {
	c := must.Get(client.Open(t.Context(), "../../../release/testdata/first", client.Options{}))(t)
	front := httptest.NewServer(agent.New(c).Handler(nil))
	defer front.Close()
	for range 100 {
		conn := must.Get(net.Dial("tcp", front.Listener.Addr().String()))(t)
		defer conn.Close()
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
	}
	for range 20 { // in which they arrive
		if status, body := ask(t, front.URL, "changes", `{}`, nil); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestPublicAddress: behind a proxy, the server has the name of the proxy.
func TestPublicAddress(t *testing.T) {
	c := must.Get(client.Open(t.Context(), "../../../release/testdata/first", client.Options{}))(t)
	front := httptest.NewServer(agent.New(c).Handler(&url.URL{Scheme: "https", Host: "agents.example.org"}))
	defer front.Close()
	answer := must.Get(http.Get(front.URL + "/server.json"))(t)
	defer answer.Body.Close()
	if is := string(must.Get(io.ReadAll(answer.Body))(t)); !strings.Contains(is, `"https://agents.example.org/"`) {
		t.Error(is)
	}
	for _, q := range []struct {
		host, origin string
		status       int
	}{
		{"agents.example.org", "", 200},
		{"agents.example.org", "https://agents.example.org", 200},
		{"", "https://agents.example.org", 200},
		{"", "", 200},
		{"evil.example", "", 403},
		{"agents.example.org", "https://evil.example", 403},
	} {
		status, body := ask(t, front.URL, "changes", `{}`, func(r *http.Request) {
			r.Host = q.host
			if q.origin != "" {
				r.Header.Set("Origin", q.origin)
			}
		})
		if status != q.status {
			t.Errorf("host %q, origin %q: %d %s", q.host, q.origin, status, body)
		}
	}
}
