package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

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
