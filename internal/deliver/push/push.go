// Package push publishes releases to buckets: the pack first, then the pointer, by the store's own
// conditional write. Whatever happens before that leaves what is published as it was; who published
// meanwhile is not overwritten. The files at public addresses follow, where they are wanted.
package push

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"stele/internal/base/clock"
	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/store"
	"stele/release"
)

// Options of a push.
type Options struct {
	Keep   int  // how many releases stay in the bucket, the current one too; zero for as many as before, or three
	Fork   bool // whether to give up a release that this one does not build on
	DryRun bool // whether to say what would be done, and do nothing
	Site   bool // whether to bring the files to their public addresses, too
	Repair bool // whether to look at all files there; without it only after an interruption
	Whole  bool // whether to send the whole pack, though it could be made from increments
	// MaxAge is how long caches may use a file at its public address, negative for not at all. Zero
	// is what it was before, or five minutes.
	MaxAge   time.Duration
	Young    time.Duration // what is younger is never collected; default a day
	Lease    time.Duration // who did not write the pointer for so long brings no files any more; default two minutes
	Progress func(step string, done, total int64)
	Verified bool // whether whoever calls has verified the release
}

func (o *Options) progress(step string, done, total int64) {
	if o.Progress != nil {
		o.Progress(step, done, total)
	}
}

// Result is what became of a push, or would become of it.
type Result struct {
	Pack      bucket.Pack
	Before    *bucket.Pack // what was current; nil if nothing was
	Serial    int64        // of the pointer
	Unchanged bool         // whether the bucket had it all
	Resumed   bool         // whether the pack, or a piece of it, was there already
	Unsigned  bool         // whether it has no signature, and the one before it had one
	Collected []string     // the objects that were removed
	Site      *SiteResult  // nil if no files are at public addresses
	// what was taken out of the history since the releases that the bucket had
	Redacted []release.Version
	Pieces   []bucket.Piece // of the pack, that have to be sent
	Bytes    int64          // to send
	// Late says why something old is still there, though the release is published; nil if all went.
	Late error
}

// OtherError says that the release does not build on the one that is in the bucket.
type OtherError struct {
	Has           bucket.Pack
	Release, Date string
	Meanwhile     bool // whether it came while this one was pushed
}

func (e *OtherError) Error() string {
	how := "holds"
	if e.Meanwhile {
		how = "was given, while this one was pushed,"
	}
	return fmt.Sprintf(`the bucket %s release %s of %s, and release %s of %s was not built on it. What is there would be lost, so nothing was published.
  Build again on what is there: stele build --previous BUCKET, and push that.
  To give up what is there, add --fork.`, how, e.Has.Release, e.Has.Date, e.Release, e.Date)
}

// job is a push that is under way.
type job struct {
	ctx    context.Context
	bucket *bucket.Bucket
	opt    Options
	path   string // of the release
	r      *release.Release
	pack   bucket.Pack
	file   *os.File // the pack
	result *Result
	named  bool // whether the pointer names the release

	pieces  []piece           // to send
	step    *bucket.Increment // on the pack that is there; nil if there is none
	sums    *bucket.Piece     // of the pack
	records *bucket.Records   // of the release
	scratch []*os.File

	mu    sync.RWMutex // over the pointer, which is renewed while files are written
	state bucket.State
	// gaveUp are the releases that the bucket had and that this one was not built on
	gaveUp []string
	found  []release.Digest // the manifests of which files may be at public addresses
	held   []string         // releases in the bucket that may hold what was redacted since
	purge  bool             // whether something was redacted since, which must not wait a day
}

// Push publishes the release at a path, a folder or a zip.
func Push(ctx context.Context, b *bucket.Bucket, path string, opt Options) (result *Result, err error) {
	if opt.Young <= 0 {
		opt.Young = 24 * time.Hour
	}
	if opt.Lease <= 0 {
		opt.Lease = 2 * time.Minute
	}
	if opt.Keep > bucket.MaxKept+1 {
		return nil, fmt.Errorf("%d releases cannot be kept: the pointer names at most %d", opt.Keep, bucket.MaxKept+1)
	}
	r, closeRelease, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer closeRelease() // it was only read

	// what is left out would be missing from the bucket, and from every server that follows it
	if _, err := fs.Stat(r.Files, layout.CopyPath); err == nil {
		return nil, fmt.Errorf("%s is a copy that leaves parts of the release out: push the release, or a copy made with stele mirror --only all", path)
	}
	j := &job{ctx: ctx, bucket: b, opt: opt, path: path, r: r, result: new(Result)}
	return j.push()
}

