package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/input"
	"stele/internal/build/publish"
	"stele/internal/deliver/edit"
	"stele/internal/deliver/preview"
	"stele/internal/deliver/serve"
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
	l, err := listenHere(address, c.Flags().Changed("listen"))
	if err != nil {
		return err
	}
	f.listen = []string{l.Addr().String()}
	f.Log = slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	dir := append(args, ".")[0]
	if _, err := input.FindRoot(dir); errors.Is(err, fs.ErrNotExist) {
		begun, err := f.beginFolder(ctx, c, dir, len(args) > 0, l)
		if err != nil || !begun {
			return err
		}
		if l, err = listenHere(f.listen[0], true); err != nil {
			return err
		}
	} else if err != nil {
		return errors.Join(err, l.Close())
	}
	p, _, err := newPreview(c, []string{dir}, f.listen, f.Options, f.quiet)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return f.editFolder(ctx, c, p, l)
}

// editFolder serves the forms of a folder that is there.
func (f *serveFlags) editFolder(ctx context.Context, c *cobra.Command, p *preview.Preview, l net.Listener) error {
	e := &edit.Editor{Files: p.Files, Dir: p.Dir, Key: f.editKey}
	live := &liveRecords{dir: p.Dir}
	e.Published = live.records
	e.Publish = func(ctx context.Context, w *strings.Builder, allow string, agree func(string) bool) error {
		defer live.forget()
		return publishAsked(ctx, p.Dir, w, allow, agree)
	}
	report := p.Report
	p.Report = func(o *publish.Outcome, took time.Duration) string {
		e.Built(o.Check)
		return report(o, took)
	}
	p.Forms = e
	s, err := p.Start(ctx)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	if f.editKey == "" { // the browser is there already otherwise
		f.showAddress(c, l, e.Secret())
	}
	err = p.Watch(ctx)
	err = errors.Join(err, shutdown(s), e.Close())
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// listenHere listens on this machine alone. Where the port is taken, and it need not be this one,
// it is any.
func listenHere(address string, exactly bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: write an address and a port of this machine, such as 127.0.0.1:8080",
			address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %s: forms are for this machine alone: write 127.0.0.1 and a port", address)
	}
	l, err := serve.Listen(address)
	if err != nil && !exactly {
		return serve.Listen(net.JoinHostPort(host, "0"))
	}
	return l, err
}

// beginFolder asks for what a folder needs, and makes it. It ends when one is made, or somebody
// stops it.
func (f *serveFlags) beginFolder(ctx context.Context, c *cobra.Command, dir string, named bool, l net.Listener) (bool,
	error,
) {
	at, err := filepath.Abs(dir)
	if err == nil {
		err = starter.BeginsAlone(dir, named)
	}
	if err != nil {
		return false, errors.Join(err, l.Close())
	}
	made := make(chan struct{})
	var once sync.Once
	e := edit.Begin(at, func() { once.Do(func() { close(made) }) })
	f.editKey = e.Secret()
	server := &http.Server{
		Handler:           (&preview.Preview{Listen: f.listen, Forms: e}).Around(),
		ReadHeaderTimeout: time.Minute,
	}
	go server.Serve(l) // it ends with Shutdown
	f.showAddress(c, l, f.editKey)
	select {
	case <-made:
	case <-ctx.Done():
	}
	return ctx.Err() == nil, shutdown(server)
}

// showAddress prints where the forms are, and opens the browser there.
func (f *serveFlags) showAddress(c *cobra.Command, l net.Listener, key string) {
	address := serve.URL(l, false) + edit.Root + "?key=" + key
	fmt.Fprintf(c.OutOrStdout(), "The forms are at %s\n  only this machine reaches them; Ctrl-C stops\n", address)
	if !isTerminal(c.OutOrStdout()) {
		return
	}
	opener := map[string][]string{
		"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"},
	}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	browser := exec.Command(opener[0], append(opener[1:], address)...)
	if browser.Start() == nil { // where there is none, the address is printed
		go browser.Wait()
	}
}

// liveRecords are those of the release that is live, as long as it is not forgotten.
type liveRecords struct {
	dir   string
	mu    sync.Mutex
	until time.Time
	known func(kind, id string) (amend.Published, bool)
}

func (p *liveRecords) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = time.Time{}
}

// records reads what is live; nil where no place is named, or nothing is there yet.
func (p *liveRecords) records() (func(kind, id string) (amend.Published, bool), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(p.until) {
		return p.known, nil
	}
	var f publishFlags
	files, prefix, err := openFolder([]string{p.dir})
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
		known, err = func(_, _ string) (amend.Published, bool) { return amend.Published{}, false }, nil
	}
	if err != nil {
		return nil, err
	}
	p.known, p.until = known, time.Now().Add(time.Minute)
	return known, nil
}

// publishAsked publishes a folder as the command does, once somebody agrees to what it shows.
func publishAsked(ctx context.Context, dir string, w *strings.Builder, allow string, agree func(string) bool) error {
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
