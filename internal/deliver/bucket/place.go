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

// PlaceOptions configure a Place.
type PlaceOptions struct {
	Cache string        // folder for packs
	Every time.Duration // how often the pointer is read; default five seconds
	Bytes int64         // maximum size of the packs in the cache; default 32 GiB
	Log   *slog.Logger
	// Refused counts a pointer that is not followed, by reason; may be nil.
	Refused func(reason string)
}

// Place follows the pointer of a bucket: it downloads the packs that the pointer names into a
// cache, and opens them there. While the bucket is unreachable, it uses the cache. Only Measures
// and Behind are safe for concurrent use.
type Place struct {
	ctx    context.Context
	bucket *Bucket
	opt    PlaceOptions
	unlock func()

	pointerRead  time.Time                // when the pointer was last read
	known        *Pointer                 // the latest pointer
	modified     time.Time                // when that pointer was written
	last         *Pack                    // the pack that this or an earlier process served last
	serving      bool                     // whether this process serves it
	opened       *Pack                    // the pack that was opened, until it is served or refused
	refusedPacks map[release.Digest]error // why packs were refused, by digest
	checked      string                   // a pack in the cache whose digest this process has checked
	tried        release.Digest           // the last pack that could not be downloaded
	failures     int                      // in a row
	notUntil     time.Time                // when the download is tried again
	measures     measures
}

// pointerState is the reason for not following the pointer.
type pointerState struct {
	kind string // one of layout.BehindReasons
	text string
	push string // the mark of the pointer
}

type measures struct {
	began    time.Time
	reached  atomic.Int64 // when the pointer was last read, in nanoseconds
	named    atomic.Pointer[named]
	state    atomic.Pointer[pointerState] // nil if the pointer is followed
	refusal  atomic.Pointer[refusal]      // of the last refused release
	fetched  atomic.Int64                 // bytes of packs
	reused   atomic.Int64                 // bytes of packs that were copied from the previous pack
	serial   atomic.Int64                 // of the pointer
	failures atomic.Int64                 // of reading the pointer or a pack
}

// named is the release that the pointer names, and when this process first read that pointer.
type named struct {
	release string
	since   time.Time
}

// refusal is the reason for not serving a release.
type refusal struct{ release, reason, why string }

func newRefusal(pack *Pack, err error) *refusal {
	return &refusal{pack.Release, serve.ReasonOf(err), err.Error()}
}

// cached is the name of the file with the pointer whose pack was served last. It is used if the
// bucket is unreachable or has no valid release.
const cached = "current.json"

// At returns a place that follows the bucket. Only one process can use the cache folder.
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
		return nil, fmt.Errorf("another process uses the cache %s: give each server its own folder", opt.Cache)
	}
	if err != nil {
		return nil, err
	}
	p := &Place{ctx: ctx, bucket: b, opt: opt, unlock: unlock, refusedPacks: map[release.Digest]error{}}
	p.measures.began = time.Now()
	if data, err := os.ReadFile(filepath.Join(opt.Cache, cached)); err == nil {
		if known, err := decodePointer(data); err == nil {
			p.known, p.last = known, known.Current
		}
	}
	return p, nil
}

// Close unlocks the cache and closes the bucket. Opened releases stay open.
func (p *Place) Close() error {
	p.unlock()
	return p.bucket.Close()
}

// Changed reports whether a pack other than the served one can be opened. It reads the pointer at
// most once in the time that opt.Every says.
func (p *Place) Changed() (bool, error) {
	if time.Since(p.pointerRead) >= p.opt.Every {
		p.readPointer() // after an error, the known pointer is used
	}
	if p.known == nil {
		return false, fs.ErrNotExist
	}
	p.markUnservedRefused()
	next := p.candidates()
	if len(next) == 0 || p.serving && next[0].SHA256 == p.last.SHA256 {
		return false, nil
	}
	return p.tried != next[0].SHA256 || time.Now().After(p.notUntil), nil
}

// MarkServed records that the opened release is now served. It removes older packs from the cache,
// and the next process starts with this pack.
func (p *Place) MarkServed() {
	if p.opened == nil {
		return
	}
	before := p.last
	p.last, p.opened, p.serving = p.opened, nil, true
	if err := p.savePointer(); err != nil {
		p.opt.Log.Warn("cannot write to the cache", "error", err)
	}
	p.removePacksExcept(p.path(p.last), p.path(before)) // before may still be read from
}

// GaveUp reports whether the publisher gave up the given release on purpose.
func (p *Place) GaveUp(release string) bool {
	return p.known != nil && slices.Contains(p.known.GaveUp, release)
}

// MarkRefused records that the opened release cannot be served because of err. If the cause is this
// machine (such as a full disk), the release is tried again after a pause.
func (p *Place) MarkRefused(err error) {
	if p.opened == nil {
		return
	}
	p.measures.refusal.Store(newRefusal(p.opened, err))
	if errors.As(err, new(syscall.Errno)) {
		p.retryLater(p.opened)
	} else {
		p.refusedPacks[p.opened.SHA256] = err
	}
	p.opened = nil
}

