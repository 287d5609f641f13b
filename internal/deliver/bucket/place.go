package bucket

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/deliver/serve"
	"stele/internal/disk/durable"
	"stele/internal/disk/store"
	"stele/release"
)

// PlaceOptions are those of a place in a bucket.
type PlaceOptions struct {
	Cache string        // the folder in which packs are kept
	Every time.Duration // how often the pointer is asked for; default five seconds
	Bytes int64         // how much the packs in the cache may have; default 32 GiB
	Log   *slog.Logger
	// Refused counts a pointer that is not followed, by the reason; may be nil.
	Refused func(reason string)
}

// Place follows the pointer of a bucket: it brings the packs that the pointer names into a cache,
// and opens them there. As long as the bucket cannot be reached, what is in the cache is good. It
// is for one goroutine at a time; what it measures is for all.
type Place struct {
	ctx    context.Context
	bucket *Bucket
	opt    PlaceOptions
	unlock func()

	asked    time.Time                // when the pointer was asked for last
	known    *Pointer                 // the newest one that was seen
	modified time.Time                // when it was written
	last     *Pack                    // what this or an earlier process served last
	serving  bool                     // whether this process serves it
	opened   *Pack                    // what was opened, and is served or refused
	refused  map[release.Digest]error // why packs were, by their digests
	held     string                   // the pack of the cache that has its digest, as this process saw
	tried    release.Digest           // the pack that was tried last, and could not be had
	failures int                      // how often in a row
	notUntil time.Time                // when that is tried again
	measures measures
}

// pointerState is why the pointer of a bucket is not followed.
type pointerState struct {
	kind string // one of those below
	text string
	push string // the mark of the pointer
}

type measures struct {
	began    time.Time
	reached  atomic.Int64 // when the pointer was read last, in nanoseconds
	named    atomic.Pointer[named]
	state    atomic.Pointer[pointerState] // nil if the pointer is followed
	refusal  atomic.Pointer[refusal]      // of the release that was refused last
	fetched  atomic.Int64                 // bytes of packs
	reused   atomic.Int64                 // bytes of packs that came from the older one
	serial   atomic.Int64                 // of the pointer
	failures atomic.Int64                 // to read the pointer or a pack
}

// named is what the pointer names, and since when that is known.
type named struct {
	release string
	since   time.Time
}

// refusal is why a release is not served.
type refusal struct{ release, reason, why string }

func newRefusal(pack *Pack, err error) *refusal {
	return &refusal{pack.Release, serve.ReasonOf(err), err.Error()}
}

// cached is the file with the pointer whose pack was served last. That counts when the bucket is
// away, or has none that is good.
const cached = "current.json"

// At is the place in a bucket. The cache is that of this process alone.
func (b *Bucket) At(ctx context.Context, opt PlaceOptions) (*Place, error) {
	if opt.Every <= 0 {
		opt.Every = 5 * time.Second
	}
	if opt.Bytes <= 0 {
		opt.Bytes = 32 << 30
	}
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))
	if err := os.MkdirAll(opt.Cache, 0o755); err != nil {
		return nil, err
	}
	unlock, err := durable.Lock(filepath.Join(opt.Cache, "lock"))
	if errors.Is(err, durable.ErrBusy) {
		return nil, fmt.Errorf("another process uses the cache %s: give each server a folder of its own", opt.Cache)
	}
	if err != nil {
		return nil, err
	}
	p := &Place{ctx: ctx, bucket: b, opt: opt, unlock: unlock, refused: map[release.Digest]error{}}
	p.measures.began = time.Now()
	if data, err := os.ReadFile(filepath.Join(opt.Cache, cached)); err == nil {
		if known, err := decodePointer(data); err == nil {
			p.known, p.last = known, known.Current
		}
	}
	return p, nil
}

// Close lets the cache go to others. What was opened stays open.
func (p *Place) Close() error {
	p.unlock()
	return p.bucket.Close()
}

