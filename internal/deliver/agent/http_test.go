package agent_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stele/client"
	"stele/internal/deliver/agent"
	"stele/internal/testkit/must"
)

// TestHTTP: agents at an address are answered by what each request says; pages of other sites and
// what is too long are refused.
func TestHTTP(t *testing.T) {
	c := must.Get(client.Open(t.Context(), "../../../release/testdata/first", client.Options{}))(t)
	defer c.Close()
	front := httptest.NewServer(agent.Handler(agent.New(c), c.Manifest))
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
