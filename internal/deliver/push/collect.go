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

// collect removes what old releases left in a bucket that has the release already.
func (j *job) collect(ctx context.Context, p *pointer, result *Result) {
	if j.collectPacks(ctx, p, result); result.Late != nil || j.before.Site == nil {
		return
	}
	gone, err := j.oldFiles(ctx, p)
	if err == nil && len(gone) > 0 {
		err = p.swap(ctx, func(p *bucket.Pointer) { p.Site = j.mark(nil) })
		if err == nil {
			err = p.marked(ctx, j.there(), func(ctx context.Context) error { return j.collectFiles(ctx, p, result) })
		}
	}
	result.late(err)
}

// collectPacks removes the packs, increments and sums that the pointer does not name, and what
// interrupted pushes left of their probes. The pointer is read before each one: somebody else may
// have published since. Whoever sends one anew that lies there for long takes another place for it.
func (j *job) collectPacks(ctx context.Context, p *pointer, result *Result) {
	paths := p.now().Paths()
	gone, err := j.old(ctx, p, bucket.StateFolder, func(key string) bool { return slices.Contains(paths, key) })
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
	result.late(err)
}

// collectFiles removes the files by their digests that none of the releases has which the pointer
// names. Meanwhile the pointer has the mark, so that nobody else counts on one of them.
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
	known, err := j.digests(ctx, p.now())
	if err != nil {
		return nil, err
	}
	return j.old(ctx, p, layout.ByHashFolder, func(key string) bool { return known[key] })
}

// digests are the keys of what releases have by digest that the pointer names. Of one that came
// without public addresses there is nothing.
func (j *job) digests(ctx context.Context, now bucket.State) (keys map[string]bool, err error) {
	keys = map[string]bool{}
	for _, p := range now.Packs() {
		digest := p.Manifest
		key := layout.ByHashPath(digest.String())
		if keys[key] {
			continue
		}
		m := j.r.Manifest
		if digest != j.pack.Manifest {
			r, _, err := past(ctx, j.bucket, digest)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			m = r.Manifest
		}
		keys[key] = true
		for f := range byDigest(m) {
			keys[layout.ByHashPath(f.SHA256.String())] = true
		}
	}
	return keys, nil
}

// old are the objects of a folder that are not among those to keep. Nothing young is among them:
// somebody may be about to name it. What was redacted must not wait: then all goes that was there
// before the pointer was written, which nobody is about to name, because they would have to know
// this pointer. What is young is told by the store's clock, which also says when that was.
func (j *job) old(
	ctx context.Context, p *pointer, folder string, isKept func(key string) bool,
) (gone []bucket.Object, err error) {
	now := p.now().Modified
	for o, err := range j.bucket.List(ctx, folder) {
		if err != nil {
			return nil, err
		}
		old := j.purge && o.Modified.Before(now) || now.Sub(o.Modified) >= j.opt.Young
		if old && !isKept(o.Key) && isOurs(folder, o.Key) {
			gone = append(gone, o)
		}
	}
	return gone, nil
}

// isOurs reports whether an object is one that pushes write and collect: a pack, what is left of a
// probe, or a file by its digest, among which there may be those of others.
func isOurs(folder, key string) bool {
	if folder == layout.ByHashFolder {
		var digest release.Digest
		return digest.UnmarshalText([]byte(key[len(folder):])) == nil
	}
	return strings.HasPrefix(key, bucket.PackFolder) || strings.HasPrefix(key, bucket.ProbePrefix)
}

// late notes why something old is still there, if it is.
func (r *Result) late(err error) {
	if err != nil {
		r.Late = fmt.Errorf("the release is published, but old ones could not be collected; the next push tries again: %w", err)
	}
}
