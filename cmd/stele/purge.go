package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/deliver/bucket"
	"stele/internal/deliver/push"
)

// purge lets a command tell caches which addresses changed. A bucket has those of which they were
// not told yet. The command runs in dir, or where this process does if that is "".
func purge(
	ctx context.Context, c *cobra.Command, b *bucket.Bucket, command, dir, address string, quiet bool,
) error {
	n, err := push.Purge(ctx, b, func(addresses []string) error {
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

// purgeNotes is where addresses are noted for a folder that is published without a bucket.
func purgeNotes(ctx context.Context, folder string) (*bucket.Bucket, error) {
	state := stateDir("purge")
	if state == "" {
		return nil, errors.New("there is no place for what caches are not told of yet: set XDG_STATE_HOME")
	}
	at, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	place := filepath.Join(state, fmt.Sprintf("%.12x", sha256.Sum256([]byte(at))))
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, err
	}
	return bucket.Open(ctx, "file:///"+strings.TrimPrefix(filepath.ToSlash(place), "/"), bucket.Options{})
}