// retryLater schedules another attempt to open a pack. The pause grows with each attempt.
func (p *Place) retryLater(pack *Pack) {
	p.measures.failures.Add(1)
	if p.tried != pack.SHA256 {
		p.failures = 0
	}
	p.tried = pack.SHA256
	p.failures = min(p.failures+1, 6)
	p.notUntil = time.Now().Add(p.opt.Every << p.failures)
}

// Await waits until the bucket or the cache contains a release.
func (p *Place) Await(ctx context.Context) error {
	for p.known == nil {
		if err := p.readPointer(); err != nil && !errors.Is(err, ErrEmpty) {
			return err
		}
		if p.known != nil {
			p.pointerRead = time.Time{}
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

// markUnservedRefused marks a release that was opened but not served as refused.
func (p *Place) markUnservedRefused() {
	if p.opened != nil {
		p.refusedPacks[p.opened.SHA256] = errNotServed
		p.opened = nil
	}
}

var errNotServed = errors.New("it was opened but not served")

// candidates returns the packs to open, in order of preference: the current one and, if this
// process serves none yet, the one served last and those that the bucket keeps. Refused packs are
// omitted.
func (p *Place) candidates() (list []*Pack) {
	add := func(pack *Pack) {
		same := func(other *Pack) bool { return other.SHA256 == pack.SHA256 }
		if p.refusedPacks[pack.SHA256] == nil && !slices.ContainsFunc(list, same) {
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

// readPointer reads the pointer. It ignores a pointer with a lower serial than an earlier one,
// because the bucket is then an outdated copy.
func (p *Place) readPointer() error {
	p.pointerRead = time.Now()
	s, _, err := p.bucket.Find(p.ctx, "")
	if err != nil {
		p.measures.failures.Add(1)
		kind, text := layout.BehindUnreadable, "Cannot read the bucket: "+err.Error()
		if errors.Is(err, ErrEmpty) {
			kind, text = layout.BehindMissing, "The bucket contains no release yet"
		}
		p.setState(&pointerState{kind, text, ""})
		return err
	}
	p.measures.reached.Store(p.pointerRead.UnixNano())
	p.measures.serial.Store(s.Serial)
	if was := p.measures.named.Load(); was == nil || was.release != s.Current.Release {
		p.measures.named.Store(&named{s.Current.Release, p.pointerRead})
	}
	switch {
	case p.known != nil && s.Serial < p.known.Serial:
		p.setState(&pointerState{layout.BehindOlder, fmt.Sprintf("The bucket has pointer %d, but this server has seen pointer %d: the bucket was created again, or an old copy of it was restored. stele publish continues after the last pointer that it wrote; otherwise stop this server, empty %s and start it again",
			s.Serial, p.known.Serial, p.opt.Cache), s.Push})
		return nil
	case p.known == nil || s.Push != p.known.Push || s.Current.SHA256 != p.known.Current.SHA256:
		p.known, p.modified = s.Pointer, s.Modified
	}
	p.setState(nil)
	return nil
}

// setState stores the reason for not following the pointer (nil if the pointer is followed), and
// logs changes.
func (p *Place) setState(is *pointerState) {
	was := p.measures.state.Swap(is)
	switch {
	case is == nil && was != nil:
		p.opt.Log.Info("following the pointer of the bucket again", "bucket", p.bucket.name)
	case is != nil && (was == nil || was.kind != is.kind || was.push != is.push):
		p.opt.Log.Warn("cannot follow the pointer of the bucket", "bucket", p.bucket.name, "reason", is.kind, "because", is.text)
		if is.kind == layout.BehindOlder && p.opt.Refused != nil {
			p.opt.Refused(is.kind)
		}
	}
}

// LagReason returns the reason why serving, the ID of the served release, may not be the latest
// release, or "".
func (p *Place) LagReason(serving string) (reason, text string) {
	if s := p.measures.state.Load(); s != nil {
		return s.kind, s.text
	}
	n := p.measures.named.Load()
	if n == nil || n.release == serving {
		return "", ""
	}
	why := "it is being downloaded"
	reason = layout.BehindFetching
	if r := p.measures.refusal.Load(); r != nil && r.release == n.release {
		reason, why = r.reason, r.why
	}
	return reason, fmt.Sprintf("The pointer names release %s, which is not served: %s", n.release, why)
}

// path returns the path of a pack in the cache, or "" for nil.
func (p *Place) path(pack *Pack) string {
	if pack == nil {
		return ""
	}
	return filepath.Join(p.opt.Cache, nameOf(pack.Release, pack.SHA256))
}

// Open opens the pack that the pointer names, and downloads it unless it is in the cache. A process
// that serves nothing yet falls back to an older pack if the current one cannot be downloaded or
// was refused.
func (p *Place) Open() (r *release.Release, modified time.Time, closer func() error, err error) {
	if p.pointerRead.IsZero() {
		err = p.readPointer()
	}
	if p.known == nil {
		if err == nil {
			err = p.readPointer()
		}
		return nil, modified, nil, fmt.Errorf("the cache is empty, and the bucket cannot be read: %w", err)
	}
	p.markUnservedRefused()
	next := p.candidates()
	if len(next) == 0 { // the same release was requested again
		clear(p.refusedPacks)
		next = p.candidates()
	}
	for _, pack := range next {
		failure := p.ensureCached(pack, p.path(pack))
		if failure == nil {
			r, closer, failure = store.Open(p.path(pack))
		}
		if failure != nil {
			p.measures.refusal.Store(newRefusal(pack, failure))
			err = errors.Join(err, failure)
			continue
		}
		if pack.SHA256 != p.known.Current.SHA256 {
			p.opt.Log.Warn("cannot serve the release that the pointer names; serving an older one", "release", p.known.Current.Release,
				"older", pack.Release, "error", errors.Join(err, p.refusedPacks[p.known.Current.SHA256]))
		}
		p.opened = pack
		if modified = pack.Pushed; modified.IsZero() {
			modified = p.modified
		}
		return r, modified, closer, nil
	}
	p.retryLater(next[0])
	return nil, modified, nil, err
}

// ensureCached makes sure that the cache contains the pack with the right digest.
func (p *Place) ensureCached(pack *Pack, path string) error {
	if f, err := os.Open(path); err == nil && p.checked == path {
		return f.Close() // opened only to see whether it exists
	} else if err == nil {
		err = errors.Join(pack.checkDigest(f), f.Close())
		if err == nil {
			p.checked = path
			return nil
		}
		p.opt.Log.Warn("damaged pack in the cache; downloading it again", "path", path, "error", err)
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	older := p.path(p.last)
	if _, err := os.Stat(older); err != nil {
		older = p.newestPack()
	}
	if pack.Size > p.opt.Bytes {
		return &TooLargeError{pack.Size, p.opt.Bytes}
	}
	p.removePacksExcept(older, p.path(p.last))
	// Building a pack takes memory that serving it does not.
	defer debug.FreeOSMemory()
	defer compress.FreeWriters()
	before := p.bucket.counts.Received.Load()
	if _, err := p.bucket.download(p.ctx, p.known, pack, p.opt.Cache, p.opt.Bytes, nil); err != nil {
		return err
	}
	received := p.bucket.counts.Received.Load() - before
	p.measures.fetched.Add(received)
	p.measures.reused.Add(max(0, pack.Size-received))
	p.checked = path
	return nil
}

// newestPack returns the path of the newest pack in the cache, whose parts can be copied, or "".
func (p *Place) newestPack() (path string) {
	var newest time.Time
	entries, _ := os.ReadDir(p.opt.Cache) // after an error, everything is downloaded
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasSuffix(e.Name(), ".zip") && info.ModTime().After(newest) {
			path, newest = filepath.Join(p.opt.Cache, e.Name()), info.ModTime()
		}
	}
	return path
}

// savePointer saves which pack is served, so that a server can start while the bucket is
// unreachable.
func (p *Place) savePointer() error {
	served := *p.known
	served.Current = p.last
	data, err := json.Marshal(served)
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(p.opt.Cache, cached), data, 0o644)
}

// removePacksExcept deletes all packs from the cache except those named. On Unix, an open file
// stays readable until it is closed.
func (p *Place) removePacksExcept(but ...string) {
	entries, _ := os.ReadDir(p.opt.Cache) // the next sweep deletes what this one leaves
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

// Measures returns metrics of the place, for the server of a release. It is safe for concurrent
// use.
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
		{Name: "stele_bucket_pointer_serial", Help: "Serial of the last pointer read.", Value: float64(m.serial.Load())},
		{Name: "stele_bucket_pointer_age_seconds", Help: "Seconds since the pointer was last read, or since the start if it never was.", Value: age},
		{Name: "stele_bucket_lag_seconds", Help: "Seconds since the pointer first named a release other than the one served; 0 if they are the same.", Value: lag},
		{Name: "stele_bucket_fetched_bytes_total", Help: "Bytes of releases downloaded.", Value: float64(m.fetched.Load()), Total: true},
		{Name: "stele_bucket_reused_bytes_total", Help: "Bytes of releases copied from the previous release.", Value: float64(m.reused.Load()), Total: true},
		{Name: "stele_bucket_failures_total", Help: "Failed attempts to read the pointer or a release.", Value: float64(m.failures.Load()), Total: true},
	}
	if free, ok := freeBytes(p.opt.Cache); ok {
		list = append(list, serve.Measure{Name: "stele_bucket_free_bytes", Help: "Bytes available for the next release in the cache.", Value: min(free, float64(p.opt.Bytes))})
	}
	return list
}
