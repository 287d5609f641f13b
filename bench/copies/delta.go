//go:build unix

package main

import (
	"errors"
	"slices"

	"stele/internal/disk/store"
	"stele/record"
	"stele/release"
)

// sizes returns the bytes of the collection of signals in br, and those of its delta.
func sizes(zip string) (whole, delta int64, err error) {
	r, closeRelease, err := store.Open(zip)
	if err != nil {
		return 0, 0, err
	}
	defer closeRelease()
	k := r.Manifest.Kind(record.KindSignal)
	whole = inBrotli(r.Manifest.File(k.Collection))
	for _, d := range k.Deltas {
		delta += inBrotli(r.Manifest.File(d.Path))
	}
	if delta == 0 {
		return 0, 0, errors.New("the release has no delta of the signals")
	}
	return whole, delta, nil
}

func inBrotli(f *release.File) int64 {
	i := slices.IndexFunc(f.Variants, func(v release.Variant) bool { return v.Encoding == "br" })
	return f.Variants[i].Size
}
