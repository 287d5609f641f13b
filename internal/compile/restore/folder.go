package restore

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"stele/internal/base/layout"
	"stele/internal/disk/durable"
	"stele/internal/disk/scratch"
	"stele/record"
	"stele/release"
)

// On finds the last release of a day or before it, the release with an ID, or the latest for "".
func On(releases []layout.Past, day string) (place int, err error) {
	for i, p := range releases {
		if p.Release == day {
			return i, nil
		}
	}
	if day == "" && len(releases) > 0 {
		return len(releases) - 1, nil
	}
	if !record.Date(day).Valid() {
		return 0, fmt.Errorf("--as-of %q is not a date: write YYYY-MM-DD, or the ID of a release", day)
	}
	h := release.RecordHistory{Releases: releases}
	if place = h.ReleaseOn(day); place < 0 {
		return 0, fmt.Errorf("the first release that is known is %s of %s: there is nothing of %s", releases[0].Release, releases[0].Date, day)
	}
	return place, nil
}

// To writes the records as they stood on a day into a folder that is not there yet. It is there
// whole, or not at all.
func To(ctx context.Context, r *release.Release, day, folder string) (
	past layout.Past, count int, redacted []string, err error,
) {
	var releases []layout.Past
	for p, err := range r.Releases() {
		if err != nil {
			return past, 0, nil, err
		}
		releases = append(releases, p)
	}
	place, err := On(releases, day)
	if err != nil {
		return past, 0, nil, err
	}
	if _, err := os.Lstat(folder); err == nil {
		return past, 0, nil, fmt.Errorf("%s is there already: name a folder that is not", folder)
	}
	beside, err := os.MkdirTemp(filepath.Dir(folder), ".stele-restore-")
	if err != nil {
		return past, 0, nil, err
	}
	defer os.RemoveAll(beside) // what is left of it, if anything failed
	made := filepath.Join(beside, "folder")
	past, count, redacted, err = Records(ctx, r, place,
		func() (*os.File, error) { return scratch.New(beside, "scratch-*") },
		func(path string) (io.WriteCloser, error) {
			at := filepath.Join(made, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				return nil, err
			}
			return os.Create(at)
		})
	if err != nil {
		return past, 0, nil, err
	}
	return past, count, redacted, durable.Replace(made, folder)
}
