package push

import (
	"stele/internal/bucket"
)

// collect removes the packs that the pointer does not name, but nothing young: somebody may be
// about to name it. What is young is told by the store's clock, which also says when the pointer
// was written.
func (j *job) collect() error {
	named := map[string]bool{}
	for _, p := range append([]bucket.Pack{*j.state.Current}, j.state.Kept...) {
		named[p.Path] = true
	}
	var gone []string
	for o, err := range j.bucket.List(j.ctx, bucket.PackFolder) {
		if err != nil {
			return notCollected(err)
		}
		if !named[o.Key] && j.state.Modified.Sub(o.Modified) >= j.opt.Young {
			gone = append(gone, o.Key)
		}
	}
	for _, key := range gone {
		if err := j.bucket.Remove(j.ctx, key); err != nil {
			return notCollected(err)
		}
		j.result.Collected = append(j.result.Collected, key)
	}
	return nil
}

// CollectError says that a release is published, and that something old is still there.
type CollectError struct{ err error }

func (e *CollectError) Error() string {
	return "the release is published, but old ones could not be collected; the next push tries again: " + e.err.Error()
}

// Unwrap is the reason.
func (e *CollectError) Unwrap() error { return e.err }

func notCollected(err error) error { return &CollectError{err} }
