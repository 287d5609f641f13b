package preview

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/input"
	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	signal        = "records/signals/sig-example-rise.yaml"
	signalAddress = "/api/v1/signals/sig-example-rise.json"
	// for what is a matter of milliseconds on a machine that has nothing else to do
	patience = time.Minute
)

// anyPage makes the one page that the tests look at.
func anyPage(_ render.Records, out render.Output) error {
	return out.Put("index.html", []byte("<!doctype html><html><head><title>Any</title></head></html>"))
}

// newPreview is a preview of a folder of records, with findings in few words.
func newPreview(dir string) *Preview {
	return &Preview{
		Files: os.DirFS(dir), Dir: dir, Names: func() []string { return input.WatchedPaths(os.DirFS(dir)) },
		Build: func() (compiler.Options, error) {
			return compiler.Options{Date: "2026-11-15", Render: []render.Renderer{anyPage}}, nil
		},
		Report: func(o *compiler.Outcome, _ time.Duration) string {
			var text strings.Builder
			for _, p := range o.Check.Problems {
				text.WriteString(p.File + ": " + p.Message + "\n")
			}
			return text.String()
		},
	}
}

// starterFolder is a folder of records without faults.
func starterFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, starter.InitAt(dir, specimen.Address))
	return dir
}

// writer is somebody who writes records with a page of the preview open.
type writer struct {
	t       *testing.T
	preview *Preview
	server  *serve.Server
	base    string
	client  *http.Client
	events  *bufio.Scanner // what the page is told

	leave           context.CancelFunc
	served, watched chan error
}

// startWriting starts a preview and opens a page.
func startWriting(t *testing.T, p *Preview) *writer {
	t.Helper()
	server := must.Get(p.Start(t.Context()))(t)
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, leave := context.WithCancel(t.Context())
	d := &writer{
		t: t, preview: p, server: server, base: "http://" + listener.Addr().String(),
		client: &http.Client{Transport: &http.Transport{}, Timeout: patience},
		leave:  leave, served: make(chan error, 1), watched: make(chan error, 1),
	}
	go func() { d.served <- server.Serve(listener) }()
	go func() { d.watched <- p.Watch(ctx) }()
	stream := must.Get(d.client.Get(d.base + eventsAddress))(t)
	t.Cleanup(func() { stream.Body.Close(); d.client.CloseIdleConnections() })
	d.events = bufio.NewScanner(stream.Body)
	return d
}

// end ends the preview. Everything must be let go of, and the page told that nothing more comes.
func (d *writer) end() {
	d.t.Helper()
	d.leave()
	if err := <-d.watched; err != nil {
		d.t.Error(err)
	}
	for d.events.Scan() {
		if line := d.events.Text(); line != "" { // which ends an event
			d.t.Errorf("the page is told %s after the end", line)
		}
	}
	if list := d.preview.watcher.WatchList(); list != nil {
		d.t.Errorf("still watched: %q", list)
	}
	if err := errors.Join(d.events.Err(), d.server.Shutdown(d.t.Context())); err != nil {
		d.t.Error(err)
	}
	if err := <-d.served; !errors.Is(err, http.ErrServerClosed) {
		d.t.Error(err)
	}
}

// edit saves a record in one step, as editors do.
func (d *writer) edit(old, now string) {
	d.t.Helper()
	path := filepath.Join(d.preview.Dir, signal)
	data := must.Get(os.ReadFile(path))(d.t)
	if !bytes.Contains(data, []byte(old)) {
		d.t.Fatalf("%s has no %q", signal, old)
	}
	draft := filepath.Join(d.preview.Dir, "draft") // which does not count
	must.Do(d.t, errors.Join(os.WriteFile(draft, bytes.Replace(data, []byte(old), []byte(now), 1), 0o644),
		os.Rename(draft, path)))
}

// await reads what the page is told until it is what the test waits for.
func (d *writer) await(built int, findings string) {
	d.t.Helper()
	var state struct {
		Built    int
		Findings string
	}
	for d.events.Scan() {
		data, ok := strings.CutPrefix(d.events.Text(), "data: ")
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(data), &state); err != nil {
			d.t.Fatalf("%s: %v", data, err)
		}
		if state.Built == built && (state.Findings == "") == (findings == "") &&
			strings.Contains(state.Findings, findings) {
			return
		}
	}
	d.t.Fatalf("the page was last told %+v, and never of release %d with findings %q: %v", state, built, findings, d.events.Err())
}

// expect asks for the record that is written.
func (d *writer) expect(want string) {
	d.t.Helper()
	r := must.Get(d.client.Get(d.base + signalAddress))(d.t)
	defer r.Body.Close()
	if data, err := io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusOK ||
		!bytes.Contains(data, []byte(want)) {
		d.t.Errorf("%s, %v, without %q:\n%s", r.Status, err, want, data)
	}
}

// TestWriting: somebody saves a change, makes a mistake, runs into a fault of the machine, mends
// it, and ends the preview with the page still open.
func TestWriting(t *testing.T) {
	p := newPreview(starterFolder(t))
	var log bytes.Buffer
	p.Options.Log = slog.New(slog.NewTextHandler(&log, nil))
	var faulty atomic.Bool
	options := p.Build
	p.Build = func() (compiler.Options, error) {
		if faulty.Load() {
			return compiler.Options{}, errors.New("no date can be had")
		}
		return options()
	}
	d := startWriting(t, p)
	d.await(0, "")
	d.expect("cases rose in 2025")

	d.edit("rose in 2025", "fell in 2025")
	d.await(1, "")
	d.expect("cases fell in 2025")

	d.edit("signal_type: indicator_change", "signal_type: rumour")
	d.await(1, signal+`: signal_type: unknown value "rumour"`)
	d.expect("indicator_change")

	faulty.Store(true)
	d.edit("fell in 2025", "stood in 2025")
	d.await(1, "no date can be had")
	d.expect("cases fell in 2025")

	faulty.Store(false)
	d.edit("signal_type: rumour", "signal_type: trend")
	d.await(2, "")
	d.expect("cases stood in 2025")

	d.end()
	if !strings.Contains(log.String(), `level=ERROR msg="cannot build the folder; showing the previous state" error="no date can be had"`) || strings.Count(log.String(), "level=") != 1 {
		t.Errorf("the log is:\n%s", log.String())
	}
}