// Changed reports whether there is another pack to open than the one that is served. It asks the
// bucket no more often than it was told to.
func (p *Place) Changed() (bool, error) {
	if time.Since(p.asked) >= p.opt.Every {
		p.ask() // what is known is followed if that fails
	}
	if p.known == nil {
		return false, fs.ErrNotExist
	}
	p.settle()
	next := p.candidates()
	if len(next) == 0 || p.serving && next[0].SHA256 == p.last.SHA256 {
		return false, nil
	}
	return p.tried != next[0].SHA256 || time.Now().After(p.notUntil), nil
}

// Served says that what was opened last is served. Only then older ones leave the cache, and the
// next process begins with it.
func (p *Place) Served() {
	if p.opened == nil {
		return
	}
	before := p.last
	p.last, p.opened, p.serving = p.opened, nil, true
	if err := p.remember(); err != nil {
		p.opt.Log.Warn("the cache cannot be written to", "error", err)
	}
	p.sweep(p.path(p.last), p.path(before)) // which may still be read from
}

// GaveUp reports whether the publisher gave a release up on purpose.
func (p *Place) GaveUp(release string) bool {
	return p.known != nil && slices.Contains(p.known.GaveUp, release)
}

// Refused says that what was opened last cannot be served. Where the machine is the reason, such as
// a full disk, it is tried again after a pause.
func (p *Place) Refused(err error) {
	if p.opened == nil {
		return
	}
	p.measures.refusal.Store(newRefusal(p.opened, err))
	if errors.As(err, new(syscall.Errno)) {
		p.later(p.opened)
	} else {
		p.refused[p.opened.SHA256] = err
	}
	p.opened = nil
}

// later lets a pack be tried again after a pause, which grows.
func (p *Place) later(pack *Pack) {
	p.measures.failures.Add(1)
	if p.tried != pack.SHA256 {
		p.failures = 0
	}
	p.tried = pack.SHA256
	p.failures = min(p.failures+1, 6)
	p.notUntil = time.Now().Add(p.opt.Every << p.failures)
}

