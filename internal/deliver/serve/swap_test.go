//go:build unix

package serve_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/base/compress"
	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/disk/store"
	"stele/internal/testkit/heap"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// revisions are releases that differ, as files by path, and what is known of them.
type revisions struct {
	files [][]file
	of    map[string]int // which revision has a file: by path and ETag
}

type file struct {
	path string
	data []byte
}

// allRevisions are three small releases of what a new folder holds, built once. Putting them in
// place takes little time.
var allRevisions = sync.OnceValues(func() (*revisions, error) {
	records, err := specimen.Starter()
	if err != nil {
		return nil, err
	}
	e := &revisions{of: map[string]int{}}
	for i := range 3 {
		m := store.NewMemory()
		if err := build(m, records, edit(i)); err != nil {
			return nil, err
		}
		var files []file
		for path, data := range m.All() {
			files = append(files, file{path, data})
			if plain := withoutSuffix(path); plain == "manifest.json" || strings.HasPrefix(plain, "edit.") {
				e.of[plain+" "+etag(data)] = i
			}
		}
		e.files = append(e.files, files)
	}
	return e, nil
})

func newRevisions(t *testing.T) *revisions {
	t.Helper()
	e := must.Get(allRevisions())(t)
	return e
}

// withoutSuffix is the file that a variant belongs to.
func withoutSuffix(path string) string {
	for _, e := range compress.Encodings {
		path = strings.TrimSuffix(path, e.Suffix)
	}
	return path
}

func etag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
}

// put puts a revision into its place, as a build does.
func (e *revisions) put(t testing.TB, target string, n int) {
	t.Helper()
	w, err := store.NewWriter(target)
	must.Do(t, err)
	for _, f := range e.files[n] {
		if err == nil {
			err = w.Put(f.path, f.data)
		}
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(errors.Join(err, w.Abort()))
	}
}

// load asks for one thing after the other until done is closed, and looks hard at every answer.
type load struct {
	*revisions
	base     string
	requests atomic.Int64
	seen     [8]atomic.Bool // revisions
}

func (l *load) run(t *testing.T, done <-chan struct{}, worker int) {
	c := client(t)
	paths := []string{"/edit.txt", "/manifest.json", "/edit.html", "/api/v1/signals.json", "/api/v1/signals/sig-example-rise.json", "/api/v1/graph-nodes.json", "/index/entities.json"}
	tags := map[string]string{}
	for i := worker; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		path := paths[i%len(paths)]
		q, err := http.NewRequest(http.MethodGet, l.base+path, nil)
		if err != nil {
			t.Error(err)
			return
		}
		switch i % 5 {
		case 1:
			q.Header.Set("Accept-Encoding", "gzip")
		case 2:
			q.Header.Set("If-None-Match", tags[path])
		case 3:
			q.Header.Set("Range", "bytes=-10")
		case 4:
			q.Header.Set("X-Unknown", "1")
		}
		if err := l.ask(c, q, tags); err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		l.requests.Add(1)
	}
}

// ask makes sure that an answer is one thing.
func (l *load) ask(c *http.Client, q *http.Request, tags map[string]string) error {
	answer, err := c.Do(q)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	path, tag := q.URL.Path[1:], answer.Header.Get("ETag")
	plain := tag
	if path == "manifest.json" && answer.Header.Get("Content-Encoding") == "gzip" { // which the server made
		if plain, err = tagInside(body); err != nil {
			return err
		}
	}
	n, known := l.of[path+" "+plain]
	if strings.HasPrefix(path, "edit.") || path == "manifest.json" {
		if !known {
			return fmt.Errorf("the tag %s is of no release", tag)
		}
		l.seen[n].Store(true)
	}
	switch {
	case answer.StatusCode == http.StatusNotModified && tag == q.Header.Get("If-None-Match") && len(body) == 0:
		return nil
	case answer.StatusCode == http.StatusPartialContent && len(body) == 10:
		if path == "edit.txt" && string(body) != fmt.Sprintf("%010d", n) {
			return fmt.Errorf("a part of release %d is %q", n, body)
		}
		return nil
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("answered %s: %.200s", answer.Status, body)
	}
	sum := sha256.Sum256(body)
	if digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"; digest != answer.Header.Get("Repr-Digest") ||
		tag != etag(body) {
		return fmt.Errorf("%d bytes, which are not those of Repr-Digest and ETag", len(body))
	}
	if answer.Header.Get("Content-Encoding") == "" {
		tags[q.URL.Path] = tag
	}
	return nil
}

// tagInside is the tag of what is compressed in a body.
func tagInside(body []byte) (string, error) {
	in, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(in)
	return etag(data), err
}

// underLoad swaps a number of times while two clients ask, and makes sure that the later swaps
// leave nothing that the earlier ones did not.
func (e *revisions) underLoad(t *testing.T, base string, swaps int, swap func(i int)) {
	t.Helper()
	l := &load{revisions: e, base: base}
	done := make(chan struct{})
	var group sync.WaitGroup
	for worker := range 2 {
		group.Go(func() { l.run(t, done, worker) })
	}
	var used uint64
	var files int
	for i := 0; i < swaps || i < 100*swaps && !l.sawAll(); i++ {
		swap(i)
		if i == swaps/5 {
			used, files = heap.Live(), openFiles(t)
		}
	}
	usedAfter, filesAfter := heap.Live(), openFiles(t)
	close(done)
	group.Wait()
	const slack = 24 << 20 // of what is being sent
	if usedAfter > used+slack || filesAfter > files+20 {
		t.Errorf("after %d swaps there are %d bytes and %d open files, after %d there were %d and %d", swaps, usedAfter, filesAfter, swaps/5, used, files)
	}
	if !l.sawAll() {
		t.Error("there is a release that no answer came from")
	}
	t.Logf("%d swaps, %d requests", swaps, l.requests.Load())
}

