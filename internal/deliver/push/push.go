// Package push publishes releases to buckets: the pack first, then the pointer, by the store's own
// conditional write. Whatever happens before that leaves what is published as it was; who published
// meanwhile is not overwritten. The files at public addresses follow, where they are wanted.
package push

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"stele/internal/base/clock"
	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
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
	Own      string // a folder of this machine, by which it takes up at once what it left off; "" for none
	Verified bool   // whether whoever calls has verified the release
	Serial   int64  // the least that the pointer gets
	Purge    bool   // whether to note which addresses change, for Purge
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
	Address  string         // where readers get it
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

// job is what a push brings, and what was there when it began. It does not change while it runs.
type job struct {
	bucket *bucket.Bucket
	opt    Options
	r      *release.Release
	pack   bucket.Pack
	file   *os.File     // the pack
	own    *own         // what this machine knows of its own pushes
	before bucket.State // what was there
	gaveUp []string     // releases that the bucket had and that this one was not built on
	held   []string     // releases in the bucket that may hold what was redacted since
	purge  bool         // whether something was redacted since, which must not wait a day
}

// complete puts defaults in the place of zero values.
func (o *Options) complete() error {
	o.Young, o.Lease = cmp.Or(o.Young, 24*time.Hour), cmp.Or(o.Lease, 2*time.Minute)
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Keep > bucket.MaxKept+1 {
		return fmt.Errorf("%d releases cannot be kept: the pointer names at most %d", o.Keep, bucket.MaxKept+1)
	}
	return nil
}

// Push publishes the release at a path, a folder or a zip.
func Push(ctx context.Context, b *bucket.Bucket, path string, opt Options) (*Result, error) {
	if err := opt.complete(); err != nil {
		return nil, err
	}
	r, closeRelease, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer closeRelease()          // it was only read
	before, err := b.Pointer(ctx) // first, because it is quick and may say no
	if err != nil {
		return nil, err
	}
	j := &job{bucket: b, opt: opt, r: r, before: before, own: claim(opt.Own, b.Name())}
	defer j.own.unlock()
	if j.gaveUp, err = allowed(r, before.Pointer, path, opt.Fork); err != nil {
		return nil, err
	}
	if err := verify(ctx, r, path, &opt); err != nil {
		return nil, err
	}
	redacted, err := j.findRedacted()
	if err != nil {
		return nil, err
	}
	j.opt.MaxAge, j.opt.Keep = maxAge(opt.MaxAge, before.Pointer), keep(opt.Keep, before.Pointer)
	dir, err := os.MkdirTemp("", "stele-push-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := j.packUp(ctx, path, dir); err != nil {
		return nil, err
	}
	defer j.file.Close() // it was only read
	result := &Result{Redacted: redacted, Address: r.Manifest.BaseURL}
	p := &pointer{bucket: b, release: j.pack, lease: opt.Lease, state: before}
	err = j.run(ctx, p, result)
	if now := p.now(); now.Pointer != nil {
		result.Serial = now.Serial
	}
	if err != nil && p.now().Same(before) && !result.Unchanged { // perhaps for what somebody else did meanwhile
		now, failure := b.Pointer(ctx)
		if failure == nil && now.Pointer != nil && !now.Same(before) {
			err = p.lost(now)
		}
	}
	return result, err
}

// allowed refuses a copy, a release that does not build on the one in the bucket, and one that
// would take its signature away. It returns the releases of the bucket that this one gives up.
func allowed(r *release.Release, there *bucket.Pointer, path string, fork bool) (gaveUp []string, err error) {
	// what is left out would be missing from the bucket, and from every server that follows it
	if _, err := fs.Stat(r.Files, layout.CopyPath); err == nil {
		return nil, fmt.Errorf("%s is a copy that leaves parts of the release out: push the release, or a copy made with stele mirror --only all", path)
	}
	if there == nil {
		return nil, nil
	}
	has := there.Current
	if !fork && has.Release == r.Manifest.Release && has.Signed && !signing.IsSigned(r.Files) {
		return nil, fmt.Errorf("the bucket holds release %s with its signature, and %s has none. Push the one that is signed; "+
			"to give up the signature, add --fork", has.Release, path)
	}
	follows, meant, err := r.Follows(has.Release)
	switch {
	case err != nil:
		return nil, err
	case !follows && !meant && !fork:
		return nil, &OtherError{*has, r.Manifest.Release, r.Manifest.Date, false}
	case follows:
		return there.GaveUp, nil
	}
	named := slices.Clone(there.GaveUp)
	for _, p := range slices.Backward(there.Packs()) {
		named = append(named, p.Release)
	}
	for i, id := range named {
		follows, _, err := r.Follows(id)
		if err != nil {
			return nil, err
		}
		if !follows && !slices.Contains(named[:i], id) {
			gaveUp = append(gaveUp, id)
		}
	}
	return gaveUp[max(0, len(gaveUp)-layout.MaxGivenUp):], nil
}

func verify(ctx context.Context, r *release.Release, path string, opt *Options) error {
	if opt.Verified {
		return nil
	}
	found, err := r.Verify(ctx, func(done, total int64) { opt.Progress("verifying", done, total) })
	if err == nil && len(found.Faults) > 0 {
		err = fmt.Errorf("%s is not whole, so it is not published: %s. stele verify %[1]s tells all", path, found.Faults[0])
	}
	return err
}