func (j *job) push() (result *Result, err error) {
	if j.state, err = j.bucket.Pointer(j.ctx); err != nil { // first, because it is quick and may say no
		return nil, err
	}
	for _, step := range []func() error{j.allowed, j.verify, j.findRedacted} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	j.opt.MaxAge, j.opt.Keep = j.maxAge(), j.keep()
	clean, err := j.packUp()
	if err != nil {
		return nil, err
	}
	defer clean()
	defer j.closeScratch()
	err = j.run()
	if late := new(lateError); errors.As(err, &late) {
		j.result.Late, err = late, nil
	}
	if err != nil && !j.named { // perhaps for what somebody else did meanwhile
		now, failure := j.bucket.Pointer(j.ctx)
		if failure == nil && now.Pointer != nil && !now.Same(j.state) {
			err = j.lost(now)
		}
	}
	return j.result, err
}

// allowed refuses a release that does not build on the one in the bucket, and one that would take
// its signature away.
func (j *job) allowed() error {
	if j.state.Pointer == nil {
		return nil
	}
	has := j.state.Current
	if !j.opt.Fork && has.Release == j.r.Manifest.Release && has.Signed && !j.signed() {
		return fmt.Errorf("the bucket holds release %s with its signature, and %s has none. Push the one that is signed; "+
			"to give up the signature, add --fork", has.Release, j.path)
	}
	follows, meant, err := j.r.Follows(has.Release)
	switch {
	case err != nil:
		return err
	case !follows && !meant && !j.opt.Fork:
		return &OtherError{*has, j.r.Manifest.Release, j.r.Manifest.Date, false}
	case follows:
		j.gaveUp = j.state.GaveUp
		return nil
	}
	return j.giveUp()
}

// giveUp names the releases of the bucket that this one was not built on, for those who have them.
func (j *job) giveUp() error {
	named := slices.Clone(j.state.GaveUp)
	for _, p := range append(slices.Clone(j.state.Kept), *j.state.Current) {
		named = append(named, p.Release)
	}
	for i, id := range named {
		follows, _, err := j.r.Follows(id)
		if err != nil {
			return err
		}
		if !follows && !slices.Contains(named[:i], id) {
			j.gaveUp = append(j.gaveUp, id)
		}
	}
	j.gaveUp = j.gaveUp[max(0, len(j.gaveUp)-layout.MaxGivenUp):]
	return nil
}

// signed reports whether the release has the proof of its signature.
func (j *job) signed() bool {
	_, err := fs.Stat(j.r.Files, layout.ProofPath)
	return err == nil
}

// verify makes sure that what is published is whole.
func (j *job) verify() error {
	if j.opt.Verified {
		return nil
	}
	found, err := j.r.Verify(j.ctx, func(done, total int64) { j.opt.progress("verifying", done, total) })
	if err != nil {
		return err
	}
	if len(found.Faults) > 0 {
		return fmt.Errorf("%s is not whole, so it is not published: %s. stele verify %[1]s tells all", j.path, found.Faults[0])
	}
	return nil
}

// findRedacted finds out what was taken out of the history since the releases that the bucket has.
// Those may hold it, so none of them is kept, and nothing of them is left for a day. So too where
// this release took something out itself: it may be pushed again because that was interrupted.
func (j *job) findRedacted() error {
	all, err := j.r.RedactedSince("")
	if err != nil || len(all) == 0 || j.state.Pointer == nil {
		return err
	}
	for _, p := range append(slices.Clone(j.state.Kept), *j.state.Current) {
		since, err := j.r.RedactedSince(p.Release)
		if err != nil {
			return err
		}
		if len(since) > len(j.result.Redacted) {
			j.result.Redacted = since
		}
		if len(since) > 0 {
			j.held = append(j.held, p.Release)
		}
	}
	for _, x := range all {
		j.purge = j.purge || x.Release == j.r.Manifest.Release
	}
	j.purge = j.purge || len(j.held) > 0
	return nil
}

// packUp makes the pack: the zip itself, or one of the folder, in a place that clean removes.
func (j *job) packUp() (clean func(), err error) {
	clean = func() {}
	zip := j.path
	info, err := os.Stat(j.path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		dir, err := os.MkdirTemp("", "stele-push-")
		if err != nil {
			return nil, err
		}
		clean = func() { os.RemoveAll(dir) }
		zip = filepath.Join(dir, "release.zip")
		if err := store.Pack(j.ctx, j.path, zip, func(files int) { j.opt.progress("packing", int64(files), -1) }); err != nil {
			clean()
			return nil, err
		}
	}
	if j.file, err = os.Open(zip); err != nil {
		clean()
		return nil, err
	}
	remove := clean
	clean = func() {
		j.file.Close() // it was only read
		remove()
	}
	if err := j.describe(); err != nil {
		clean()
		return nil, err
	}
	return clean, nil
}

