// Package push publishes releases to buckets: the pack first, then the pointer, by the store's
// conditional write. An interruption before that leaves the published release unchanged, and a
// release that another machine published meanwhile is not overwritten. Files at public URLs follow
// if requested.
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

// Options configure a push.
type Options struct {
	Keep   int  // how many releases to keep, including the current one; zero for as many as before, or three
	Fork   bool // whether to give up a release that this one does not build on
	DryRun bool // whether to report what would be done, and do nothing
	Site   bool // whether to write the files to their public URLs too
	Repair bool // whether to check all public files; otherwise they are checked after an interruption only
	Whole  bool // whether to send the whole pack instead of an increment
	// MaxAge is how long caches may use a public file; negative for no caching. Zero keeps the
	// previous value, or five minutes.
	MaxAge   time.Duration
	Young    time.Duration // minimum age of objects to delete; default a day
	Lease    time.Duration // how long a push may write files after it last wrote the pointer; default two minutes
	Progress func(step string, done, total int64)
	Own      string // folder for the state of interrupted pushes; "" for none
	Verified bool   // whether the caller has verified the release
	Serial   int64  // minimum serial of the new pointer
	Purge    bool   // whether to store the URLs that change, for Purge
}

// Result is the result of a push or of a dry run.
type Result struct {
	Pack      bucket.Pack
	Before    *bucket.Pack // the previous current pack, or nil
	Serial    int64        // of the pointer
	Unchanged bool         // whether the bucket had everything
	Resumed   bool         // whether the pack, or a piece of it, was in the bucket
	Unsigned  bool         // whether the release is unsigned but the previous one was signed
	Collected []string     // the objects that were deleted
	Site      *SiteResult  // nil without public files
	// versions redacted since the releases in the bucket
	Redacted []release.Version
	Pieces   []bucket.Piece // of the pack, to send
	Bytes    int64          // to send
	Address  string         // the URL for readers
	// Late is the error of deleting old objects; the release is published anyway.
	Late error
}

// OtherError means that the release was not built on the release in the bucket.
type OtherError struct {
	Has           bucket.Pack
	Release, Date string
	Meanwhile     bool // whether the other release was published during this push
}

func (e *OtherError) Error() string {
	how := "holds"
	if e.Meanwhile {
		how = "received, during this push,"
	}
	return fmt.Sprintf(`the bucket %s release %s of %s, and release %s of %s was not built on it. That release would be lost, so nothing was published.
  Build on that release: run stele build --previous BUCKET, and push the result.
  To give up that release, add --fork.`, how, e.Has.Release, e.Has.Date, e.Release, e.Date)
}

// job is a push: the release, and the state of the bucket when the push began. A job does not
// change while it runs.
type job struct {
	bucket *bucket.Bucket
	opt    Options
	r      *release.Release
	pack   bucket.Pack
	file   *os.File     // the pack
	own    *machineMark // the marks of this machine's own pushes
	before bucket.State // state of the bucket at the start
	gaveUp []string     // releases in the bucket that this one was not built on
	held   []string     // releases in the bucket that may contain redacted content
	purge  bool         // whether something was redacted, which must be deleted at once
}

// complete fills in the defaults.
func (o *Options) complete() error {
	o.Young, o.Lease = cmp.Or(o.Young, 24*time.Hour), cmp.Or(o.Lease, 2*time.Minute)
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Keep > bucket.MaxKept+1 {
		return fmt.Errorf("cannot keep %d releases: the limit is %d", o.Keep, bucket.MaxKept+1)
	}
	return nil
}

// Push publishes the release at path, a folder or a zip.
func Push(ctx context.Context, b *bucket.Bucket, path string, opt Options) (*Result, error) {
	if err := opt.complete(); err != nil {
		return nil, err
	}
	r, closeRelease, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer closeRelease()          // it was only read
	before, err := b.Pointer(ctx) // first, because it is fast and may refuse
	if err != nil {
		return nil, err
	}
	j := &job{bucket: b, opt: opt, r: r, before: before, own: claimBucket(opt.Own, b.Name())}
	defer j.own.unlock()
	if j.gaveUp, err = checkAllowed(r, before.Pointer, path, opt.Fork); err != nil {
		return nil, err
	}
	if err := verifyRelease(ctx, r, path, &opt); err != nil {
		return nil, err
	}
	redacted, err := j.findRedacted()
	if err != nil {
		return nil, err
	}
	j.opt.MaxAge, j.opt.Keep = cacheMaxAge(opt.MaxAge, before.Pointer), releasesToKeep(opt.Keep, before.Pointer)
	dir, err := os.MkdirTemp("", "stele-push-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := j.openPack(ctx, path, dir); err != nil {
		return nil, err
	}
	defer j.file.Close() // it was only read
	result := &Result{Redacted: redacted, Address: r.Manifest.BaseURL}
	p := &pointer{bucket: b, release: j.pack, lease: opt.Lease, state: before}
	err = j.run(ctx, p, result)
	if now := p.currentState(); now.Pointer != nil {
		result.Serial = now.Serial
	}
	if err != nil && p.currentState().Same(before) && !result.Unchanged { // perhaps by another machine
		now, failure := b.Pointer(ctx)
		if failure == nil && now.Pointer != nil && !now.Same(before) {
			err = p.overtakenError(now)
		}
	}
	return result, err
}

