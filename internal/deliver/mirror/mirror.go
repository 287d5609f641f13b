// Package mirror keeps a verified copy of a release that a service serves.
//
// A copy is itself a release. Missing files are downloaded. Files that can be derived from others
// are built locally, and accepted only if they have the digest in the manifest. The copy changes
// only after a new release is complete.
package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
	"stele/release"
)

// Options configure a mirror.
type Options struct {
	Parts []string // which of layout.Parts to copy, besides the records
	// Verify checks the signature of a manifest with the service's log, and returns the releases
	// that the log gives up; may be nil.
	Verify     func(ctx context.Context, log signing.Files, manifest []byte) (gaveUp []string, err error)
	AllowOlder bool // whether the copy may go back to an earlier release
	Fork       bool // whether the copy may give up a release that the next one was not built on
	NoByHash   bool // whether to omit the files by digest
	Progress   func(step string, done, total int64)
}

// Mirror keeps a copy up to date.
type Mirror struct {
	open           func(context.Context) (*fetch.Source, error)
	source         *fetch.Source // open during an update
	origin, target string
	opt            Options
	last           *fetch.Manifest // of the copy, if this mirror made or checked it
}

// New returns a mirror of the service at origin. target is a folder, or a zip if its name ends in
// .zip.
func New(origin, target string, limits fetch.Limits, opt Options) *Mirror {
	open := func(ctx context.Context) (*fetch.Source, error) { return fetch.Open(ctx, origin, limits) }
	if opt.Progress == nil {
		opt.Progress = func(string, int64, int64) {}
	}
	return &Mirror{open: open, origin: fetch.Public(origin), target: target, opt: opt}
}

// Result is the result of an update.
type Result struct {
	Manifest        *release.Manifest
	Unchanged       bool              // the copy was up to date
	GaveUp          string            // the release in the copy that the new one was not built on, or ""
	GaveUpOnPurpose bool              // whether the publisher gave it up on purpose
	Received        int64             // bytes downloaded
	Whole           int64             // bytes that downloading all files would take, compressed
	Redacted        []release.Version // versions that were redacted since the previous copy
}

// OlderError means that a service shows a release older than the release in the copy.
type OlderError struct{ Has, Shows, Of string }

func (e *OlderError) Error() string {
	return fmt.Sprintf("the service shows release %s of %s, which is older than release %s in the copy: the service was rolled back, or a cache is out of date. The copy is unchanged; --allow-older accepts the older release", e.Shows, e.Of, e.Has)
}

// ForkError means that a service shows a release that was not built on the release in the copy.
type ForkError struct{ Has, HasOf, Shows, Of string }

func (e *ForkError) Error() string {
	return fmt.Sprintf(`the service shows release %s of %s, which was not built on release %s of %s in the copy, and gives no reason: changes in that release, including corrections, would be lost without a trace.
  To keep what the copy has, do nothing. Tell the publisher, who may have built on an old copy.
  To give up release %[3]s, add --fork`, e.Shows, e.Of, e.Has, e.HasOf)
}

// attempts is the number of times that an update is tried while files do not match the manifest.
const attempts = 3

// Update updates the copy. If it returns an error, the copy is unchanged.
func (m *Mirror) Update(ctx context.Context) (*Result, error) {
	var err error
	if m.source, err = m.open(ctx); err != nil {
		return nil, err
	}
	defer m.source.Close()
	for range attempts {
		var r *Result
		if r, err = m.update(ctx); err == nil {
			r.Received = m.source.Received()
			return r, nil
		}
		isOther := errors.As(err, new(*fetch.ChangedError))
		again := isOther || errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(manifestError))
		if !again || ctx.Err() != nil {
			return nil, err
		}
		m.last = nil
	}
	return nil, fmt.Errorf("the files of the service do not match its manifest, even after reading the manifest again %d times: %w", attempts-1, err)
}

// manifestError is an error that occurred while reading the manifest.
type manifestError struct{ error }

func (e manifestError) Unwrap() error { return e.error }

func (m *Mirror) update(ctx context.Context) (*Result, error) {
	manifest, err := m.source.Manifest(ctx, m.last)
	if err != nil {
		return nil, manifestError{err}
	}
	if manifest == nil {
		manifest = m.last
	}
	j := &job{mirror: m, ctx: ctx, data: manifest.Data, all: new(release.Manifest)}
	if err := j.all.Decode(manifest.Data); err != nil {
		return nil, err
	}
	j.want = j.all.With(m.opt.Parts)
	if j.log, err = signing.CopyLog(ctx, manifestCache{m.source, manifest.Data}, manifest.Data); err != nil {
		return nil, fmt.Errorf("the log of the service: %w", err)
	}
	if m.opt.Verify != nil {
		if j.gaveUp, err = m.opt.Verify(ctx, memoryLog(j.log), manifest.Data); err != nil {
			return nil, err
		}
	}
	r, err := j.run()
	if err == nil {
		m.last = manifest
	}
	return r, err
}

// manifestCache returns the manifest from memory and reads other files from the service.
type manifestCache struct {
	source   *fetch.Source
	manifest []byte
}

func (c manifestCache) ReadFile(ctx context.Context, path string, most int64) ([]byte, error) {
	if path == layout.ManifestPath {
		return c.manifest, nil
	}
	return signing.FS(c.source).ReadFile(ctx, path, most)
}

// memoryLog reads a log from memory, so that the stored log is the verified one.
type memoryLog []signing.File

