//go:build unix

package serve_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
)

// TestLastModifiedInTheFuture: no file was changed after the answer was sent (RFC 9110, section
// 8.8.2.1).
func TestLastModifiedInTheFuture(t *testing.T) {
	opt := serve.Options{}
	l, err := library.Open(sampleInMemory(), time.Now().Add(24*time.Hour), opt.Library(), nil)
	must.Do(t, err)
	answer, _ := fetch(t, client(t), "http://"+listening(t, serve.New(l, opt))+"/") // JSON has no such line
	sent, err := http.ParseTime(answer.Header.Get("Date"))
	changed, err2 := http.ParseTime(answer.Header.Get("Last-Modified"))
	if err != nil || err2 != nil || changed.After(sent) {
		t.Errorf("changed %v, sent %v, %v, %v", changed, sent, err, err2)
	}
}

// TestAcceptWithoutPages: a client that wants no page gets none (RFC 9110, section 12.5.1).
func TestAcceptWithoutPages(t *testing.T) {
	opt := serve.Options{}
	address := listening(t, serve.New(opened(t, opt), opt))
	for accept, want := range map[string]string{
		"text/html": "text/html", "text/html, */*;q=0.8": "text/html", "TEXT/HTML;charset=utf-8": "text/html", "application/json;q=0.5, text/html": "text/html",
		"text/html;q=0": "application/problem+json", "text/html;q=0, */*": "application/problem+json", "text/html;level=1;q=0.000": "application/problem+json",
		"application/json, text/html;q=0.5": "application/problem+json", "*/*": "application/problem+json", "x-text/html": "application/problem+json", "": "application/problem+json",
	} {
		for _, more := range []string{"", "?x"} { // in the lane, and through net/http
			q := must.Get(http.NewRequest(http.MethodGet, "http://"+address+"/nothing"+more, nil))(t)
			q.Header.Set("Accept", accept)
			answer := must.Get(client(t).Do(q))(t)
			answer.Body.Close()
			if got := answer.Header.Get("Content-Type"); !strings.HasPrefix(got, want) {
				t.Errorf("Accept: %s gets %s, want %s", accept, got, want)
			}
		}
	}
}