// checkAllowed returns an error for a partial copy, for a release that was not built on the release
// in the bucket, and for an unsigned release after a signed one. gaveUp lists the bucket's releases
// that r gives up.
func checkAllowed(r *release.Release, there *bucket.Pointer, path string, fork bool) (gaveUp []string, err error) {
	// files missing from the copy would be missing from the bucket and its servers
	if _, err := fs.Stat(r.Files, layout.CopyPath); err == nil {
		return nil, fmt.Errorf("%s is a partial copy of a release: push the release, or a copy made with stele mirror --only all", path)
	}
	if there == nil {
		return nil, nil
	}
	has := there.Current
	if !fork && has.Release == r.Manifest.Release && has.Signed && !signing.IsSigned(r.Files) {
		return nil, fmt.Errorf("the bucket has release %s with a signature, but %s is unsigned. Push the signed release; "+
			"to publish without a signature, add --fork", has.Release, path)
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

func verifyRelease(ctx context.Context, r *release.Release, path string, opt *Options) error {
	if opt.Verified {
		return nil
	}
	found, err := r.Verify(ctx, func(done, total int64) { opt.Progress("verifying", done, total) })
	if err == nil && len(found.Faults) > 0 {
		err = fmt.Errorf("%s is damaged, so it is not published: %s. For all faults, run stele verify %[1]s", path, found.Faults[0])
	}
	return err
}

// findRedacted returns the versions that were redacted since the releases in the bucket. Those
// releases may contain them, so they are deleted at once, not after a day. If this release redacts
// something itself, they are deleted too, because an earlier push of it may have been interrupted.
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

// openPack opens the pack: the zip at path, or a zip that it writes to dir from the folder at path.
func (j *job) openPack(ctx context.Context, path, dir string) error {
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

// run sends the missing pieces, updates the pointer, writes the public files, and deletes old
// objects.
func (j *job) run(ctx context.Context, p *pointer, result *Result) error {
	if j.compareDigests(result); result.Unchanged {
		if !j.opt.DryRun {
			j.collectGarbage(ctx, p, result)
		}
		return nil
	}
	parts, err := j.choosePieces(ctx)
	defer parts.close()
	if err != nil {
		return err
	}
	result.Pack, result.Resumed, result.Pieces, result.Bytes = j.pack, parts.resumed, parts.pieceSizes(), parts.bytes
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
		if err := j.storeChanges(ctx); err != nil {
			return err
		}
	}
	if err := j.sendPieces(ctx, parts, result.Bytes); err != nil {
		return err
	}
	if err := p.update(ctx, func(now *bucket.Pointer) { *now = j.nextPointer(parts, files) }); err != nil {
		return err
	}
	if files != nil {
		if err := files.writeSite(ctx, p, result); err != nil || result.Late != nil {
			return err
		}
	}
	j.collectPacks(ctx, p, result)
	return nil
}

// compareDigests sets whether the bucket already has the release.
func (j *job) compareDigests(result *Result) {
	if j.before.Pointer != nil {
		has := j.before.Current
		result.Before, result.Unsigned = has, has.Signed && !j.pack.Signed
		if has.Release == j.pack.Release && has.SHA256 == j.pack.SHA256 {
			j.pack.Path, j.pack.Pushed, j.pack.Records = has.Path, has.Pushed, has.Records
			result.Unchanged = j.opt.Serial <= j.before.Serial && j.isSiteComplete() && (!j.opt.Whole || has.Path != "")
		}
	}
	result.Pack = j.pack
}

func (j *job) nextPointer(parts *pieceList, files *siteFiles) bucket.Pointer {
	next := bucket.Pointer{
		Serial: j.opt.Serial, Current: &j.pack, Keep: j.opt.Keep, GaveUp: j.gaveUp, Sums: parts.sums,
	}
	if files != nil {
		next.Site = j.siteWhileWriting(files.found)
	}
	if j.before.Pointer != nil {
		for _, p := range j.before.Packs() { // a release that is pushed again is listed once
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

func releasesToKeep(asked int, there *bucket.Pointer) int {
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
