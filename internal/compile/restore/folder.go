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

// FindRelease returns the index of a release. day is the ID of that release, or a day for the last
// release on or before it, or "" for the latest release.
func FindRelease(releases []layout.Past, day string) (index int, err error) {
	for i, p := range releases {
		if p.Release == day {
			return i, nil
		}
	}
	if day == "" && len(releases) > 0 {
		return len(releases) - 1, nil
	}
	if !record.Date(day).Valid() {
		return 0, fmt.Errorf("--as-of: invalid date %q: write YYYY-MM-DD or the ID of a release", day)
	}
	h := release.RecordHistory{Releases: releases}
	if index = h.ReleaseOn(day); index < 0 {
		return 0, fmt.Errorf("the first known release is %s of %s: no release on or before %s", releases[0].Release, releases[0].Date, day)
	}
	return index, nil
}

// ToFolder writes the records of the release that FindRelease finds for day to a new folder. After
// an error, it leaves no folder.
func ToFolder(ctx context.Context, r *release.Release, day, folder string) (
	past layout.Past, count int, redacted []string, err error,
) {
	var releases []layout.Past
	for p, err := range r.Releases() {
		if err != nil {
			return past, 0, nil, err
		}
		releases = append(releases, p)
	}
	place, err := FindRelease(releases, day)
	if err != nil {
		return past, 0, nil, err
	}
	if _, err := os.Lstat(folder); err == nil {
		return past, 0, nil, fmt.Errorf("%s already exists: name a new folder", folder)
	}
	beside, err := os.MkdirTemp(filepath.Dir(folder), ".stele-restore-")
	if err != nil {
		return past, 0, nil, err
	}
	defer os.RemoveAll(beside) // removes incomplete files after an error
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
