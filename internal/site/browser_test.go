package site_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// browser is one Chromium that all tests share, each in a tab of its own.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := chromium()
	if path == "" {
		return nil, errors.New("there is no Chromium on this machine (make test installs it where apt-get works): browser tests are left out")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("enable-unsafe-swiftshader", true)) // WebGL without a graphics card
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

// serve serves a release on this machine for as long as the test runs, and answers with its address. Requests for what is not there fail the test, but
// for what others make.
func serve(t *testing.T, files fs.FS) string {
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

// serveSample serves the site of the sample.
func serveSample(t *testing.T) string {
	t.Helper()
	files, err := sampleSite()
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, filesOf(files))
}

// tab is a tab of the browser on a site.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string
}

// open opens a tab. Errors on its console, and requests that leave the site, fail the test.
func open(t *testing.T, base string) *tab {
	t.Helper()
	shared, err := browser()
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := chromedp.NewContext(shared)
	b := &tab{t, ctx, base}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil { // without a time limit: the tab lives as long as this context
		t.Fatal(err)
	}
	var watched sync.WaitGroup
	messages, requests := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	watched.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "warning" && m.Source == "security" {
				t.Errorf("on the console of %s: %s", base, m)
			}
		}
	})
	watched.Go(func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if u := r.Request.URL; !strings.HasPrefix(u, base+"/") && !strings.HasPrefix(u, "about:") {
				t.Errorf("a page asked for %s", u)
			}
		}
	})
	t.Cleanup(func() { cancel(); watched.Wait() })
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// visit opens a page of the site and waits for its scripts.
func (b *tab) visit(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// follow does what leads to another page, and waits for that.
func (b *tab) follow(step chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
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
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool]("!!("+expression+")")); err != nil {
		b.t.Fatalf("%s did not come about: %v", expression, err)
	}
}

// eval is the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
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
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// width sets how wide the window is.
func (b *tab) width(pixels int64) { b.t.Helper(); b.do(chromedp.EmulateViewport(pixels, 900)) }