// TestReplaced: a folder takes the place of the one that is shown, as a version control system or a
// synchronising program may do it, and is shown and watched from then on.
func TestReplaced(t *testing.T) {
	around := t.TempDir()
	dir, other := filepath.Join(around, "folder"), filepath.Join(around, "other")
	for _, d := range []string{dir, other} {
		must.Do(t, starter.InitAt(d, specimen.Address))
	}
	p := newPreview(dir)
	d := startWriting(t, p)
	d.await(0, "")
	must.Do(t, errors.Join(os.Rename(dir, filepath.Join(around, "gone")), os.Rename(other, dir)))
	d.await(1, "")
	d.edit("rose in 2025", "fell in 2025")
	d.await(2, "")
	d.expect("cases fell in 2025")
	d.end()
}

// TestWhatIsAdded: pages of a folder that is watched have the script that reloads them, and are
// never taken from a cache. What does not change is served like any other release.
func TestWhatIsAdded(t *testing.T) {
	dir := starterFolder(t)
	files := must.Get(specimen.StarterFiles())(t)
	fixed := fstest.MapFS{}
	for path, data := range files {
		fixed[path] = &fstest.MapFile{Data: data}
	}
	for _, watched := range []bool{true, false} {
		p := newPreview(dir)
		if !watched {
			p.Files, p.Dir = fixed, ""
		}
		s := must.Get(p.Start(t.Context()))(t)
		base := listening(t, s)
		page, script := ask(t, base, "/"), ask(t, base, scriptAddress)
		if strings.Contains(page.body, `<script src="`+scriptAddress+`" defer></script></head>`) != watched ||
			(page.Header.Get("Cache-Control") == "max-age=0") != watched || page.Header.Get("ETag") != etag(page.body) {
			t.Errorf("watched %v: %v\n%s", watched, page.Header, page.body)
		}
		if (script.StatusCode == http.StatusOK) != watched {
			t.Errorf("watched %v: the script is answered with %d", watched, script.StatusCode)
		}
		records := ask(t, base, "/api/v1/graph-edges.json", "Accept-Encoding: br")
		if (records.Header.Get("Content-Encoding") == "br") == watched || strings.Contains(records.body, "script") {
			t.Errorf("watched %v: %v\n%s", watched, records.Header, records.body)
		}
		ctx, end := context.WithCancel(t.Context())
		end()
		if err := errors.Join(p.Watch(ctx), s.Shutdown(t.Context())); err != nil {
			t.Error(err)
		}
	}
}

// TestBlank: as long as the records have errors there is a page that says so, and reloads itself.
func TestBlank(t *testing.T) {
	dir := starterFolder(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, signal), []byte("id: x\n"), 0o644))
	p := newPreview(dir)
	s := must.Get(p.Start(t.Context()))(t)
	page := ask(t, listening(t, s), "/")
	if page.StatusCode != http.StatusOK || !strings.Contains(page.body, "No release yet") ||
		!strings.Contains(page.body, scriptAddress) {
		t.Errorf("%d: %s", page.StatusCode, page.body)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := errors.Join(p.Watch(ctx), s.Shutdown(t.Context())); err != nil {
		t.Error(err)
	}
}

// listening is the address of a server, which ends with its Shutdown.
func listening(t *testing.T, s *serve.Server) (base string) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	go s.Serve(l)
	return "http://" + l.Addr().String()
}

type answer struct {
	*http.Response
	body string
}

// ask asks a server, with some header lines.
func ask(t *testing.T, base, path string, lines ...string) answer {
	t.Helper()
	q := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil))(t)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			q.Host = value
		}
		q.Header.Set(name, value)
	}
	r := must.Get((&http.Transport{DisableKeepAlives: true, DisableCompression: true}).RoundTrip(q))(t)
	defer r.Body.Close()
	body := must.Get(io.ReadAll(r.Body))(t)
	return answer{r, string(body)}
}

// etag is the tag of what is sent.
func etag(body string) string {
	sum := sha256.Sum256([]byte(body))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
}

// TestOtherSites: no other site can read drafts, neither by a name of its own that leads to this
// machine, nor by a script.
func TestOtherSites(t *testing.T) {
	p := newPreview(starterFolder(t))
	s := must.Get(p.Start(t.Context()))(t)
	base := listening(t, s)
	for _, path := range []string{"/", "/api/v1/signals.json", "/api/v1/none.json", eventsAddress, scriptAddress} {
		r := ask(t, base, path, "Host: evil.example:8080")
		if r.StatusCode != http.StatusMisdirectedRequest || strings.Contains(r.body, "measles") {
			t.Errorf("%s for another host: %d %s", path, r.StatusCode, r.body)
		}
	}
	for _, path := range []string{"/", "/api/v1/signals.json", "/api/v1/none.json", scriptAddress, added + "none"} {
		r := ask(t, base, path, "Origin: https://evil.example")
		if r.Header.Get("Access-Control-Allow-Origin") != "" || r.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s for another origin: %v", path, r.Header)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := errors.Join(p.Watch(ctx), s.Shutdown(t.Context())); err != nil {
		t.Error(err)
	}
}
