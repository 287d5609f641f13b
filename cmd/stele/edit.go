package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/input"
	"stele/internal/deliver/edit"
)

func editCommand() *cobra.Command {
	var listen string
	var f serveFlags
	c := &cobra.Command{
		Use:   "edit [folder]",
		Short: "Write records in the browser",
		Long: `Edit opens the browser on the folder of records as readers will see it, with forms: to write, correct
and retract records, to fill in tables, and to publish. Without a folder it offers to make one.

The forms write the same files as a text editor, and the commands correct, revise, reverify, retract,
redact, import and publish. Only this machine reaches them, by the address that is printed.
See docs/edit.md.`,
		Example: `  stele edit
  stele edit measles`,
		Args: arguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error { return f.edit(c, args, listen) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8080",
		"host:port of this machine; without this flag another port where that one is taken")
	quietFlag(c, &f.quiet)
	return c
}

// edit serves the preview of a folder with forms, until somebody stops it.
func (f *serveFlags) edit(c *cobra.Command, args []string, address string) error {
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := edit.Listen(address, c.Flags().Changed("listen"))
	if err != nil {
		return err
	}
	defer func() { l.Close() }() // a server may have closed it
	f.listen = []string{l.Addr().String()}
	f.Log = slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	dir, key := append(args, ".")[0], ""
	show := func(address string) { showForms(c.OutOrStdout(), address) }
	if _, err := input.FindRoot(dir); errors.Is(err, fs.ErrNotExist) {
		if err = starter.BeginsAlone(dir, len(args) > 0); err == nil {
			key, err = edit.Begin(ctx, dir, l, show)
		}
		if err != nil || ctx.Err() != nil {
			return err
		}
		show = func(string) {} // the browser is there already
		if l, err = edit.Listen(f.listen[0], true); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	p, _, err := newPreview(c, []string{dir}, f.listen, f.Options, f.quiet)
	if err != nil {
		return err
	}
	e := &edit.Editor{Files: p.Files, Dir: p.Dir, Key: key, Publish: publishAsked(p.Dir)}
	e.Published = func() (func(kind, id string) (amend.Published, bool), error) { return liveIn(p.Dir) }
	return e.Serve(ctx, p, l, show)
}

// showForms prints where the forms are, and opens the browser there.
func showForms(w io.Writer, address string) {
	fmt.Fprintf(w, "The forms are at %s\n  only this machine reaches them; Ctrl-C stops\n", address)
	if !isTerminal(w) {
		return
	}
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	browser := exec.Command(opener[0], append(opener[1:], address)...)
	if browser.Start() == nil { // where there is none, the address is printed
		go browser.Wait()
	}
}

// liveIn reads which records are live where a folder is published to; nil where no place is named.
func liveIn(dir string) (func(kind, id string) (amend.Published, bool), error) {
	var f publishFlags
	files, prefix, err := openFolder([]string{dir})
	if err != nil {
		return nil, err
	}
	s, _, err := input.ReadSettings(files)
	if err != nil || s.Publish == nil {
		return nil, err
	}
	if err := f.configure(files, prefix); err != nil {
		return nil, err
	}
	known, err := publishedIn(context.Background(), cmp.Or(f.to.Folder, f.to.Bucket))
	if errors.Is(err, fs.ErrNotExist) {
		return func(_, _ string) (amend.Published, bool) { return amend.Published{}, false }, nil
	}
	return known, err
}

// publishAsked publishes a folder as the command does, once somebody agrees to what it shows.
func publishAsked(dir string) func(context.Context, *strings.Builder, string, func(string) bool) error {
	return func(ctx context.Context, w *strings.Builder, allow string, agree func(string) bool) error {
		var f publishFlags
		c := f.define()
		c.SetContext(ctx)
		c.SetOut(w)
		c.SetErr(w)
		f.AllowShrink = allow == "shrink"
		f.wait = 30 * time.Second
		f.agreed = func() error {
			if agree(w.String()) {
				return nil
			}
			return edit.ErrNotAgreed
		}
		err := f.run(c, []string{dir})
		switch {
		case errors.Is(err, errFound) && f.shrunk:
			return edit.ErrShrinks
		case errors.Is(err, errFound):
			return errors.New("nothing was published: what is below stands in the way")
		}
		return err
	}
}
