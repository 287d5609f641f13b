package push

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/release"
)

// Caches that stand before a bucket are told which addresses changed. These are noted in the bucket
// before anything changes, and forgotten when the caches were told, so that none is lost where
// either is interrupted.

// purgeFolder is where a bucket has addresses that caches are not told of yet, a list for each
// release.
const purgeFolder = bucket.StateFolder + "purge/"

// maxPurge is how many bytes a list of addresses may have.
const maxPurge = 1 << 30

// noteChanges notes the addresses that change when the release takes the place of what the bucket
// has. Where nothing does, nothing is noted.
func (j *job) noteChanges(ctx context.Context) error {
	b, now, state := j.bucket, j.r, j.before
	if state.Pointer == nil {
		return note(ctx, b, now)
	}
	if state.Current.Manifest == j.pack.Manifest && state.Current.Signed == j.pack.Signed &&
		(state.Site == nil || state.Site.Writing == "") {
		return nil
	}
	if state.Site == nil { // it has a pack alone
		old, closeOld, err := b.OpenRelease(ctx, "", math.MaxInt64)
		if err != nil {
			return err
		}
		return errors.Join(note(ctx, b, now, old), closeOld())
	}
	var old []*release.Release
	for _, digest := range state.Site.Manifests {
		r, files, err := past(ctx, b, digest)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		defer files.Close()
		old = append(old, r)
	}
	err := note(ctx, b, now, old...)
	if errors.Is(err, fs.ErrNotExist) { // one of them is being collected
		err = note(ctx, b, now)
	}
	return err
}

// note notes in a bucket the addresses at which a release has something else than earlier ones.
// Without those it is all of them.
func note(ctx context.Context, b *bucket.Bucket, now *release.Release, old ...*release.Release) error {
	// these are of no listing
	changed := map[string]bool{layout.ManifestPath: true, layout.ProofPath: true, layout.CheckpointPath: true}
	is, err := take(face(now))
	if err != nil {
		return err
	}
	if len(old) == 0 {
		old = []*release.Release{{Manifest: new(release.Manifest)}}
	}
	for _, r := range old {
		was, err := take(face(r))
		if err != nil {
			return err
		}
		if err := errors.Join(differing(changed, now, was), differing(changed, r, is)); err != nil {
			return err
		}
	}
	var text strings.Builder
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		text.WriteString(layout.Address(path) + "\n")
	}
	key := purgeFolder + now.Manifest.Release + ".txt"
	head := bucket.Head{Type: layout.TypeText, Caching: "no-cache"}
	return b.Put(ctx, key, strings.NewReader(text.String()), int64(text.Len()), head)
}

// differing adds the paths at which a release has something else than another.
func differing(changed map[string]bool, r *release.Release, other inventory) error {
	for f, err := range face(r) {
		if err != nil {
			return err
		}
		item := other.find(f.path)
		if (item == nil || item.content != layout.Short(f.sum[:])) && !layout.IsImmutable(f.path) {
			changed[f.path] = true
		}
	}
	return nil
}

// Purge gives a function the addresses that were noted, each once and in order, and forgets them if
// that went well. It returns how many there were.
func Purge(ctx context.Context, b *bucket.Bucket, tell func(addresses []string) error) (int, error) {
	var keys []string
	all := map[string]bool{}
	for o, err := range b.List(ctx, purgeFolder) {
		if err != nil {
			return 0, err
		}
		data, _, err := b.Read(ctx, o.Key, maxPurge)
		if err != nil {
			return 0, err
		}
		keys = append(keys, o.Key)
		for address := range strings.Lines(string(data)) {
			all[strings.TrimSuffix(address, "\n")] = true
		}
	}
	if len(all) == 0 {
		return 0, nil
	}
	if err := tell(slices.Sorted(maps.Keys(all))); err != nil {
		return len(all), err
	}
	for _, key := range keys {
		if err := b.Remove(ctx, key); err != nil {
			return len(all), err
		}
	}
	return len(all), nil
}
