package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/internal/deliver/mirror"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
	"stele/release"
)

type mirrorFlags struct {
	only  string
	quiet bool
	watch bool
	every time.Duration
	trust trustFlags
	mirror.Options
}

func mirrorCommand() *cobra.Command {
	var f mirrorFlags
	c := &cobra.Command{
		Use:   "mirror address target",
		Short: "Keep a verified copy of a service's releases",
		Long: `Mirror keeps a verified copy of the releases of a service or a bucket, in a folder or a zip. If you run
it again, it downloads only the differences.

The copy is itself a release, with records, listings and descriptions. --only adds other files. A
release that was not built on the release in the copy is refused. See docs/copies.md.`,
		Example: `  stele mirror https://data.example.org copy
  stele mirror https://data.example.org public --only all --watch
  stele mirror s3://measles/live copy`,
		Args: countArguments(2, 2),
		RunE: withInterrupt(f.run),
	}
	c.Flags().StringVar(&f.only, "only", "records", "contents of the copy, comma-separated: records, variants, pages, downloads; or all")
	c.Flags().DurationVar(&f.every, "watch", 0, "keep running, and check every minute (or =DURATION) for a new release")
	c.Flags().Lookup("watch").NoOptDefVal = time.Minute.String()
	c.Flags().BoolVar(&f.AllowOlder, "allow-older", false, "allow the copy to go back to an earlier release")
	c.Flags().BoolVar(&f.Fork, "fork", false, "discard the release in the copy if the next one was not built on it")
	addChoicesFlag(c, "without", "leave out", choice{"by-hash", &f.NoByHash, "files named by SHA-256"})
	f.trust.addFlags(c.Flags())
	addQuietFlag(c, &f.quiet)
	return c
}

func (f *mirrorFlags) run(c *cobra.Command, args []string) error {
	origin, target := args[0], args[1]
	if !fetch.IsURL(origin) && !bucket.IsAddress(origin) {
		return fmt.Errorf("%s is not a URL: write a URL that begins with https:// or http://, or the address of a bucket", fetch.Public(origin))
	}
	if f.watch = c.Flags().Changed("watch"); f.watch && f.every < time.Second {
		return fmt.Errorf("--watch=%s is too short: the minimum is one second", f.every)
	}
	var err error
	if f.Parts, err = parseParts(f.only); err != nil {
		return err
	}
	limits, err := fetchLimits()
	if err != nil {
		return err
	}
	if f.trust.hasKey() {
		f.Verify = func(ctx context.Context, log signing.Files, manifest []byte) ([]string, error) {
			v, err := f.trust.verifyManifest(ctx, log, manifest)
			if err != nil {
				return nil, err
			}
			return v.RolledBack(), nil
		}
	}
	progress, finish := newProgressBar(c.ErrOrStderr(), f.quiet)
	f.Progress = progress
	ctx := c.Context()
	update := func(m *mirror.Mirror) (*mirror.Result, error) { return m.Update(ctx) }
	if bucket.IsAddress(origin) {
		pack, err := bucket.OpenTransport(ctx, origin, limits.Bytes, bucket.Options{})
		if err != nil {
			return err
		}
		defer pack.Close()
		_, err = os.Stat(target)
		pack.Whole = err != nil && len(f.Parts) > 0  // a first copy of more than the records needs the whole pack
		limits.Transport, origin = pack, pack.Name() // the name has no parameters
		update = func(m *mirror.Mirror) (*mirror.Result, error) { return f.updateFrom(ctx, pack, m, target) }
	}
	m := mirror.New(origin, target, limits, f.Options)
	for {
		r, err := update(m)
		finish()
		switch {
		case err != nil && ctx.Err() != nil && f.watch:
			return nil
		case errors.Is(err, context.Canceled):
			return fmt.Errorf("interrupted: %s is unchanged", target)
		case err != nil && !f.watch:
			return err
		case err != nil:
			printError(c.ErrOrStderr(), err)
		case !f.quiet && (!r.Unchanged || !f.watch):
			printMirrored(c.OutOrStdout(), target, r)
		}
		if !f.watch {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(f.every):
		}
	}
}

