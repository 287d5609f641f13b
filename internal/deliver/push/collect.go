package push

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/release"
)

// collect removes what old releases left in a bucket that has the release already.
func (j *job) collect() error {
	if err := j.collectPacks(); err != nil || j.state.Site == nil {
		return err
	}
	gone, err := j.oldFiles(j.ctx)
	if err != nil {
		return &CollectError{err}
	}
	if len(gone) == 0 {
		return nil
	}
	j.own.remember("")
	if err := j.swap(j.ctx, func(p *bucket.Pointer) { p.Site = j.mark() }); err != nil {
		return &CollectError{err}
	}
	if err := j.marked(j.collectFiles); err != nil {
		return &CollectError{err}
	}
	return nil
}

// collectPacks removes the packs, increments and sums that the pointer does not name, and what
// interrupted pushes left of their probes. Whoever sends one anew that lies there for long takes
// another place for it.
func (j *job) collectPacks() error {
	named := map[string]bool{}
	for path := range j.pointer().Paths() {
		named[path] = true
	}
	gone, err := j.old(j.ctx, bucket.StateFolder, named)
	for _, o := range gone {
		failure := j.bucket.Discard(j.ctx, o)
		if failure == nil {
			j.result.Collected = append(j.result.Collected, o.Key)
		}
		err = errors.Join(err, failure)
	}
	if err != nil {
		return &CollectError{err}
	}
	return nil
}

// collectFiles removes the files by their digests that none of the releases has which the pointer
// names. Meanwhile the pointer has the mark, so that nobody else counts on one of them.
func (j *job) collectFiles(ctx context.Context) error {
	gone, err := j.oldFiles(ctx)
	for _, o := range gone {
		if err != nil {
			break
		}
		if err = j.bucket.Remove(ctx, o.Key); err == nil {
			j.result.Collected = append(j.result.Collected, o.Key)
		}
	}
	return err
}

func (j *job) oldFiles(ctx context.Context) ([]bucket.Object, error) {
	known, err := j.digests(ctx)
	if err != nil {
		return nil, err
	}
	return j.old(ctx, layout.ByHashFolder, known)
}

// digests are the keys of what releases have by digest that the pointer names. Of one that came
// without public addresses there is nothing.
func (j *job) digests(ctx context.Context) (keys map[string]bool, err error) {
	keys = map[string]bool{}
	for p := range j.pointer().Packs() {
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
		for f := range m.Each() {
			keys[layout.ByHashPath(f.SHA256.String())] = true
		}
	}
	return keys, nil
}

// old are the objects of a folder that are not among those to keep. Nothing young is among them:
// somebody may be about to name it; unless something was redacted, which must not wait. What is
// young is told by the store's clock, which also says when the pointer was written.
func (j *job) old(ctx context.Context, folder string, keep map[string]bool) (gone []bucket.Object, err error) {
	now := j.pointer().Modified
	for o, err := range j.bucket.List(ctx, folder) {
		if err != nil {
			return nil, err
		}
		if !keep[o.Key] && isOurs(folder, o.Key) && (j.purge || now.Sub(o.Modified) >= j.opt.Young) {
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

// CollectError says that a release is published, and that something old is still there.
type CollectError struct{ err error }

func (e *CollectError) Error() string {
	return "the release is published, but old ones could not be collected; the next push tries again: " + e.err.Error()
}

// Unwrap is the reason.
func (e *CollectError) Unwrap() error { return e.err }
