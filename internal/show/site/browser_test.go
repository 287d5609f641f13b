package site_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/browsertest"
	"stele/internal/testkit/must"
	"stele/release"
)

// patience is how long a browser may take for anything.
const patience = 30 * time.Second

func TestMain(m *testing.M) { os.Exit(browsertest.Tests{M: m}.Run()) }

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
	server, ended := must.Get(newServer(files))(t), make(chan error, 1)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
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

// serveSample serves the site of the sample, as stele serve does, until all tests have run.
func serveSample(t *testing.T) string {
	t.Helper()
	needsBrowser(t)
	return must.Get(sampleAddress())(t)
}

var sampleAddress = sync.OnceValues(func() (string, error) {
	files, err := sampleSite()
	if err != nil {
		return "", err
	}
	server, err := newServer(files)
	if err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go server.Serve(l) // ends with the process
	return "http://" + l.Addr().String(), nil
})

// newServer is the server of stele serve for a release.
func newServer(files map[string][]byte) (*serve.Server, error) {
	r, err := release.Open(context.Background(), filesOf(files))
	if err != nil {
		return nil, err
	}
	l, err := library.Open(r, time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), library.Options{}, nil)
	if err != nil {
		return nil, err
	}
	return serve.New(l, serve.Options{}), nil
}

// window is a tab of a browser, which tests use one after the other: to open one takes long.
type window struct {
	*browsertest.Tab
	user    atomic.Pointer[tab] // whose events are watched
	changed bool                // for all pages, so that no other test can use it
}

// idle are windows that no test uses, by the name of their browser.
var idle = map[string][]*window{}

// tab is a window as a test uses it, on a site.
type tab struct {
	*window

	t    *testing.T
	base string
	at   atomic.Pointer[string] // the address that is open, for messages
	// whether requests may fail, because the test lets them
	mayFail atomic.Bool
}

// open opens a tab of Chromium, or of Firefox in what TestLongFirefox runs. Errors on its console,
// requests that fail and requests that leave the site fail the test.
func open(t *testing.T, base string) *tab {
	t.Helper()
	needsBrowser(t)
	name := browsertest.Chromium
	if strings.HasPrefix(t.Name(), "TestLongFirefox/") {
		name = browsertest.Firefox
	}
	shared, err := browsertest.Shared(name)
	if errors.Is(err, browsertest.ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	must.Do(t, err)
	b := &tab{t: t, base: base}
	b.at.Store(&base)
	if free := idle[name]; len(free) > 0 {
		b.window, idle[name] = free[len(free)-1], free[:len(free)-1]
		// another tab may have been opened since, and keys are for the one in front
		b.patiently("bringing the tab to the front", b.Activate)
	} else {
		b.window = &window{}
		if b.Tab, err = shared.Open(t.Context(), b.window.watch); err != nil {
			t.Fatal(err)
		}
	}
	b.user.Store(b)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		leave := b.Close
		if !b.changed && !t.Failed() {
			leave = func(ctx context.Context) error {
				idle[name] = append(idle[name], b.window)
				return errors.Join(b.Point(ctx, 0, 0, false), b.Navigate(ctx, "about:blank"))
			}
		}
		if err := leave(ctx); err != nil {
			t.Error(err)
		}
		b.user.Store(nil)
	})
	b.width(1280)
	return b
}

func (w *window) watch(e browsertest.Event) {
	if b := w.user.Load(); b != nil {
		b.watch(e)
	}
}

// watch holds what happens in the tab to what may.
func (b *tab) watch(e browsertest.Event) {
	var p struct {
		Level, Text, ErrorText string
		Request                struct{ URL string }
		Response               struct{ Status int }
	}
	if err := json.Unmarshal(e.Params, &p); err != nil {
		b.t.Errorf("%s: %v", e.Method, err)
	}
	at, u := *b.at.Load(), p.Request.URL
	// what is in the browser itself, such as the sign of a field for dates, comes from no host
	if e.Method == "network.beforeRequestSent" && !strings.HasPrefix(u, b.base+"/") && !strings.HasPrefix(u, "about:") &&
		!strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
		b.t.Errorf("%s asked for %s", at, u)
	}
	if b.mayFail.Load() {
		return
	}
	switch status := p.Response.Status; e.Method {
	case "log.entryAdded":
		if p.Level == "error" {
			b.t.Errorf("on the console of %s: %s", at, p.Text)
		}
	case "network.responseCompleted":
		if status >= http.StatusBadRequest && status != http.StatusGone { // a record that was removed
			b.t.Errorf("%s asked for %s, and got %d", at, u, status)
		}
	case "network.fetchError":
		if !strings.HasSuffix(p.ErrorText, "ABORTED") { // by going to another page
			b.t.Errorf("%s asked for %s, and it failed: %s", at, u, p.ErrorText)
		}
	}
}

