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

// Caches in front of a bucket are notified of changed URLs. The URLs are stored in the bucket
// before anything changes, and deleted after the caches were notified, so that none is lost after
// an interruption.

// purgeFolder contains lists of changed URLs that caches have not yet purged, one list for each
// release.
const purgeFolder = bucket.StateFolder + "purge/"

// maxPurge is the maximum size of such a list, in bytes.
const maxPurge = 1 << 30

// storeChanges stores the URLs that change with the release. If none changes, it stores nothing.
func (j *job) storeChanges(ctx context.Context) error {
	b, now, state := j.bucket, j.r, j.before
	if state.Pointer == nil {
		return storeURLs(ctx, b, now)
	}
	if state.Current.Manifest == j.pack.Manifest && state.Current.Signed == j.pack.Signed &&
		(state.Site == nil || state.Site.Writing == "") {
		return nil
	}
	if state.Site == nil { // the bucket has no public files
		old, closeOld, err := b.OpenRelease(ctx, "", math.MaxInt64)
		if err != nil {
			return err
		}
		return errors.Join(storeURLs(ctx, b, now, old), closeOld())
	}
	var old []*release.Release
	for _, digest := range state.Site.Manifests {
		r, files, err := openByManifest(ctx, b, digest)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		defer files.Close()
		old = append(old, r)
	}
	err := storeURLs(ctx, b, now, old...)
	if errors.Is(err, fs.ErrNotExist) { // that release is being deleted
		err = storeURLs(ctx, b, now)
	}
	return err
}

// storeURLs stores in a bucket the URLs whose files differ between now and the releases old. If
// there are no old releases, it stores all URLs.
func storeURLs(ctx context.Context, b *bucket.Bucket, now *release.Release, old ...*release.Release) error {
	// no listing contains these
	changed := map[string]bool{layout.ManifestPath: true, layout.ProofPath: true, layout.CheckpointPath: true}
	is, err := newInventory(publicFiles(now))
	if err != nil {
		return err
	}
	if len(old) == 0 {
		old = []*release.Release{{Manifest: new(release.Manifest)}}
	}
	for _, r := range old {
		was, err := newInventory(publicFiles(r))
		if err != nil {
			return err
		}
		if err := errors.Join(addDifferences(changed, now, was), addDifferences(changed, r, is)); err != nil {
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

// addDifferences adds to changed the paths of the files of r that differ from other.
func addDifferences(changed map[string]bool, r *release.Release, other inventory) error {
	for f, err := range publicFiles(r) {
		if err != nil {
			return err
		}
		item := other.findItem(f.path)
		if (item == nil || item.content != layout.Short(f.sum[:])) && !layout.IsImmutable(f.path) {
			changed[f.path] = true
		}
	}
	return nil
}

// Purge calls notify with the stored URLs, sorted and without duplicates, and deletes them if that
// succeeds. It returns their number.
func Purge(ctx context.Context, b *bucket.Bucket, notify func(addresses []string) error) (int, error) {
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
	if err := notify(slices.Sorted(maps.Keys(all))); err != nil {
		return len(all), err
	}
	for _, key := range keys {
		if err := b.Remove(ctx, key); err != nil {
			return len(all), err
		}
	}
	return len(all), nil
}
