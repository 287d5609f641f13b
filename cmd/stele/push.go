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
		Long: `Push publishes a release to an object store: S3 and compatible stores, Google Cloud Storage, Azure Blob
Storage, or a folder. Any number of servers follow it: stele serve s3://BUCKET/PREFIX --cache DIR.

It verifies the release, sends the differences, and then replaces a small pointer. Until then, readers
see the previous release. You can interrupt push and run it again. If another release was published
meanwhile, push refuses: build on that release with --previous and the address of the bucket.

With --site, push also writes the files to their public URLs, for the bucket's website or a CDN.
docs/buckets.md has credentials, permissions and recipes.`,
		Example: `  stele push public s3://measles/live --dry-run
  stele push release.zip s3://measles --site
  stele push release.zip "s3://measles?endpoint=https://ACCOUNT.r2.cloudflarestorage.com&region=auto"
  stele push release.zip azblob://measles`,
		Args: countArguments(2, 2),
		RunE: withInterrupt(f.run),
	}
	flags := c.Flags()
	flags.BoolVarP(&f.DryRun, "dry-run", "n", false, "dry run: show the changes and write nothing")
	flags.IntVar(&f.Keep, "keep", 0, "number of releases to keep (default as before, or 3)")
	flags.BoolVar(&f.Site, "site", false, "also write the files to their public URLs")
	flags.BoolVar(&f.Repair, "repair", false, "check and repair all files at public URLs")
	flags.DurationVar(&f.MaxAge, "max-age", 5*time.Minute, "how long caches may use files of the site (default as before)")
	flags.StringVar(&f.purge, "purge", "", "command that purges changed URLs from caches")
	flags.BoolVar(&f.Whole, "whole", false, "send the whole release, not only the differences")
	flags.BoolVar(&f.Fork, "fork", false, "discard the release in the bucket if this one was not built on it")
	flags.BoolVar(&f.singleWriter, "single-writer", false, "write to a store without conditional writes: only one publisher at a time")
	flags.DurationVar(&f.patience, "patience", 30*time.Second, "how long to wait for an answer from the store")
	addQuietFlag(c, &f.quiet)
	return c
}

func (f *pushFlags) checkFlags(c *cobra.Command, address string) error {
	switch {
	case !bucket.IsAddress(address):
		return fmt.Errorf("%s is not a valid bucket address: write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://CONTAINER/PREFIX or file:///FOLDER", address)
	case c.Flags().Changed("keep") && f.Keep < 1:
		return errors.New("--keep must be at least 1")
	case f.patience < time.Second:
		return errors.New("--patience must be at least a second")
	case f.MaxAge < 0:
		return errors.New("--max-age cannot be negative")
	case !c.Flags().Changed("max-age"):
		f.MaxAge = 0 // as before
	case f.MaxAge == 0:
		f.MaxAge = -1 // none
	}
	return nil
}

func (f *pushFlags) run(c *cobra.Command, args []string) error {
	where, address := args[0], args[1]
	if err := f.checkFlags(c, address); err != nil {
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
	progress, finish := newProgressBar(c.ErrOrStderr(), f.quiet)
	f.Progress, f.Purge, f.Own = progress, f.purge != "", stateDir("push")
	r, err := push.Push(ctx, b, where, f.Options)
	finish()
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; run the command again to continue: %w", err)
		}
		return err
	}
	if r.Unsigned {
		fmt.Fprintf(c.ErrOrStderr(), "stele: release %s is unsigned, but its predecessor %s is signed: servers and copies with --key keep the predecessor. To sign: stele sign %s --key FILE\n",
			r.Pack.Release, r.Before.Release, b.Name())
	}
	if !f.quiet {
		printPushed(c.OutOrStdout(), b, r, f.DryRun)
	}
	printLateError(c, r.Late)
	if f.purge == "" || f.DryRun {
		return nil
	}
	noted := func(ctx context.Context, tell func([]string) error) (int, error) { return push.Purge(ctx, b, tell) }
	return purgeCaches(ctx, c, noted, f.purge, "", r.Address, f.quiet)
}

// refuseExample returns an error if the release at path has the address of the example.
func refuseExample(path string) error {
	r, closeRelease, err := store.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(settings.RefuseExample(record.URL(r.Manifest.BaseURL)), closeRelease())
}

func printPushed(w io.Writer, b *bucket.Bucket, r *push.Result, dry bool) {
	p := r.Pack
	if r.Unchanged {
		fmt.Fprintf(w, "%s already has release %s of %s.\n", b.Name(), p.Release, p.Date)
	} else if dry {
		printPlan(w, b, r)
		return
	} else {
		how := "in one pack"
		if p.Path == "" {
			how = "as differences from the previous pack"
		}
		fmt.Fprintf(w, "%s now has release %s of %s: %s %s, pointer %d.\n", b.Name(), p.Release, p.Date, megabytesText(p.Size), how, r.Serial)
	}
	if s := r.Site; s != nil {
		fmt.Fprintf(w, "  %d files written at public URLs and by digest, %d removed\n", s.Written, s.Removed)
		if s.Repaired {
			fmt.Fprintln(w, "  all existing files were checked")
		}
	}
	for _, key := range r.Collected {
		fmt.Fprintf(w, "  removed %s\n", key)
	}
	printRedacted(w, r.Redacted)
	if len(r.Redacted) > 0 {
		fmt.Fprint(w, stillThere)
	}
	n := b.Counts()
	fmt.Fprintf(w, "  %s sent; %d requests that write or list, %d that read, %d that delete\n",
		megabytesText(n.Sent.Load()), n.Writes.Load(), n.Reads.Load(), n.Deletes.Load())
}

func printPlan(w io.Writer, b *bucket.Bucket, r *push.Result) {
	p := r.Pack
	fmt.Fprintf(w, "Dry run: %s would get release %s of %s.\n", b.Name(), p.Release, p.Date)
	if r.Before == nil {
		fmt.Fprintf(w, "  no release is published there yet\n")
	} else {
		fmt.Fprintf(w, "  it would follow release %s of %s, pointer %d\n", r.Before.Release, r.Before.Date, r.Serial)
	}
	if r.Resumed {
		fmt.Fprintf(w, "  part of the pack of %s is already there from an earlier push\n", megabytesText(p.Size))
	}
	for _, piece := range r.Pieces {
		fmt.Fprintf(w, "  %s to send, as %s\n", megabytesText(piece.Size), piece.Path)
	}
	if s := r.Site; s != nil {
		fmt.Fprintf(w, "  %d files to write at public URLs and by digest, %d to remove; %s including the pack\n", s.Written, s.Removed, megabytesText(r.Bytes))
	}
}

// purgeCaches runs the command that purges changed URLs from caches. noted passes the URLs that are
// not purged yet to a function. The command runs in dir, or in the current folder if dir is "".
func purgeCaches(
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
		shell.WaitDelay = 5 * time.Second // for processes that it left running
		return shell.Run()
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted while caches were purged; run the command again to purge them")
	case err != nil && n > 0:
		return fmt.Errorf("the release is published, but caches may show the previous one: the --purge command failed: %w. Run this again: the %d URLs are stored", err, n)
	case err != nil:
		return err
	case n > 0 && !quiet:
		fmt.Fprintf(c.OutOrStdout(), "  %d URLs purged from caches\n", n)
	}
	return nil
}
