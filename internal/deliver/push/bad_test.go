package push

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/deliver/bucket"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
)

// answering answers a request to a store in its place, which pass does.
type answering func(w http.ResponseWriter, r *http.Request, pass http.Handler)

// badAnswers are what a store, or something before it, may do.
func badAnswers(oldPointer *httptest.ResponseRecorder) map[string]answering {
	status := func(code int) answering {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(code) }
	}
	return map[string]answering{
		"500": status(http.StatusInternalServerError),
		"503": status(http.StatusServiceUnavailable),
		"403": status(http.StatusForbidden),
		"rubbish": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("ETag", `"rubbish"`)
			fmt.Fprint(w, strings.Repeat("rubbish ", 100))
		},
		"half": func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			whole := httptest.NewRecorder()
			pass.ServeHTTP(whole, r)
			for name, values := range whole.Header() {
				w.Header()[name] = values
			}
			w.Header().Set("Content-Length", strconv.Itoa(whole.Body.Len()))
			w.WriteHeader(whole.Code)
			w.Write(whole.Body.Bytes()[:whole.Body.Len()/2]) // the server cuts the connection then
		},
		"silence": func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() },
		"an old pointer": func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			if !strings.HasSuffix(r.URL.Path, bucket.PointerPath) {
				pass.ServeHTTP(w, r)
				return
			}
			for name, values := range oldPointer.Header() {
				w.Header()[name] = values
			}
			w.Write(oldPointer.Body.Bytes()) // who asked sees whether that fails
		},
	}
}

// TestBadAnswers: whatever a store answers, a server goes on with the release that it has, and goes
// on to the next one when the store is well again. Nothing that it says has credentials in it.
func TestBadAnswers(t *testing.T) { bothWays(t, testBadAnswers) }

func testBadAnswers(t *testing.T) {
	one, two, three := threeReleases(t)
	s := buckettest.S3(t)
	direct := open(t, s.Address(t, "records"), quick)
	push(t, direct, one, Options{Keep: 3})
	store := buckettest.Proxy(s.Host, nil, nil)
	var bad atomic.Pointer[answering]
	var seen atomic.Pointer[httptest.ResponseRecorder] // the last pointer
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := bad.Load(); answer != nil {
			(*answer)(w, r, store)
			return
		}
		if strings.HasSuffix(r.URL.Path, bucket.PointerPath) {
			recorder := httptest.NewRecorder()
			store.ServeHTTP(recorder, r.Clone(r.Context()))
			seen.Store(recorder)
		}
		store.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	said := new(locked)
	opt := bucket.Options{Pause: time.Millisecond, Patience: 500 * time.Millisecond}
	b := open(t, s.Through("records", strings.TrimPrefix(proxy.URL, "http://")), opt)
	p := must.Get(b.At(t.Context(), bucket.PlaceOptions{
		Cache: t.TempDir(), Every: time.Nanosecond, Log: slog.New(slog.NewTextHandler(said, nil)),
	}))(t)
	t.Cleanup(func() { p.Close() })
	expectOpened(t, p, idOf(t, one))
	old := seen.Load()
	push(t, direct, two, Options{Keep: 3})
	expectChanged(t, p, true)
	expectOpened(t, p, idOf(t, two))
	push(t, direct, three, Options{Keep: 3})
	for name, answer := range badAnswers(old) {
		bad.Store(&answer)
		changed, err := p.Changed()
		fmt.Fprintln(said, err)
		if changed || err != nil {
			t.Errorf("%s: changed is %v, %v", name, changed, err)
		}
	}
	bad.Store(nil)
	expectChanged(t, p, true) // it knows of the next release, and then the pack cannot be had
	for name, answer := range badAnswers(old) {
		bad.Store(&answer)
		if name == "an old pointer" {
			continue
		}
		_, _, closer, err := p.Open()
		if err == nil {
			closer()
			t.Errorf("%s: it opened something", name)
		}
		fmt.Fprintln(said, err)
	}
	bad.Store(nil)
	expectOpened(t, p, idOf(t, three))
	for _, secret := range []string{os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_ACCESS_KEY_ID"), "X-Amz-Signature"} {
		if secret == "" || strings.Contains(said.String(), secret) {
			t.Errorf("%q is told:\n%s", secret, said)
		}
	}
	if !strings.Contains(said.String(), "Cannot read the bucket") {
		t.Errorf("it does not say that the bucket is away:\n%s", said)
	}
}

// locked is a text that several write.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
