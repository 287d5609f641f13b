package site_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/release"
)

// patience is how long a browser may take for anything.
const patience = 30 * time.Second

// browser is one Chromium that all tests share, each in a tab of its own.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := chromium()
	if path == "" {
		return nil, errors.New("there is no Chromium on this machine (make test installs it where apt-get works): browser tests are left out")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-gpu", true)) // and so without WebGL, as on many machines
	ctx, stopAllocator := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, stop := chromedp.NewContext(ctx)
	stopBrowser = func() { stop(); stopAllocator() }
	return ctx, chromedp.Do(ctx)
})

var stopBrowser = func() {}

// chromium is where the browser is, or "".
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func TestMain(m *testing.M) {
	code := m.Run()
	stopBrowser()
	os.Exit(code)
}

// needsBrowser leaves a test out that needs a browser where -short does not want that.
func needsBrowser(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: it needs a browser")
	}
}

// serveFiles serves files on this machine for as long as the test runs, and answers with its
// address. Requests for what is not there fail the test, but for what others make.
func serveFiles(t *testing.T, files fs.FS) string {
	t.Helper()
	static := http.FileServerFS(files)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/")
		if strings.HasSuffix(path, "/") || path == "" {
			path += "index.html"
		}
		if _, err := fs.Stat(files, path); err != nil {
			t.Errorf("%s was asked for and is not there", r.URL.Path)
		}
		static.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// serveRelease serves a release as stele serve does, for as long as the test runs.
func serveRelease(t *testing.T, files map[string][]byte) (base string) {
	t.Helper()
	r, err := release.Open(context.Background(), filesOf(files))
	if err != nil {
		t.Fatal(err)
	}
	library, err := library.Open(r, time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), library.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, ended := serve.New(library, serve.Options{}), make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			t.Errorf("stopping: %v", err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serving: %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// serveSample serves the site of the sample, as stele serve does.
func serveSample(t *testing.T) string {
	t.Helper()
	needsBrowser(t)
	files, err := sampleSite()
	if err != nil {
		t.Fatal(err)
	}
	return serveRelease(t, files)
}

// tab is a tab of the browser on a site.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string
	at   atomic.Pointer[string] // the address that is open, for messages
	// whether requests may fail, because the test lets them
	mayFail atomic.Bool
}

// open opens a tab. Errors on its console, requests that fail and requests that leave the site fail
// the test.
func open(t *testing.T, base string) *tab {
	t.Helper()
	needsBrowser(t)
	shared, err := browser()
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	ctx, cancel := chromedp.NewContext(shared)
	b := &tab{t: t, ctx: ctx, base: base}
	b.at.Store(&base)
	// without a time limit: the tab lives as long as this context
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
		t.Fatal(err)
	}
	var watched sync.WaitGroup
	watch(&watched, chromedp.Console(ctx), func(m chromedp.ConsoleMessage) {
		if b.mayFail.Load() || strings.Contains(fmt.Sprint(m), "a status of 410 ") { // a record that was removed
			return
		}
		if m.IsException() || m.Type == "error" || m.Type == "warning" && m.Source == "security" {
			t.Errorf("on the console of %s: %s", *b.at.Load(), m)
		}
	})
	watch(&watched, chromedp.Events(ctx, network.RequestWillBeSent), func(r network.EventRequestWillBeSent) {
		// what is in the browser itself, such as the sign of a field for dates, comes from no host
		if u := r.Request.URL; !strings.HasPrefix(u, base+"/") && !strings.HasPrefix(u, "about:") && !strings.HasPrefix(u, "data:") {
			t.Errorf("%s asked for %s", *b.at.Load(), u)
		}
	})
	watch(&watched, chromedp.Events(ctx, network.ResponseReceived), func(r network.EventResponseReceived) {
		status := r.Response.Status
		if status >= http.StatusBadRequest && status != http.StatusGone && !b.mayFail.Load() {
			t.Errorf("%s asked for %s, and got %d", *b.at.Load(), r.Response.URL, r.Response.Status)
		}
	})
	watch(&watched, chromedp.Events(ctx, network.LoadingFailed), func(r network.EventLoadingFailed) {
		if !r.Canceled && !b.mayFail.Load() { // by going to another page
			t.Errorf("a request of %s failed: %s %s", *b.at.Load(), r.Type, r.ErrorText)
		}
	})
	t.Cleanup(func() { cancel(); watched.Wait() })
	return b
}

// watch hands events to a function until there are no more.
func watch[E any](watched *sync.WaitGroup, events iter.Seq2[E, error], each func(E)) {
	watched.Go(func() {
		for e, err := range events {
			if err != nil {
				return
			}
			each(e)
		}
	})
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// visit opens a page of the site and waits for its scripts.
func (b *tab) visit(path string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := b.navigate(ctx, b.base+path); err != nil {
		b.t.Fatalf("%s does not open: %v", path, err)
	}
}

// navigate opens an address, and answers when its page is there. What the browser says of the page
// before may still come in when the next one is asked for, and be taken for its end; so the page
// itself is asked.
func (b *tab) navigate(ctx context.Context, address string) error {
	b.at.Store(&address)
	err := chromedp.Do(ctx, chromedp.Navigate(address))
	for there := false; err == nil && !there; err = ctx.Err() {
		time.Sleep(2 * time.Millisecond) // which the browser can use
		there, _ = chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(`location.href === new URL(%q).href && document.readyState === "complete"`, address)))
	}
	return err
}

// follow does what leads to another page, and waits for that.
func (b *tab) follow(step chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, step); err != nil {
		b.t.Fatal(err)
	}
}

// ready waits until a script has built what it builds.
func (b *tab) ready(selector string) {
	b.t.Helper()
	b.wait(`document.querySelector("` + selector + `[data-ready]")`)
}

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := becomes(ctx, expression); err != nil {
		b.t.Fatalf("%s did not come about: %v", expression, err)
	}
}

// becomes waits until an expression is true on the page that is open.
func becomes(ctx context.Context, expression string) error {
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`new Promise((done) => { (function look() { if (`+expression+`) done(true); else requestAnimationFrame(look); })(); })`, chromedp.EvalAwaitPromise))
	return err
}

// eval is the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", firstLine(expression), err)
	}
	return v
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line[:min(len(line), 120)]
}

// scheme makes the browser prefer light or dark pages.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.emulate(emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
}

// emulate makes the browser show pages as for another screen, or for paper.
func (b *tab) emulate(media emulation.SetEmulatedMediaParams) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// width sets how wide the window is.
func (b *tab) width(pixels int64) { b.t.Helper(); b.do(chromedp.EmulateViewport(pixels, 900)) }