// patiently does something with the tab that must succeed in time.
func (b *tab) patiently(what string, do func(ctx context.Context) error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	if err := do(ctx); err != nil {
		b.t.Fatalf("%s: %v", firstLine(what), err)
	}
}

// visit opens a page of the site and waits for its scripts.
func (b *tab) visit(path string) {
	b.t.Helper()
	b.patiently(path, func(ctx context.Context) error { return b.navigate(ctx, b.base+path) })
}

// navigate opens an address, and answers when its page is there.
func (b *tab) navigate(ctx context.Context, address string) error {
	b.at.Store(&address)
	return b.Navigate(ctx, address)
}

// follow does what leads to another page, and waits for that.
func (b *tab) follow(step func()) {
	b.t.Helper()
	b.run(`window.before = true`)
	step()
	b.patiently("another page", func(ctx context.Context) error {
		for there := false; !there; {
			time.Sleep(2 * time.Millisecond) // which the browser can use
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// between two pages there is none to ask
			_ = b.Evaluate(ctx, `!window.before && document.readyState === "complete" && document.querySelector("main") !== null`, &there)
		}
		return nil
	})
}

// ready waits until a script has built what it builds.
func (b *tab) ready(selector string) {
	b.t.Helper()
	b.wait(`document.querySelector("` + selector + `[data-ready]")`)
}

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	b.patiently(expression, func(ctx context.Context) error { return b.becomes(ctx, expression) })
}

// becomes waits until an expression is true on the page that is open.
func (b *tab) becomes(ctx context.Context, expression string) error {
	return b.Run(ctx, `new Promise((done) => { (function look() { if (`+expression+`) done(true); else requestAnimationFrame(look); })(); })`)
}

// eval is the value of an expression.
func eval[T any](b *tab, expression string) (v T) {
	b.t.Helper()
	b.patiently(expression, func(ctx context.Context) error { return b.Evaluate(ctx, expression, &v) })
	return v
}

// run runs a script.
func (b *tab) run(script string) {
	b.t.Helper()
	b.patiently(script, func(ctx context.Context) error { return b.Run(ctx, script) })
}

// element is an expression for an element, by a CSS selector or by an XPath.
func element(selector string) string {
	if strings.HasPrefix(selector, "//") {
		return fmt.Sprintf(`document.evaluate(%q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue`, selector)
	}
	return fmt.Sprintf(`document.querySelector(%q)`, selector)
}

// click waits for an element, brings it into sight and clicks on the middle of it.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.wait(element(selector) + `?.getClientRects().length > 0`)
	at := eval[[2]float64](b, `(async (e) => {
		const show = () => { if (!e.closest("svg")) e.scrollIntoView({ block: "center", behavior: "instant" }); };
		show();
		for (let last, still = 0; ; await new Promise(requestAnimationFrame)) {
			const r = e.getBoundingClientRect();
			if (r.top < 0 || r.bottom > innerHeight) show(); // what is above it has grown or shrunk
			still = last?.left === r.left && last.top === r.top ? still + 1 : 0; // it may still move
			if (still === 3) return [r.left + r.width / 2, r.top + r.height / 2];
			last = r;
		}
	})(`+element(selector)+`)`)
	b.patiently("clicking on "+selector, func(ctx context.Context) error { return b.Point(ctx, at[0], at[1], true) })
}

// point moves the pointer to a place in the window.
func (b *tab) point(x, y float64) {
	b.t.Helper()
	b.patiently("pointing", func(ctx context.Context) error { return b.Point(ctx, x, y, false) })
}

// press presses keys.
func (b *tab) press(keys string) {
	b.t.Helper()
	b.patiently("pressing keys", func(ctx context.Context) error { return b.Type(ctx, keys) })
}

// enter types into a field.
func (b *tab) enter(selector, keys string) {
	b.t.Helper()
	b.wait(element(selector))
	b.run(element(selector) + `.focus()`)
	b.press(keys)
}

// set gives a field a value, as if it had been picked.
func (b *tab) set(selector, value string) {
	b.t.Helper()
	b.run(fmt.Sprintf(`((e) => { e.value = %q; e.dispatchEvent(new Event("change")); })(%s)`, value, element(selector)))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line[:min(len(line), 120)]
}

// scheme makes Chromium prefer light or dark pages.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.cdp("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]any{{"name": "prefers-color-scheme", "value": name}},
	}, nil)
}

// paper makes Chromium show pages as on paper.
func (b *tab) paper() {
	b.t.Helper()
	b.cdp("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
}

// cdp has Chromium do what only it can.
func (b *tab) cdp(method string, params map[string]any, result any) {
	b.t.Helper()
	b.changed = true
	b.patiently(method, func(ctx context.Context) error { return b.CDP(ctx, method, params, result) })
}

// width sets how wide the window is.
func (b *tab) width(pixels int64) { b.t.Helper(); b.size(pixels, 900) }

// size sets how large the window is.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.patiently("resizing", func(ctx context.Context) error { return b.Resize(ctx, width, height) })
}