// Await waits until there is a release in the bucket, or in the cache.
func (p *Place) Await(ctx context.Context) error {
	for p.known == nil {
		if err := p.ask(); err != nil && !errors.Is(err, ErrEmpty) {
			return err
		}
		if p.known != nil {
			p.asked = time.Time{}
			return nil
		}
		select {
		case <-time.After(p.opt.Every):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// settle takes what was opened and is not served for refused.
func (p *Place) settle() {
	if p.opened != nil {
		p.refused[p.opened.SHA256] = errNotServed
		p.opened = nil
	}
}

var errNotServed = errors.New("it was opened and not served")

// candidates are the packs to open, the best first: the current one, and where this process serves
// none yet, the one that was served last and those that the bucket keeps. What was refused is not
// among them.
func (p *Place) candidates() (list []*Pack) {
	add := func(pack *Pack) {
		same := func(other *Pack) bool { return other.SHA256 == pack.SHA256 }
		if p.refused[pack.SHA256] == nil && !slices.ContainsFunc(list, same) {
			list = append(list, pack)
		}
	}
	add(p.known.Current)
	if p.serving {
		return list
	}
	if p.last != nil {
		add(p.last)
	}
	for i := range p.known.Kept {
		add(&p.known.Kept[i])
	}
	return list
}

// ask reads the pointer. One that is older than the one that was seen is not followed: some copy of
// the bucket is out of date.
func (p *Place) ask() error {
	p.asked = time.Now()
	s, _, err := p.bucket.Find(p.ctx, "")
	if err != nil {
		p.measures.failures.Add(1)
		kind, text := layout.BehindUnreadable, "The bucket cannot be read: "+err.Error()
		if errors.Is(err, ErrEmpty) {
			kind, text = layout.BehindMissing, "The bucket has no release: this server waits for one"
		}
		p.enter(&pointerState{kind, text, ""})
		return err
	}
	p.measures.reached.Store(p.asked.UnixNano())
	p.measures.serial.Store(s.Serial)
	if was := p.measures.named.Load(); was == nil || was.release != s.Current.Release {
		p.measures.named.Store(&named{s.Current.Release, p.asked})
	}
	switch {
	case p.known != nil && s.Serial < p.known.Serial:
		p.enter(&pointerState{layout.BehindOlder, fmt.Sprintf("The bucket has pointer %d, and this server saw pointer %d: the bucket was made anew, or an old copy of it was restored. stele publish goes on above the pointer that it wrote last; otherwise stop this server, empty %s and start it again",
			s.Serial, p.known.Serial, p.opt.Cache), s.Push})
		return nil
	case p.known == nil || s.Push != p.known.Push || s.Current.SHA256 != p.known.Current.SHA256:
		p.known, p.modified = s.Pointer, s.Modified
	}
	p.enter(nil)
	return nil
}

// enter notes why the pointer is not followed, or nil if it is, and logs a change.
func (p *Place) enter(is *pointerState) {
	was := p.measures.state.Swap(is)
	switch {
	case is == nil && was != nil:
		p.opt.Log.Info("the pointer of the bucket is followed again", "bucket", p.bucket.name)
	case is != nil && (was == nil || was.kind != is.kind || was.push != is.push):
		p.opt.Log.Warn("the pointer of the bucket is not followed", "bucket", p.bucket.name, "reason", is.kind, "because", is.text)
		if is.kind == layout.BehindOlder && p.opt.Refused != nil {
			p.opt.Refused(is.kind)
		}
	}
}

// Behind returns why the latest release may not be the one that is served, or "".
func (p *Place) Behind(serving string) (reason, text string) {
	if s := p.measures.state.Load(); s != nil {
		return s.kind, s.text
	}
	n := p.measures.named.Load()
	if n == nil || n.release == serving {
		return "", ""
	}
	why := "it is being fetched"
	reason = layout.BehindFetching
	if r := p.measures.refusal.Load(); r != nil && r.release == n.release {
		reason, why = r.reason, r.why
	}
	return reason, fmt.Sprintf("The pointer names release %s, which is not served: %s", n.release, why)
}

// path is where a pack lies in the cache; "" for none.
func (p *Place) path(pack *Pack) string {
	if pack == nil {
		return ""
	}
	return filepath.Join(p.opt.Cache, nameOf(pack.Release, pack.SHA256))
}

// Open opens the pack that the pointer names, and fetches it where it is not in the cache. A
// process that serves nothing yet begins with an older one if that cannot be had or was refused.
func (p *Place) Open() (r *release.Release, modified time.Time, closer func() error, err error) {
	if p.asked.IsZero() {
		err = p.ask()
	}
	if p.known == nil {
		if err == nil {
			err = p.ask()
		}
		return nil, modified, nil, fmt.Errorf("there is nothing in the cache, and the bucket cannot be read: %w", err)
	}
	p.settle()
	next := p.candidates()
	if len(next) == 0 { // somebody asks for it again
		clear(p.refused)
		next = p.candidates()
	}
	for _, pack := range next {
		failure := p.bring(pack, p.path(pack))
		if failure == nil {
			r, closer, failure = store.Open(p.path(pack))
		}
		if failure != nil {
			p.measures.refusal.Store(newRefusal(pack, failure))
			err = errors.Join(err, failure)
			continue
		}
		if pack.SHA256 != p.known.Current.SHA256 {
			p.opt.Log.Warn("the release that the pointer names cannot be served; an older one is", "release", p.known.Current.Release,
				"older", pack.Release, "error", errors.Join(err, p.refused[p.known.Current.SHA256]))
		}
		p.opened = pack
		if modified = pack.Pushed; modified.IsZero() {
			modified = p.modified
		}
		return r, modified, closer, nil
	}
	p.later(next[0])
	return nil, modified, nil, err
}

// bring makes sure that a pack is in the cache, and is what the pointer says.
func (p *Place) bring(pack *Pack, path string) error {
	if f, err := os.Open(path); err == nil && p.held == path {
		return f.Close() // it was only to see whether it is there
	} else if err == nil {
		err = errors.Join(pack.hold(f), f.Close())
		if err == nil {
			p.held = path
			return nil
		}
		p.opt.Log.Warn("what is in the cache is damaged, and is fetched again", "path", path, "error", err)
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	older := p.path(p.last)
	if _, err := os.Stat(older); err != nil {
		older = p.newest()
	}
	if pack.Size > p.opt.Bytes {
		return &TooLargeError{pack.Size, p.opt.Bytes}
	}
	p.sweep(older, p.path(p.last))
	// Making a pack takes memory that serving it does not.
	defer debug.FreeOSMemory()
	defer compress.FreeWriters()
	before := p.bucket.counts.Received.Load()
	if _, err := p.bucket.bring(p.ctx, p.known, pack, p.opt.Cache, p.opt.Bytes, nil); err != nil {
		return err
	}
	received := p.bucket.counts.Received.Load() - before
	p.measures.fetched.Add(received)
	p.measures.reused.Add(max(0, pack.Size-received))
	p.held = path
	return nil
}

// newest is a pack of the cache to take parts from, or "".
func (p *Place) newest() (path string) {
	var newest time.Time
	entries, _ := os.ReadDir(p.opt.Cache) // without it all is fetched
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasSuffix(e.Name(), ".zip") && info.ModTime().After(newest) {
			path, newest = filepath.Join(p.opt.Cache, e.Name()), info.ModTime()
		}
	}
	return path
}

// remember writes down which pack is served, for a start without the bucket.
func (p *Place) remember() error {
	served := *p.known
	served.Current = p.last
	data, err := json.Marshal(served)
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(p.opt.Cache, cached), data, 0o644)
}

// sweep removes the packs from the cache but some. One that is still open stays readable
// until it is closed, on systems that have such files.
func (p *Place) sweep(but ...string) {
	entries, _ := os.ReadDir(p.opt.Cache) // the next one removes what this leaves
	for _, e := range entries {
		path := filepath.Join(p.opt.Cache, e.Name())
		if !strings.HasSuffix(e.Name(), ".zip") && !strings.HasSuffix(e.Name(), ".part") {
			continue
		}
		if !slices.Contains(but, path) {
			os.Remove(path)
		}
	}
}

// Measures tell how a place stands to its bucket, for a server that serves a release. Several
// goroutines may ask.
func (p *Place) Measures(serving string) []serve.Measure {
	m := &p.measures
	age, lag := time.Since(m.began).Seconds(), 0.0
	if at := m.reached.Load(); at != 0 {
		age = time.Since(time.Unix(0, at)).Seconds()
	}
	if n := m.named.Load(); n != nil && n.release != serving {
		lag = time.Since(n.since).Seconds()
	}
	list := []serve.Measure{
		{Name: "stele_bucket_pointer_serial", Help: "Serial of the pointer that was read last.", Value: float64(m.serial.Load())},
		{Name: "stele_bucket_pointer_age_seconds", Help: "Time since the pointer could be read, or since the start if it never could.", Value: age},
		{Name: "stele_bucket_lag_seconds", Help: "Time since the pointer names another release than the one that is served; 0 if it does not.", Value: lag},
		{Name: "stele_bucket_fetched_bytes_total", Help: "Bytes of releases that were fetched.", Value: float64(m.fetched.Load()), Total: true},
		{Name: "stele_bucket_reused_bytes_total", Help: "Bytes of releases that were taken from the one before.", Value: float64(m.reused.Load()), Total: true},
		{Name: "stele_bucket_failures_total", Help: "Times that the pointer or a release could not be read.", Value: float64(m.failures.Load()), Total: true},
	}
	if free, ok := freeBytes(p.opt.Cache); ok {
		list = append(list, serve.Measure{Name: "stele_bucket_free_bytes", Help: "Bytes that the next release may have in the cache.", Value: min(free, float64(p.opt.Bytes))})
	}
	return list
}
