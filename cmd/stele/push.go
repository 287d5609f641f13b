package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/reading/settings"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/push"
	"stele/internal/disk/store"
	"stele/record"
)

type pushFlags struct {
	singleWriter bool
	patience     time.Duration
	quiet        bool
	purge        string
	push.Options
}

func pushCommand() *cobra.Command {
	var f pushFlags
	c := &cobra.Command{
		Use:   "push release bucket",
		Short: "Publish a release to an object store, for any number of servers",
		Long: `Push publishes a release to an object store: S3 and what speaks it, Google Cloud Storage, Azure Blob
Storage, or a folder. Any number of servers follow it: stele serve s3://BUCKET/PREFIX --cache DIR.

It verifies the release, sends what changed, and then swaps a small pointer. Until then what is
published stays as it was; interrupted, it can be run again. If somebody else published meanwhile, it
is refused: build on theirs, with --previous and the address of the bucket.

With --site the files are also brought to their public addresses, for the bucket's web site or a CDN.
docs/buckets.md has credentials, permissions and recipes.`,
		Example: `  stele push public s3://measles/live --dry-run
  stele push release.zip s3://measles --site
  stele push release.zip "s3://measles?endpoint=https://ACCOUNT.r2.cloudflarestorage.com&region=auto"
  stele push release.zip azblob://measles`,
		Args: arguments(2, 2),
		RunE: interruptible(f.run),
	}
	flags := c.Flags()
	flags.BoolVarP(&f.DryRun, "dry-run", "n", false, "show what would be done, and do nothing")
	flags.IntVar(&f.Keep, "keep", 0, "how many releases stay (default as many as before, or 3)")
	flags.BoolVar(&f.Site, "site", false, "bring the files to their public addresses")
	flags.BoolVar(&f.Repair, "repair", false, "put all files at public addresses in order")
	flags.DurationVar(&f.MaxAge, "max-age", 5*time.Minute, "how long caches may use files of the site, as before if not given")
	flags.StringVar(&f.purge, "purge", "", "command that tells caches what changed")
	flags.BoolVar(&f.Whole, "whole", false, "send the whole release, not what changed")
	flags.BoolVar(&f.Fork, "fork", false, "give up the release in the bucket, if this was not built on it")
	flags.BoolVar(&f.singleWriter, "single-writer", false, "write to a store that keeps no conditions: only one may publish at a time")
	flags.DurationVar(&f.patience, "patience", 30*time.Second, "how long the store may be silent")
	quietFlag(c, &f.quiet)
	return c
}

func (f *pushFlags) check(c *cobra.Command, address string) error {
	switch {
	case !bucket.IsAddress(address):
		return fmt.Errorf("%s is not the address of a bucket: write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://CONTAINER/PREFIX or file:///FOLDER", address)
	case c.Flags().Changed("keep") && f.Keep < 1:
		return errors.New("--keep must be at least 1: the release itself")
	case f.patience < time.Second:
		return errors.New("--patience must be at least a second")
	case f.MaxAge < 0:
		return errors.New("--max-age cannot be negative")
	case !c.Flags().Changed("max-age"):
		f.MaxAge = 0 // as it was
	case f.MaxAge == 0:
		f.MaxAge = -1 // none
	}
	return nil
}

func (f *pushFlags) run(c *cobra.Command, args []string) error {
	where, address := args[0], args[1]
	if err := f.check(c, address); err != nil {
		return err
	}
	if err := refuseExample(where); err != nil {
		return err
	}
	ctx := c.Context()
	b, err := bucket.Open(ctx, address, bucket.Options{SingleWriter: f.singleWriter, Patience: f.patience})
	if err != nil {
		return err
	}
	defer b.Close()
	progress, finish := stepBar(c.ErrOrStderr(), f.quiet)
	f.Progress, f.Purge, f.Own = progress, f.purge != "", stateDir("push")
	r, err := push.Push(ctx, b, where, f.Options)
	finish()
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; run it again to go on: %w", err)
		}
		return err
	}
	if r.Unsigned {
		fmt.Fprintf(c.ErrOrStderr(), "stele: release %s is not signed, and %s before it was: servers and copies with --key go on with that one. stele sign %s --key FILE\n",
			r.Pack.Release, r.Before.Release, b.Name())
	}
	if !f.quiet {
		tellPushed(c.OutOrStdout(), b, r, f.DryRun)
	}
	tellLate(c, r.Late)
	if f.purge == "" || f.DryRun {
		return nil
	}
	noted := func(ctx context.Context, tell func([]string) error) (int, error) { return push.Purge(ctx, b, tell) }
	return purge(ctx, c, noted, f.purge, "", r.Address, f.quiet)
}