// updateFrom updates a copy from a bucket. If the bucket's current pack is the source of the copy,
// it reads only the pointer.
func (f *mirrorFlags) updateFrom(
	ctx context.Context, pack *bucket.Transport, m *mirror.Mirror, target string,
) (*mirror.Result, error) {
	before := pack.Counts().Received.Load()
	_, p, err := pack.Find(ctx)
	if err != nil {
		return nil, err
	}
	state := copyStateFile(target)
	if state != "" && os.MkdirAll(filepath.Dir(state), 0o700) == nil {
		pack.Directory = state + ".directory"
	}
	made := fmt.Sprintf("%s %s %q %v %q\n", pack.Name(), p.SHA256, f.Parts, f.NoByHash, f.trust.key)
	if was, err := os.ReadFile(state); err == nil && string(was) == made {
		if r, closeRelease, err := store.Open(target); err == nil {
			defer closeRelease() // only read
			data, err := r.ReadFile(layout.ManifestPath, layout.MaxManifest)
			if err == nil && sha256.Sum256(data) == p.Manifest {
				received := pack.Counts().Received.Load() - before
				return &mirror.Result{Manifest: r.Manifest, Unchanged: true, Received: received}, nil
			}
		}
	}
	r, err := m.Update(ctx)
	if r != nil {
		r.Received = pack.Counts().Received.Load() - before
	}
	if err == nil && pack.Directory != "" {
		os.WriteFile(state, []byte(made), 0o600) // without this file, the next run reads more files
	}
	pack.Whole = false
	return r, err
}

// copyStateFile returns the file in which this machine stores the source of a copy, or "".
func copyStateFile(target string) string {
	at, err := filepath.Abs(target)
	dir := stateDir("mirror")
	if err != nil || dir == "" {
		return ""
	}
	return filepath.Join(dir, fmt.Sprintf("%.12x", sha256.Sum256([]byte(at))))
}

func parseParts(list string) (all []string, err error) {
	for word := range strings.SplitSeq(list, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "all":
			return layout.Parts, nil
		case word == "records":
		case slices.Contains(layout.Parts, word):
			all = append(all, word)
		default:
			return nil, fmt.Errorf("--only %q is unknown: choose from records, %s, all", word, strings.Join(layout.Parts, ", "))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func printMirrored(w io.Writer, target string, r *mirror.Result) {
	if r.Unchanged {
		fmt.Fprintf(w, "%s is up to date: release %s of %s.\n", target, r.Manifest.Release, r.Manifest.Date)
		return
	}
	fmt.Fprintf(w, "%s is release %s of %s: %s.\n", target, r.Manifest.Release, r.Manifest.Date, fetchedText(r))
	printRedacted(w, r.Redacted)
	if r.GaveUp != "" {
		meant := ""
		if r.GaveUpOnPurpose {
			meant = "; the publisher discarded that release"
		}
		fmt.Fprintf(w, "This release was not built on release %s, which was in the copy%s\n", r.GaveUp, meant)
	}
}

// printRedacted prints the versions that the copy no longer contains because the publisher redacted
// them.
func printRedacted(w io.Writer, list []release.Version) {
	for _, v := range list {
		fmt.Fprintf(w, "  version %d of %s was redacted on %s: %s\n", v.Number, v.ID, v.Redacted, report.Printable(v.Reason))
	}
}

// fetchedText returns the number of bytes received, and how much smaller than the whole release
// that is, if the release is large.
func fetchedText(r *mirror.Result) string {
	const worth = 0.9
	share := float64(r.Received) / float64(max(r.Whole, 1))
	if share > worth {
		return report.SizeText(r.Received) + " fetched"
	}
	return fmt.Sprintf("%s downloaded, %.1f %% of the whole release (%s)", report.SizeText(r.Received), 100*share, report.SizeText(r.Whole))
}

func megabytesText(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