// describe digests the pack.
func (j *job) describe() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(j.file, 0, info.Size())); err != nil {
		return err
	}
	manifest, err := j.r.ReadFile(layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return err
	}
	m := j.r.Manifest
	j.pack = bucket.Pack{
		Release: m.Release, Date: m.Date, Manifest: sha256.Sum256(manifest),
		Size: info.Size(), SHA256: release.Digest(sum.Sum(nil)), Signed: j.signed(),
		Pushed: clock.Now().UTC().Truncate(time.Second),
	}
	j.result.Pack = j.pack
	return nil
}

// compare says what is there, and whether that is what is brought.
func (j *job) compare() {
	if j.state.Pointer == nil {
		return
	}
	before := *j.state.Current
	j.result.Before, j.result.Serial = &before, j.state.Serial
	j.result.Unsigned = before.Signed && !j.pack.Signed
	if before.Release == j.pack.Release && before.SHA256 == j.pack.SHA256 {
		j.pack.Path, j.pack.Pushed = before.Path, before.Pushed
		j.result.Pack = j.pack
		j.result.Unchanged = j.siteIsThere() && (!j.opt.Whole || before.Path != "")
	}
}

func (j *job) run() error {
	j.compare()
	if j.result.Unchanged {
		if j.named = true; j.opt.DryRun {
			return nil
		}
		return j.collect()
	}
	if err := j.choose(); err != nil {
		return err
	}
	var files *siteJob
	if j.wantsSite() {
		var err error
		if files, err = j.planSite(); err != nil {
			return err
		}
		defer files.close()
	}
	if j.opt.DryRun {
		return nil
	}
	now, err := j.bucket.Probe(j.ctx)
	if err != nil {
		return err
	}
	if err := j.checkBusy(now); err != nil {
		return err
	}
	if err := j.sendPieces(); err != nil {
		return err
	}
	if err := j.publish(); err != nil {
		return err
	}
	if files != nil {
		if err := j.writeSite(files); err != nil {
			return err
		}
	}
	return j.collectPacks()
}

// publish lets the pointer name the release.
func (j *job) publish() error {
	next := bucket.Pointer{
		Current: &j.pack, Keep: j.opt.Keep, Site: j.mark(), GaveUp: j.gaveUp, Sums: j.sums, Records: j.records,
	}
	if j.state.Pointer != nil {
		next.Kept = j.kept()
	}
	if j.step != nil {
		next.Increments = append(next.Increments, *j.step)
	}
	next.Succeed(j.state.Pointer)
	now, err := j.bucket.Swap(j.ctx, j.state, next)
	if errors.Is(err, bucket.ErrConflict) && now.Pointer != nil {
		return j.lost(now)
	}
	if err != nil {
		return err
	}
	j.state, j.named = now, true
	j.result.Serial = now.Serial
	return nil
}

// lost says who wrote the pointer meanwhile.
func (j *job) lost(now bucket.State) error {
	switch {
	case now.Site != nil && now.Site.Writing != "":
		return &BusyError{now.Site.Writing, j.opt.Lease}
	case j.state.Pointer != nil && j.state.Current.SHA256 == now.Current.SHA256:
		return errors.New("the pointer was written meanwhile, for the release that was there already; run it again")
	}
	return &OtherError{*now.Current, j.pack.Release, j.pack.Date, true}
}

// keep is how many releases stay.
func (j *job) keep() int {
	const usual = 3
	switch {
	case j.opt.Keep > 0:
		return j.opt.Keep
	case j.state.Pointer == nil:
		return usual
	case j.state.Keep > 0:
		return j.state.Keep
	}
	return max(usual, 1+len(j.state.Kept)) // an earlier version kept these
}

// kept are the releases before this one that stay. One that is pushed again, such as with a
// signature, takes the place of its former self.
func (j *job) kept() (kept []bucket.Pack) {
	for _, p := range append([]bucket.Pack{*j.state.Current}, j.state.Kept...) {
		if p.Release != j.pack.Release && len(kept) < j.opt.Keep-1 && !slices.Contains(j.held, p.Release) {
			kept = append(kept, p)
		}
	}
	return kept
}