func (l memoryLog) ReadFile(_ context.Context, path string, most int64) ([]byte, error) {
	for _, f := range l {
		if f.Path == path && int64(len(f.Data)) <= most {
			return f.Data, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

type job struct {
	mirror *Mirror
	ctx    context.Context
	data   []byte            // the manifest as sent
	all    *release.Manifest // the manifest
	want   *release.Manifest // the part of the manifest that the copy has
	log    []signing.File
	gaveUp []string // the releases that the log gives up

	old    *release.Release // the previous copy, or nil
	oldDir string           // its folder, or ""
	w      store.Writer
	links  *store.Links
	new    *release.Release
	pages  int64             // total size of the files in listings
	kept   map[string][]bool // by kind: which lines of the collection the old copy has
	// versions that were redacted since the old copy
	redacted []release.Version
}

func (j *job) run() (_ *Result, err error) {
	target := j.mirror.target
	if j.w, err = store.NewWriter(target); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.w.Abort())
		}
	}()
	old, closeOld, err := store.OpenTarget(target)
	if err != nil {
		return nil, err
	}
	defer closeOld() // for early returns
	r := &Result{Manifest: j.all, Whole: j.totalSize()}
	if old != nil {
		if err := j.checkSuccessor(old, r); err != nil {
			return nil, err
		}
		if same, err := j.isUpToDate(); err != nil || same {
			r.Unchanged = true
			return r, errors.Join(err, j.w.Abort())
		}
	}
	if j.links, err = store.NewLinks(j.w, j.oldDir); err != nil {
		return nil, err
	}
	j.new = (&release.Release{Manifest: j.want, Files: j.w.Files()}).Within(j.ctx)
	if err := j.write(); err != nil {
		return nil, err
	}
	r.Whole += j.pages
	r.Redacted = j.redacted
	if err := closeOld(); err != nil { // Windows cannot replace an open file
		return nil, err
	}
	return r, j.w.Commit()
}

// totalSize returns how many bytes downloading all files of the copy takes.
func (j *job) totalSize() (n int64) {
	for i := range j.want.Files {
		n += fetch.SmallestVariant(j.withAllVariants(&j.want.Files[i])).Size
	}
	return n
}

// checkSuccessor returns an error unless the new release can come after the one in the copy.
func (j *job) checkSuccessor(old *release.Release, r *Result) error {
	was, is := old.Manifest, j.all
	if was.BaseURL != is.BaseURL {
		return fmt.Errorf("%s is a copy of %s, but the service is %s: choose another name for the copy", j.mirror.target, was.BaseURL, is.BaseURL)
	}
	older := precedesCopy(old, is)
	if older && !j.mirror.opt.AllowOlder {
		return &OlderError{was.Release, is.Release, is.Date}
	}
	if !older {
		shown := release.Release{Manifest: is, Files: served{j}}
		follows, gaveUp, err := shown.Follows(was.Release)
		if err != nil {
			return err
		}
		if !follows {
			r.GaveUp, r.GaveUpOnPurpose = was.Release, gaveUp || slices.Contains(j.gaveUp, was.Release)
			if !r.GaveUpOnPurpose && !j.mirror.opt.Fork {
				return &ForkError{was.Release, was.Date, is.Release, is.Date}
			}
		}
	}
	j.old = old.Within(j.ctx)
	if store.IsZip(j.mirror.target) {
		return nil
	}
	j.oldDir = j.mirror.target
	return nil
}

// served reads files from the service and checks each file against the manifest.
type served struct{ *job }

func (s served) Open(name string) (fs.File, error) {
	f := s.all.File(name)
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	on, err := s.w.Scratch()
	if err != nil {
		return nil, err
	}
	err = s.mirror.source.Fetch(s.ctx, f, on)
	if err == nil {
		_, err = on.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, on.Close())
	}
	return on, nil
}

// precedesCopy reports whether the release of the manifest m comes before the release old in the
// copy, according to the copy's listing of releases.
func precedesCopy(old *release.Release, m *release.Manifest) bool {
	was := old.Manifest
	if m.Release == was.Release {
		return false
	}
	before := m.Date < was.Date || was.Previous != nil && was.Previous.Release == m.Release ||
		slices.ContainsFunc(was.Earlier, func(p release.Previous) bool { return p.Release == m.Release })
	for p, err := range old.Releases() {
		if before || err != nil { // a damaged copy is repaired
			break
		}
		before = p.Release == m.Release
	}
	return before
}

func (j *job) isUpToDate() (bool, error) {
	for path, want := range j.unlistedFiles() {
		is, err := fs.ReadFile(j.old.Files, path)
		if errors.Is(err, fs.ErrNotExist) && want == nil {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if err != nil || !bytes.Equal(is, want) {
			return false, nil
		}
	}
	return true, nil
}

// unlistedFiles returns the files that the manifest does not list: the manifest itself, the log,
// and the list of the copy's contents.
func (j *job) unlistedFiles() map[string][]byte {
	files := map[string][]byte{layout.ManifestPath: j.data, layout.CopyPath: nil}
	for _, f := range j.log {
		files[f.Path] = f.Data
	}
	if len(j.mirror.opt.Parts) < len(layout.Parts) {
		c := layout.Copy{Origin: j.mirror.origin, Has: append([]string{}, j.mirror.opt.Parts...)}
		data, err := c.Encode()
		if err != nil {
			panic("mirror: " + err.Error()) // cannot fail for texts
		}
		files[layout.CopyPath] = data
	}
	return files
}
