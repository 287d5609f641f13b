package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/release"
)

// collectGarbage deletes the remains of old releases from a bucket that already has this release.
func (j *job) collectGarbage(ctx context.Context, p *pointer, result *Result) {
	if j.collectPacks(ctx, p, result); result.Late != nil || j.before.Site == nil {
		return
	}
	gone, err := j.oldFiles(ctx, p)
	if err == nil && len(gone) > 0 {
		err = p.update(ctx, func(p *bucket.Pointer) { p.Site = j.siteWhileWriting(nil) })
		if err == nil {
			err = p.withMark(ctx, j.siteInBucket(), func(ctx context.Context) error {
				return j.collectFiles(ctx, p, result)
			})
		}
	}
	result.setLateError(err)
}

// collectPacks deletes the packs, increments and sums that the pointer does not name, and the
// remains of interrupted probes. It reads the pointer before each deletion, because another machine
// may have published. Pushes never reuse an old piece at its path, so no push needs a deleted
// piece.
func (j *job) collectPacks(ctx context.Context, p *pointer, result *Result) {
	paths := p.currentState().Paths()
	gone, err := j.oldObjects(ctx, p, bucket.StateFolder, func(key string) bool { return slices.Contains(paths, key) })
	for _, o := range gone {
		now, failure := j.bucket.Pointer(ctx)
		if failure == nil && (now.Pointer == nil || slices.Contains(now.Paths(), o.Key)) {
			continue
		}
		if failure == nil {
			failure = j.bucket.Discard(ctx, o)
		}
		if failure == nil {
			result.Collected = append(result.Collected, o.Key)
		}
		err = errors.Join(err, failure)
	}
	result.setLateError(err)
}

// collectFiles deletes the files by digest that belong to no release in the pointer. While it does,
// the pointer is marked, so that no other push relies on these files.
func (j *job) collectFiles(ctx context.Context, p *pointer, result *Result) error {
	gone, err := j.oldFiles(ctx, p)
	for _, o := range gone {
		if err != nil {
			break
		}
		if err = p.remove(ctx, o.Key); err == nil {
			result.Collected = append(result.Collected, o.Key)
		}
	}
	return err
}

func (j *job) oldFiles(ctx context.Context, p *pointer) ([]bucket.Object, error) {
	known, err := j.digestKeys(ctx, p.currentState())
	if err != nil {
		return nil, err
	}
	return j.oldObjects(ctx, p, layout.ByHashFolder, func(key string) bool { return known[key] })
}

// digestKeys returns the keys of all files by digest of the releases in the pointer. Releases
// without public files have no files by digest.
func (j *job) digestKeys(ctx context.Context, now bucket.State) (keys map[string]bool, err error) {
	keys = map[string]bool{}
	for _, p := range now.Packs() {
		digest := p.Manifest
		key := layout.ByHashPath(digest.String())
		if keys[key] {
			continue
		}
		m := j.r.Manifest
		if digest != j.pack.Manifest {
			r, _, err := openByManifest(ctx, j.bucket, digest)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			m = r.Manifest
		}
		keys[key] = true
		for f := range filesByDigest(m) {
			keys[layout.ByHashPath(f.SHA256.String())] = true
		}
	}
	return keys, nil
}

// oldObjects returns the objects in folder for which isKept returns false. It omits young objects,
// because another push may be about to name them. If something was redacted, it omits only objects
// newer than the pointer, because a push that does not know this pointer cannot succeed. Ages are
// measured by the store's clock.
func (j *job) oldObjects(
	ctx context.Context, p *pointer, folder string, isKept func(key string) bool,
) (gone []bucket.Object, err error) {
	now := p.currentState().Modified
	for o, err := range j.bucket.List(ctx, folder) {
		if err != nil {
			return nil, err
		}
		old := j.purge && o.Modified.Before(now) || now.Sub(o.Modified) >= j.opt.Young
		if old && !isKept(o.Key) && isWrittenByPush(folder, o.Key) {
			gone = append(gone, o)
		}
	}
	return gone, nil
}

// isWrittenByPush reports whether the object key in folder has the name of a pack, a probe or a
// file by digest. Other objects in the folders may belong to other programs.
func isWrittenByPush(folder, key string) bool {
	if folder == layout.ByHashFolder {
		var digest release.Digest
		return digest.UnmarshalText([]byte(key[len(folder):])) == nil
	}
	return strings.HasPrefix(key, bucket.PackFolder) || strings.HasPrefix(key, bucket.ProbePrefix)
}

// setLateError stores the error of deleting old objects.
func (r *Result) setLateError(err error) {
	if err != nil {
		r.Late = fmt.Errorf("the release is published, but old objects could not be deleted; the next push tries again: %w", err)
	}
}