// refuseExample refuses a release at a path that has the address of the example.
func refuseExample(path string) error {
	r, closeRelease, err := store.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(settings.RefuseExample(record.URL(r.Manifest.BaseURL)), closeRelease())
}

func tellPushed(w io.Writer, b *bucket.Bucket, r *push.Result, dry bool) {
	p := r.Pack
	if r.Unchanged {
		fmt.Fprintf(w, "%s has release %s of %s already.\n", b.Name(), p.Release, p.Date)
	} else if dry {
		tellPlan(w, b, r)
		return
	} else {
		how := "in one pack"
		if p.Path == "" {
			how = "as an increment on the one before"
		}
		fmt.Fprintf(w, "%s has release %s of %s: %s %s, pointer %d.\n", b.Name(), p.Release, p.Date, megabytes(p.Size), how, r.Serial)
	}
	if s := r.Site; s != nil {
		fmt.Fprintf(w, "  %d files written at public addresses and by digest, %d removed\n", s.Written, s.Removed)
		if s.Repaired {
			fmt.Fprintln(w, "  all that was there was looked at")
		}
	}
	for _, key := range r.Collected {
		fmt.Fprintf(w, "  removed %s\n", key)
	}
	tellRedacted(w, r.Redacted)
	if len(r.Redacted) > 0 {
		fmt.Fprint(w, stillThere)
	}
	n := b.Counts()
	fmt.Fprintf(w, "  %s sent; %d requests that write or list, %d that read, %d that delete\n",
		megabytes(n.Sent.Load()), n.Writes.Load(), n.Reads.Load(), n.Deletes.Load())
}

func tellPlan(w io.Writer, b *bucket.Bucket, r *push.Result) {
	p := r.Pack
	fmt.Fprintf(w, "%s would get release %s of %s. Nothing was done.\n", b.Name(), p.Release, p.Date)
	if r.Before == nil {
		fmt.Fprintf(w, "  nothing is published there yet\n")
	} else {
		fmt.Fprintf(w, "  it would follow release %s of %s, pointer %d\n", r.Before.Release, r.Before.Date, r.Serial)
	}
	if r.Resumed {
		fmt.Fprintf(w, "  of the pack of %s something is there already, from an earlier push\n", megabytes(p.Size))
	}
	for _, piece := range r.Pieces {
		fmt.Fprintf(w, "  %s to send, as %s\n", megabytes(piece.Size), piece.Path)
	}
	if s := r.Site; s != nil {
		fmt.Fprintf(w, "  %d files to write at public addresses and by digest, %d to remove; %s with the pack\n", s.Written, s.Removed, megabytes(r.Bytes))
	}
}

// purge lets a command tell caches which addresses changed. noted has those of which they were not
// told yet. The command runs in dir, or where this process does if that is "".
func purge(
	ctx context.Context, c *cobra.Command, noted func(context.Context, func([]string) error) (int, error),
	command, dir, address string, quiet bool,
) error {
	n, err := noted(ctx, func(addresses []string) error {
		shell := exec.CommandContext(ctx, "sh", "-c", command)
		if runtime.GOOS == "windows" {
			shell = exec.CommandContext(ctx, "cmd", "/C", command)
		}
		shell.Dir = dir
		shell.Env = append(os.Environ(), "STELE_ADDRESS="+strings.TrimSuffix(address, "/"))
		shell.Stdin = strings.NewReader(strings.Join(addresses, "\n") + "\n")
		shell.Stdout, shell.Stderr = c.ErrOrStderr(), c.ErrOrStderr()
		shell.WaitDelay = 5 * time.Second // for what it left running
		return shell.Run()
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted while caches were told what changed; run it again to tell them")
	case err != nil && n > 0:
		return fmt.Errorf("the release is published, but caches may show the one before: the command of --purge ended with %w. Run it again: the %d addresses are kept", err, n)
	case err != nil:
		return err
	case n > 0 && !quiet:
		fmt.Fprintf(c.OutOrStdout(), "  caches were told of %d addresses\n", n)
	}
	return nil
}