// sawAll reports whether there was an answer from every release.
func (l *load) sawAll() bool {
	for n := range l.revisions.files {
		if !l.seen[n].Load() {
			return false
		}
	}
	return true
}

// TestSwaps exchanges libraries a thousand times, in memory and from files by turns.
func TestSwaps(t *testing.T) { expectSwaps(t, "http://", serve.Options{}, 1000) }

// TestSwapsHTTP2 does so while clients speak HTTP/2.
func TestSwapsHTTP2(t *testing.T) {
	expectSwaps(t, "https://", serve.Options{TLS: secureOptions(t)}, 300)
}

func expectSwaps(t *testing.T, scheme string, opt serve.Options, swaps int) {
	if testing.Short() {
		swaps /= 10
	}
	e := newRevisions(t)
	zips := make([]string, len(e.files))
	for i := range zips {
		zips[i] = target(t, "release.zip")
		e.put(t, zips[i], i)
	}
	leavesNothing(t)
	open := func(i int) *library.Library {
		opt := serve.Options{Memory: []int64{0, 1}[i%2]}
		r, closer, err := store.Open(zips[i%len(zips)])
		must.Do(t, err)
		l := must.Get(library.Open(r, time.Now(), opt.Library(), closer))(t)
		return l
	}
	s := serve.New(open(0), opt)
	e.underLoad(t, scheme+listening(t, s), swaps, func(i int) {
		must.Do(t, s.Swap(open(i)))
	})
}

// TestLongFollowedSwaps replaces releases on disk while they are served, in all ways that they can
// lie there.
func TestLongFollowedSwaps(t *testing.T) {
	long.Only(t)
	e, swaps := newRevisions(t), 150
	if testing.Short() {
		swaps = 15
	}
	for _, name := range []string{"public", "release.zip"} {
		for _, memory := range []int64{0, 1} {
			t.Run(fmt.Sprintf("%s-%d", name, memory), func(t *testing.T) {
				at := target(t, name)
				e.put(t, at, 0)
				leavesNothing(t)
				var log logged
				f := must.Get(serve.Follow(
					at,
					store.NewSource(at),
					serve.Options{Memory: memory, Log: slog.New(slog.NewTextHandler(&log, nil))},
				))(t)
				e.underLoad(t, "http://"+listening(t, f.Server()), swaps, func(i int) {
					e.put(t, at, i%len(e.files))
					f.Look(i%10 == 0)
				})
				if strings.Contains(log.String(), "level=ERROR") || strings.Contains(log.String(), "level=WARN") {
					t.Errorf("there were errors: %.1000s", log.String())
				}
			})
		}
	}
}

// busyPlace is a place at which something happens as soon as it is opened.
type busyPlace struct {
	*store.Source
	after func()
}

func (p busyPlace) Open() (*release.Release, time.Time, func() error, error) {
	r, modified, closer, err := p.Source.Open()
	p.after()
	return r, modified, closer, err
}

// TestReplacedWhileOpened: a release whose files go away while they are read is not damaged. There
// is another one by then.
func TestReplacedWhileOpened(t *testing.T) {
	e := newRevisions(t)
	leavesNothing(t)
	at := target(t, "public")
	e.put(t, at, 0)
	var log logged
	next := 1
	place := busyPlace{store.NewSource(at), func() {
		if next < len(e.files) {
			e.put(t, at, next)
			next++
		}
	}}
	f := must.Get(serve.Follow(at, place, serve.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}))(t)
	_, body := fetch(t, client(t), "http://"+listening(t, f.Server())+"/edit.txt")
	if !bytes.HasSuffix(body, []byte("00002")) || log.String() != "" {
		t.Errorf("release …%s is served; the log says %q", body[len(body)-5:], log.String())
	}
}

// TestFollowerRuns: nobody has to tell the follower that there is a new release, but somebody can.
func TestFollowerRuns(t *testing.T) {
	e := newRevisions(t)
	leavesNothing(t)
	at := target(t, "public")
	e.put(t, at, 0)
	f := must.Get(serve.Follow(at, store.NewSource(at), serve.Options{}))(t)
	base := "http://" + listening(t, f.Server())
	ctx, cancel := context.WithCancel(t.Context())
	hangup := make(chan os.Signal, 1)
	ended := make(chan struct{})
	go func() {
		f.Run(ctx, hangup)
		close(ended)
	}()
	defer func() {
		cancel()
		<-ended
	}()
	serves := func(n int) func() bool {
		return func() bool {
			_, body := fetch(t, client(t), base+"/edit.txt")
			return bytes.HasSuffix(body, fmt.Appendf(nil, "%05d", n))
		}
	}
	e.put(t, at, 1)
	await(t, "the next release", serves(1))
	e.put(t, at, 2)
	hangup <- os.Interrupt
	await(t, "the one after", serves(2))
	before := f.Server().Library()
	hangup <- os.Interrupt
	await(t, "the same one to be opened again", func() bool { return f.Server().Library() != before })
}
