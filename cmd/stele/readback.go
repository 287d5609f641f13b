package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/deliver/fetch"
	"stele/release"
)

// confirmOnly reads the address until it shows what is in the folder or the bucket.
func (f *publishFlags) confirmOnly(ctx context.Context, c *cobra.Command) error {
	if f.to.Address == "" {
		return errors.New("publish.address names no address to read")
	}
	where := f.to.Folder
	if f.to.Bucket != "" {
		where = f.to.Bucket
	}
	r, _, closeRelease, err := f.fetch.open(ctx, where)
	if err != nil {
		return err
	}
	defer closeRelease() // it was only read
	if err := f.purge(ctx, c); err != nil {
		return err
	}
	return f.readBack(ctx, c, r.Manifest)
}

// readBack reads the address until it shows a release.
func (f *publishFlags) readBack(ctx context.Context, c *cobra.Command, m *release.Manifest) error {
	tell := func(format string, args ...any) {
		if !f.quiet {
			fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
		}
	}
	if f.to.Address == "" || f.prepare {
		tell("Release %s of %s is in %s.", m.Release, m.Date, f.at())
		return nil
	}
	address, said := string(f.to.Address), ""
	const pause = time.Second
	for end := time.Now().Add(f.wait); ; {
		shows, err := releaseAt(ctx, address)
		switch {
		case err == nil && shows == m.Release:
			tell("%s shows release %s of %s.", fetch.Public(address), m.Release, m.Date)
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted: release %s is in %s; stele publish --confirm reads the address again", m.Release, f.at())
		case err != nil:
			shows = err.Error()
		default:
			shows = "it shows release " + shows
		}
		if time.Now().After(end) {
			return fmt.Errorf("release %s is in %s, and %s does not show it after %s: %s. stele publish --confirm reads it again",
				m.Release, f.at(), fetch.Public(address), f.wait, shows)
		}
		if shows != said {
			said = shows
			tell("Waiting for %s: %s", fetch.Public(address), shows)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// at is where the release was brought to.
func (f *publishFlags) at() string {
	switch {
	case f.to.Bucket == "" || f.prepare:
		return f.to.Folder
	case f.to.Folder == "":
		return fetch.Public(f.to.Bucket)
	}
	return f.to.Folder + " and " + fetch.Public(f.to.Bucket)
}

// releaseAt is the ID of the release that an address shows, past caches.
func releaseAt(ctx context.Context, address string) (string, error) {
	const patience = 30 * time.Second
	s, err := fetch.Open(ctx, address, fetch.Limits{Time: patience, Fresh: true})
	if err != nil {
		return "", err
	}
	defer s.Close() // it was only read
	read, err := s.Manifest(ctx, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("it has no release yet")
	}
	if err != nil {
		return "", err
	}
	m := new(release.Manifest)
	if err := m.Decode(read.Data); err != nil {
		return "", err
	}
	return m.Release, nil
}