// findRedacted finds out what was taken out of the history since the releases that the bucket has.
// Those may hold it, so none of them is kept, and nothing of them is left for a day. So too where
// this release took something out itself: it may be pushed again because that was interrupted.
func (j *job) findRedacted() (most []release.Version, err error) {
	all, err := j.r.RedactedSince("")
	if err != nil || len(all) == 0 || j.before.Pointer == nil {
		return nil, err
	}
	for _, p := range j.before.Packs() {
		since, err := j.r.RedactedSince(p.Release)
		if err != nil {
			return nil, err
		}
		if len(since) > len(most) {
			most = since
		}
		if len(since) > 0 {
			j.held = append(j.held, p.Release)
		}
	}
	j.purge = len(j.held) > 0 ||
		slices.ContainsFunc(all, func(v release.Version) bool { return v.Release == j.r.Manifest.Release })
	return most, nil
}

// packUp opens the pack: the zip itself, or one of the folder, which is made in a folder for that.
func (j *job) packUp(ctx context.Context, path, dir string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		folder, tell := path, func(files int) { j.opt.Progress("packing", int64(files), -1) }
		path = filepath.Join(dir, "release.zip")
		if err := store.Pack(ctx, folder, path, tell); err != nil {
			return err
		}
	}
	manifest, err := j.r.ReadFile(layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return err
	}
	if j.file, err = os.Open(path); err != nil {
		return err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, j.file)
	if err != nil {
		return errors.Join(err, j.file.Close())
	}
	j.pack = bucket.Pack{
		Release: j.r.Manifest.Release, Date: j.r.Manifest.Date, Manifest: sha256.Sum256(manifest),
		Size: size, SHA256: release.Digest(sum.Sum(nil)), Signed: signing.IsSigned(j.r.Files),
		Pushed: clock.Now().UTC().Truncate(time.Second),
	}
	return nil
}

// run sends what the bucket lacks, lets the pointer name it, brings the files to public addresses,
// and removes what is old.
func (j *job) run(ctx context.Context, p *pointer, result *Result) error {
	if j.compare(result); result.Unchanged {
		if !j.opt.DryRun {
			j.collect(ctx, p, result)
		}
		return nil
	}
	parts, err := j.choose(ctx)
	defer parts.close()
	if err != nil {
		return err
	}
	result.Pack, result.Resumed, result.Pieces, result.Bytes = j.pack, parts.resumed, parts.sizes(), parts.bytes
	var files *siteFiles
	if j.wantsSite() {
		if files, err = j.planSite(ctx, result); err != nil {
			return err
		}
		defer files.close()
	}
	if j.opt.DryRun {
		return nil
	}
	now, err := j.bucket.Probe(ctx)
	if err != nil {
		return err
	}
	if err := j.checkBusy(now); err != nil {
		return err
	}
	if j.opt.Purge {
		if err := j.noteChanges(ctx); err != nil {
			return err
		}
	}
	if err := j.send(ctx, parts, result.Bytes); err != nil {
		return err
	}
	if err := p.swap(ctx, func(now *bucket.Pointer) { *now = j.next(parts, files) }); err != nil {
		return err
	}
	if files != nil {
		if err := files.bring(ctx, p, result); err != nil || result.Late != nil {
			return err
		}
	}
	j.collectPacks(ctx, p, result)
	return nil
}

// compare finds out whether what is there is what is brought.
func (j *job) compare(result *Result) {
	if j.before.Pointer != nil {
		has := j.before.Current
		result.Before, result.Unsigned = has, has.Signed && !j.pack.Signed
		if has.Release == j.pack.Release && has.SHA256 == j.pack.SHA256 {
			j.pack.Path, j.pack.Pushed = has.Path, has.Pushed
			result.Unchanged = j.opt.Serial <= j.before.Serial && j.siteIsThere() && (!j.opt.Whole || has.Path != "")
		}
	}
	result.Pack = j.pack
}

func (j *job) next(parts *parts, files *siteFiles) bucket.Pointer {
	next := bucket.Pointer{
		Serial: j.opt.Serial, Current: &j.pack, Keep: j.opt.Keep, GaveUp: j.gaveUp, Sums: parts.sums,
	}
	if files != nil {
		next.Site = j.mark(files.found)
	}
	if j.before.Pointer != nil {
		for _, p := range j.before.Packs() { // one that is pushed again, such as with a signature, takes its own place
			if p.Release != j.pack.Release && len(next.Kept) < j.opt.Keep-1 && !slices.Contains(j.held, p.Release) {
				next.Kept = append(next.Kept, p)
			}
		}
	}
	if parts.step != nil {
		next.Increments = append(next.Increments, *parts.step)
	}
	next.Succeed(j.before.Pointer)
	return next
}

func keep(asked int, there *bucket.Pointer) int {
	const usual = 3
	switch {
	case asked > 0:
		return asked
	case there == nil:
		return usual
	case there.Keep > 0:
		return there.Keep
	}
	return max(usual, 1+len(there.Kept)) // an earlier version kept these
}
