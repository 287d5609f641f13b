package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/input"
	"stele/internal/base/clock"
	"stele/internal/base/schema"
	"stele/internal/deliver/edit"
	"stele/internal/deliver/published"
	"stele/internal/deliver/push"
	"stele/record"
)

func editCommand() *cobra.Command {
	var listen string
	var f serveFlags
	c := &cobra.Command{
		Use:   "edit [folder]",
		Short: "Write records in the browser",
		Long: `Edit shows a records folder in the browser as readers will see it, with forms to write, correct and
retract records, to fill in tables, and to publish. If there is no folder yet, it offers to create it.

The forms change the same files as a text editor and the commands correct, revise, reverify, retract,
redact, import and publish. They can be opened only on this machine, with the URL that is printed.
See docs/edit.md.`,
		Example: `  stele edit
  stele edit measles`,
		Args: countArguments(0, 1),
		RunE: func(c *cobra.Command, args []string) error { return f.serveForms(c, args, listen) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8080",
		"host:port on this machine; by default the next free port")
	addQuietFlag(c, &f.quiet)
	return c
}

// serveForms serves a folder's preview with forms until it is stopped.
func (f *serveFlags) serveForms(c *cobra.Command, args []string, address string) error {
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := edit.Listen(address, c.Flags().Changed("listen"))
	if err != nil {
		return err
	}
	defer func() { l.Close() }() // a server may already have closed it
	f.listen = []string{l.Addr().String()}
	f.Log = slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	dir, clean := append(args, ".")[0], func() {}
	show := func(e *edit.Editor, base string) { clean = showForms(c.OutOrStdout(), e, base) }
	defer func() { clean() }()
	var begun *edit.Editor
	if _, err := input.FindRoot(dir); errors.Is(err, fs.ErrNotExist) {
		if err = starter.CheckNewFolder(dir, len(args) > 0); err == nil {
			begun, err = edit.Begin(ctx, dir, (&destination{dir: dir}).stateFolder(), l, show)
		}
		if err != nil || ctx.Err() != nil {
			return err
		}
		show = func(*edit.Editor, string) {} // the browser is already signed in
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
	d := &destination{dir: p.Dir}
	e := &edit.Editor{Files: p.Files, Dir: p.Dir, Service: d, State: d.stateFolder()}
	if begun != nil {
		e.Succeed(begun)
	}
	return e.Serve(ctx, p, l, show)
}

// showForms prints the URL of the forms and opens the browser there. The browser gets the URL in a
// file that only its user can read, because other users can read a program's arguments on many
// systems, and confined browsers cannot read hidden files. clean removes the file.
func showForms(w io.Writer, e *edit.Editor, base string) (clean func()) {
	fmt.Fprintf(w, "The forms are at %s\n  This address works once and only on this computer. Press Ctrl-C to stop\n", base+e.Gate().NewKey())
	home, err := os.UserHomeDir()
	if err != nil || !isTerminal(w) {
		return func() {}
	}
	file, err := keyFile(home, base+e.Gate().NewKey())
	if err != nil {
		return func() {} // the URL is printed
	}
	clean = func() { os.Remove(file) }
	e.Gate().OnSignIn(clean)
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	browser := exec.Command(opener[0], append(opener[1:], file)...)
	if browser.Start() == nil { // otherwise the URL is printed
		go browser.Wait()
	}
	return clean
}

// keyFile writes a page to home that links to address and that only the user can read, and returns
// its path. It removes such pages that killed runs left behind.
func keyFile(home, address string) (string, error) {
	left, _ := filepath.Glob(filepath.Join(home, "stele-edit-*.html")) // the pattern is valid
	for _, file := range left {
		os.Remove(file)
	}
	f, err := os.CreateTemp(home, "stele-edit-*.html")
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, "<!doctype html><meta charset=\"utf-8\"><title>Stele</title><meta http-equiv=\"refresh\" content=\"0; url=%[1]s\"><a href=\"%[1]s\">Open Stele</a>\n", html.EscapeString(address))
	if err = errors.Join(err, f.Chmod(0o600), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// destination is where the releases of the records folder dir are published.
type destination struct{ dir string }

// stateFolder returns the folder with this machine's state about the records folder, or "".
func (d *destination) stateFolder() string {
	s := push.Service{State: stateDir("")}
	dir, err := s.StateOf("edit", d.dir)
	if err != nil {
		return ""
	}
	return dir
}

// openDestination reads the destination from the settings. If known is false, nothing may be sent:
// this machine has not published there, and the user was not asked.
func (d *destination) openDestination() (f *publishFlags, where string, known bool, err error) {
	f = new(publishFlags)
	files, prefix, err := openFolder([]string{d.dir})
	if err == nil {
		err = f.applySettings(files, prefix)
	}
	if err == nil {
		known, err = f.isKnownDestination(prefix)
	}
	return f, cmp.Or(f.to.Folder, f.to.Bucket), known || f.to.Folder != "", err
}

func (d *destination) Local() bool {
	f, _, _, err := d.openDestination()
	return err == nil && (f.to.Folder != "" || f.To.Host == "")
}

func (d *destination) Listing(ctx context.Context, was *published.Listing, ask bool) (*published.Listing, error) {
	f, where, known, err := d.openDestination()
	if err != nil {
		return nil, err
	}
	if !known && ask {
		return nil, published.UntrustedError{Destination: f.To.Name + " (" + f.To.Host + ")"}
	}
	if !known {
		if err := f.Agree(); err != nil {
			return nil, err
		}
	}
	l := &published.Listing{Read: clock.Now(), Destination: where, Records: map[string]map[string]amend.Published{}}
	r, closeRelease, err := openRelease(ctx, where)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer closeRelease() // only read
	l.Release = r.Manifest.Release
	if was != nil && was.Release == l.Release && was.Destination == where {
		l.Records = was.Records
		return l, nil
	}
	for _, k := range record.Kinds {
		l.Records[k.Name] = map[string]amend.Published{}
		for e, err := range r.Entries(k.Name) {
			if err != nil {
				return nil, err
			}
			l.Records[k.Name][e.ID] = amend.Published{Version: e.Version, SHA256: e.SHA256}
		}
	}
	return l, nil
}

func (d *destination) Record(ctx context.Context, kind, id string) ([]byte, error) {
	f, where, known, err := d.openDestination()
	if err == nil && !known {
		err = published.UntrustedError{Destination: f.To.Name + " (" + f.To.Host + ")"}
	}
	if err != nil {
		return nil, err
	}
	r, closeRelease, err := openRelease(ctx, where)
	if err != nil {
		return nil, err
	}
	defer closeRelease() // only read
	for line, err := range r.Records(kind) {
		if err != nil {
			return nil, err
		}
		var head struct{ ID string }
		if json.Unmarshal(line, &head) == nil && head.ID == id {
			return slices.Clone(line), nil
		}
	}
	return nil, fmt.Errorf("%s is not in the latest release: %w", id, fs.ErrNotExist)
}

// Publish publishes the folder like the publish command, if agree accepts the text written to w.
func (d *destination) Publish(
	ctx context.Context, w *strings.Builder, allow string, agree func(string) bool,
) ([]schema.Problem, error) {
	var f publishFlags
	c := f.newCommand()
	c.SetContext(ctx)
	var notes strings.Builder // not part of the text to agree to
	c.SetOut(w)
	c.SetErr(&notes)
	if allow != "" {
		if err := c.Flags().Set("allow", allow); err != nil {
			return nil, err
		}
	}
	f.wait = 30 * time.Second
	var found []schema.Problem
	f.found = func(problems []schema.Problem) { found = problems }
	f.agreed = func() error {
		if agree(w.String()) {
			return nil
		}
		return published.ErrNotAgreed
	}
	err := f.run(c, []string{d.dir})
	w.WriteString("\n" + notes.String())
	switch {
	case errors.Is(err, errFound) && f.shrunk:
		err = published.ErrShrinks
	case errors.Is(err, errFound):
		err = published.ErrErrors
	}
	return found, err
}
