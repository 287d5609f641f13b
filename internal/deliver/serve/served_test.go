//go:build unix

package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/disk/store"
	"stele/internal/show/site"
	"stele/internal/testkit/heap"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// patience is how long a test waits for what must come. It is long, because the machine may be
// busy; nothing waits for it to pass.
const patience = time.Minute

// large is a file of the releases here that does not fit into the buffers of a connection.
const (
	large     = "large.txt"
	largeSize = 16 << 20
)

// edit makes releases that differ: a number is put into two files, and so into the manifest.
func edit(n int) render.Renderer {
	return func(_ render.Records, out render.Output) error {
		if err := out.Put("edit.html", fmt.Appendf(nil, "<!doctype html><html><head><title>%d</title></head></html>", n)); err != nil {
			return err
		}
		// too large to be kept where memory is scarce
		return out.Put("edit.txt", fmt.Appendf(nil, "%0*d", 100<<10, n))
	}
}

func withLarge(_ render.Records, out render.Output) error {
	return out.Put(large, bytes.Repeat([]byte("0123456789abcdef"), largeSize/16))
}

// build makes a release of a folder of records.
func build(w store.Writer, records fs.FS, render ...render.Renderer) error {
	opt := compiler.Options{Date: record.Date("2026-11-15"), Render: render}
	outcome, err := compiler.Build(context.Background(), records, w, opt)
	if err == nil && outcome.Manifest == nil {
		err = fmt.Errorf("the records have %d errors", outcome.Check.Errors)
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return nil
}

// inMemory is a release of the sample in memory, open.
func inMemory(t testing.TB, render ...render.Renderer) *release.Release {
	t.Helper()
	m := store.NewMemory()
	must.Do(t, build(m, sample.Files, render...))
	r := must.Get(release.Open(context.Background(), m.Files()))(t)
	return r
}

var (
	sampleInMemory = sync.OnceValue(func() *release.Release { return inMemory(new(testing.T), site.Options{}.Write) })
	largeInMemory  = sync.OnceValue(func() *release.Release { return inMemory(new(testing.T), withLarge) })
)

// opened is the sample with its pages, ready to be served.
func opened(t testing.TB, opt serve.Options) *library.Library {
	t.Helper()
	return openAt(t, sampleInMemory(), opt)
}

// openedLarge is the sample with the large file, which takes a while to open, and no pages.
func openedLarge(t testing.TB, opt serve.Options) *library.Library {
	t.Helper()
	return openAt(t, largeInMemory(), opt)
}

func openAt(t testing.TB, r *release.Release, opt serve.Options) *library.Library {
	t.Helper()
	l := must.Get(library.Open(r, time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), opt.Library(), nil))(t)
	return l
}

// listening lets a server serve until the test ends, and makes sure that nothing of it is left
// then.
func listening(t testing.TB, s *serve.Server) (address string) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("stopping: %v", err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serving: %v", err)
		}
		s = nil // the list of what is to be cleaned up keeps this function, which must not keep the release
	})
	return l.Addr().String()
}

// leavesNothing makes sure that after the test and all that it cleans up there are as many
// goroutines, open files and about as much memory as before.
func leavesNothing(t *testing.T) {
	t.Helper()
	sampleInMemory()
	largeInMemory()
	files, before, goroutines := openFiles(t), heap.Live(), goleak.IgnoreCurrent()
	t.Cleanup(func() {
		if err := goleak.Find(goroutines); err != nil {
			t.Error(err)
		}
		await(t, "open files to be closed", func() bool { return openFiles(t) <= files })
		await(t, "memory to be given back", func() bool { return heap.Live() < before+(16<<20) })
	})
}

// openFiles counts them.
func openFiles(t testing.TB) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if errors.Is(err, fs.ErrNotExist) {
		return 0 // there is no other way to count them
	}
	must.Do(t, err)
	return len(names)
}

// await waits for something that happens elsewhere.
func await(t testing.TB, what string, happened func() bool) {
	t.Helper()
	late := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-late:
			t.Fatalf("waited in vain for %s", what)
		case <-tick.C:
		}
	}
}

// dial opens a connection that does not wait for ever.
func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", address))(t)
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// client is one that keeps what it opens to itself. It speaks HTTP/2 where there is TLS.
func client(t testing.TB) *http.Client {
	transport := &http.Transport{
		DisableCompression: true,
		ForceAttemptHTTP2:  true,
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// answerTo reads an answer whole.
func answerTo(in *bufio.Reader, method string) (*http.Response, []byte, error) {
	answer, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

// throwAway is a certificate for a test.
var throwAway = sync.OnceValues(func() (tls.Certificate, error) {
	cert, key, err := process.Certificate(1)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
})

func secureOptions(t testing.TB) *tls.Config {
	t.Helper()
	cert := must.Get(throwAway())(t)
	return &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}}
}

// target is a place for a release, in memory where that is possible: a release is brought to disk,
// which takes its time.
func target(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "stele-test-")
	if err != nil {
		return filepath.Join(t.TempDir(), name)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, name)
}

// logged is a log that can be read.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

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
