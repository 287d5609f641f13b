package push

import (
	"errors"
	"io/fs"
	"iter"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/release"
)

// collect removes the packs that the pointer does not name, what interrupted pushes left of their
// probes, and the files by their digests that none of the releases has which it names. Nothing
// young is removed: somebody may be about to name it. What is young is told by the store's clock,
// which also says when the pointer was written.
func (j *job) collect() error {
	named := map[string]bool{}
	for p := range j.named() {
		named[p.Path] = true
	}
	if err := j.sweep(bucket.StateFolder, named); err != nil {
		return &CollectError{err}
	}
	if j.state.Site == nil {
		return nil
	}
	known, err := j.digests()
	if err == nil {
		err = j.sweep(layout.ByHashFolder, known)
	}
	if err != nil {
		return &CollectError{err}
	}
	return nil
}

// named are the packs that the pointer names.
func (j *job) named() iter.Seq[bucket.Pack] {
	return func(yield func(bucket.Pack) bool) {
		if !yield(*j.state.Current) {
			return
		}
		for _, p := range j.state.Kept {
			if !yield(p) {
				return
			}
		}
	}
}

// digests are the keys of what releases have by digest that the pointer names. Of one that came
// without public addresses there is nothing.
func (j *job) digests() (keys map[string]bool, err error) {
	keys = map[string]bool{}
	manifests := j.state.Site.Manifests
	for p := range j.named() {
		manifests = append(manifests[:len(manifests):len(manifests)], p.Manifest)
	}
	for _, digest := range manifests {
		key := layout.ByHashPath(digest.String())
		if keys[key] {
			continue
		}
		m := j.r.Manifest
		if digest != j.pack.Manifest {
			r, _, err := past(j.ctx, j.bucket, digest)
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

// sweep removes the objects of a folder that are not among those to keep.
func (j *job) sweep(folder string, keep map[string]bool) error {
	var gone []string
	for o, err := range j.bucket.List(j.ctx, folder) {
		if err != nil {
			return err
		}
		if !keep[o.Key] && isOurs(folder, o.Key) && j.state.Modified.Sub(o.Modified) >= j.opt.Young {
			gone = append(gone, o.Key)
		}
	}
	for _, key := range gone {
		if err := j.bucket.Remove(j.ctx, key); err != nil {
			return err
		}
		j.result.Collected = append(j.result.Collected, key)
	}
	return nil
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
