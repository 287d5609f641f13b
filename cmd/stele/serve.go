package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/reading/input"
	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/serve"
	"stele/internal/deliver/serve/certify"
	"stele/internal/disk/store"
	"stele/release"
)

type serveFlags struct {
	listen     []string
	socketMode string
	admin      string
	cert, key  string
	online     onlineFlags
	memory     int64
	logFormat  string
	quiet      bool
	cache      string
	cacheSize  int64
	poll       time.Duration
	fork       bool
	trust      trustFlags
	serve.Options
}

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve [folder, release or bucket]",
		Short: "Serve a release, or preview records while you write them",
		Long: `Serve verifies a release and answers HTTP requests from it. It switches to the next release as soon as
that is in the same place, or on SIGHUP. For a records folder it shows a preview, which is rebuilt when
you save a file. Without an argument it previews the current folder, or the sample.

A release that is damaged, was not built on the current one or, with --key, is not signed is refused,
and the current one stays. From a bucket, serve downloads each release of stele push into --cache.

With --domain, it obtains a certificate for the domain, which must point to this machine, from Let's
Encrypt, whose terms you accept by using the flag. It serves HTTPS on port 443 and redirects readers
from port 80. See docs/operating.md.`,
		Example: `  stele serve
  stele serve public/ --domain data.example.org
  stele serve release.zip --listen :443 --tls-cert cert.pem --tls-key key.pem --admin 127.0.0.1:9090
  stele serve s3://measles/live --cache /var/cache/stele --listen :80`,
		Args: countArguments(0, 1),
		RunE: f.run,
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.listen, "listen", []string{"127.0.0.1:8080"}, "host:port or unix:/path; can be repeated. With --domain, the default is :443")
	flags.StringVar(&f.socketMode, "socket-mode", "660", "permissions of a unix socket, as in chmod")
	flags.StringVar(&f.cert, "tls-cert", "", "certificate for HTTPS and HTTP/2, as PEM")
	flags.StringVar(&f.key, "tls-key", "", "private key of the certificate, as PEM")
	f.online.addFlags(flags)
	flags.StringVar(&f.admin, "admin", "", "private host:port for health, metrics and profiles (default off)")
	flags.DurationVar(&f.MaxAge, "max-age", 5*time.Minute, "how long caches may use an answer before revalidation")
	flags.Int64Var(&f.memory, "memory", 512, "largest release to hold in memory, in megabytes; larger ones are served from disk")
	flags.IntVar(&f.Connections, "max-connections", 10_000, "maximum number of connections")
	flags.IntVar(&f.PerAddress, "max-per-address", 0, "maximum number of connections from one IP address (default a tenth of all connections, -1 for no limit)")
	flags.BoolVar(&f.AccessLog, "access-log", false, "log a line for each request")
	addWordFlag(c, &f.logFormat, "log-format", "text or json", "text", "json")
	addQuietFlag(c, &f.quiet)
	flags.StringVar(&f.cache, "cache", "", "folder of this server for releases of a bucket and certificates (default, without a bucket, $STATE_DIRECTORY, $XDG_STATE_HOME/stele or ~/.local/state/stele)")
	flags.Int64Var(&f.cacheSize, "cache-size", 32768, "maximum size of the releases in the cache, in megabytes")
	flags.DurationVar(&f.poll, "poll", 5*time.Second, "how often to check a bucket for a new release")
	flags.BoolVar(&f.fork, "fork", false, "also serve a release that was not built on the current one")
	f.trust.addKeyFlags(flags)
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	c.MarkFlagsMutuallyExclusive("tls-cert", "domain")
	return c
}

func (f *serveFlags) run(c *cobra.Command, args []string) (err error) {
	f.Log = f.newLogger(c.ErrOrStderr())
	if err := f.checkNumbers(); err != nil {
		return err
	}
	mode, err := parseSocketMode(f.socketMode)
	if err != nil {
		return err
	}
	f.Memory = max(f.memory<<20, 1)
	if f.MaxAge == 0 {
		f.MaxAge = -1 // none; zero would mean the default
	}
	if f.cert != "" {
		certificate, err := certify.OpenFiles(f.cert, f.key, f.Log)
		if err != nil {
			return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.cert, f.key, err)
		}
		f.TLS = certificate.Config()
	}
	if err := f.online.openTLS(c, &f.Options, &f.listen, f.cert != "", f.cache); err != nil {
		return err
	}
	if runtime.GOOS == "linux" && f.TLS == nil {
		// One for the event loop of each core, and one for other work. With TLS there are no event
		// loops, and idle processors would waste time looking for work.
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	f.Status = new(serve.Status)
	p, closeAdmin, err := f.prepareUntil(ctx, c, args)
	defer closeAdmin() // last, so that health can be asked during the whole run
	if err != nil || p.server == nil {
		return err
	}
	d := serve.Doors{
		Listen: f.listen, Chosen: c.Flags().Changed("listen"), Mode: mode,
		Plain: f.online.redirect, PlainChosen: f.online.redirected,
		Ready: func(listeners, plain []net.Listener) {
			if !f.quiet {
				f.printAddresses(c.OutOrStdout(), p.server, listeners, plain, p.about)
			}
		},
	}
	return p.server.Run(ctx, d, f.online.withRenewal(f.Log, p.server.Library().Release().BaseURL, p.background))
}

// prepareUntil opens the release or preview to serve, or returns nothing if ctx ends first. The
// server answers health requests meanwhile and until it is closed.
func (f *serveFlags) prepareUntil(
	ctx context.Context, c *cobra.Command, args []string,
) (p prepared, closeAdmin func() error, err error) {
	if closeAdmin, err = f.Status.ServeAdmin(f.admin, f.Options); err != nil {
		return p, func() error { return nil }, err
	}
	var opened prepared
	ready := make(chan error, 1)
	go func() {
		var err error
		opened, err = f.prepare(ctx, c, args)
		ready <- err
	}()
	select {
	case err := <-ready:
		return opened, closeAdmin, err
	case <-ctx.Done(): // do not wait for a disk that hangs
		f.Log.Info("stopped before the release was open")
		return prepared{}, closeAdmin, nil
	}
}

// prepared is the release or preview to serve. background keeps it up to date until its context
// ends.
type prepared struct {
	server     *serve.Server
	background func(context.Context) error
	about      string
}

func (f *serveFlags) checkNumbers() error {
	for _, n := range []struct {
		name         string
		value, least int64
	}{
		{"memory", f.memory, 0},
		{"max-age", int64(f.MaxAge), 0},
		{"max-connections", int64(f.Connections), 1},
		{"cache-size", f.cacheSize, 1},
		{"poll", int64(f.poll), 1},
	} {
		switch {
		case n.value < 0:
			return fmt.Errorf("--%s must be at least 0", n.name)
		case n.value < n.least:
			return fmt.Errorf("--%s must be more than 0", n.name)
		}
	}
	return nil
}

func (f *serveFlags) prepare(ctx context.Context, c *cobra.Command, args []string) (p prepared, err error) {
	path := append(args, ".")[0]
	switch {
	case bucket.IsAddress(path):
		return f.followBucket(ctx, path)
	case f.cache != "" && f.online.keeper == nil:
		return p, fmt.Errorf("--cache requires a bucket, but %s is not a bucket address", path)
	case isRelease(path):
		// an absolute path, because the current folder may be replaced by another one
		at, err := filepath.Abs(path)
		if err != nil {
			return p, err
		}
		return f.serveFollowing(ctx, at, store.NewSource(at), "watching "+path+" for the next release")
	case f.trust.hasKey():
		return p, errors.New("--key requires a release: a preview is not signed")
	case f.online.keeper != nil:
		return p, fmt.Errorf("--domain requires a release, but %s is not a release: build one with `stele build -o public`", path)
	}
	show, about, err := newPreview(c, args, f.listen, f.Options, f.quiet)
	if errors.As(err, new(input.NoFolderError)) {
		err = fmt.Errorf("%s is neither a release nor a records folder: no %s in it, and no %s in it or its parents", path, layout.ManifestPath, input.SettingsFile)
	}
	if err != nil {
		return p, err
	}
	s, err := show.Start(ctx)
	return prepared{s, show.Watch, about}, err
}

// followBucket serves the release in a bucket, and later releases.
func (f *serveFlags) followBucket(ctx context.Context, address string) (p prepared, err error) {
	if f.cache == "" {
		return p, errors.New("--cache FOLDER is required: a folder for releases of the bucket that only this server uses")
	}
	b, err := bucket.Open(ctx, address, bucket.Options{})
	if err != nil {
		return p, err
	}
	place, err := b.At(ctx, bucket.PlaceOptions{
		Cache: f.cache, Every: f.poll, Bytes: f.cacheSize << 20, Log: f.Log, Refused: f.Status.Count,
	})
	if err != nil {
		return p, errors.Join(err, b.Close())
	}
	f.Status.Follow(place)
	if err = place.Await(ctx); err == nil {
		p, err = f.serveFollowing(ctx, b.Name(), place, "following "+b.Name())
	}
	if err != nil {
		return p, errors.Join(err, place.Close())
	}
	follow := p.background
	p.background = func(ctx context.Context) error { return errors.Join(follow(ctx), place.Close()) }
	return p, nil
}

// serveFollowing serves the release in place, and later releases there.
func (f *serveFlags) serveFollowing(
	ctx context.Context, name string, place serve.Place, about string,
) (p prepared, err error) {
	guard := &serve.Guard{Place: place, Fork: f.fork}
	if f.trust.hasKey() {
		guard.Verify = func(r *release.Release) (gaveUp []string, err error) {
			v, err := f.trust.verifyRelease(ctx, r)
			if err != nil {
				return nil, err
			}
			f.Log.Info("the signature is valid", "release", v.Entry.Release, "keys", v.Keys, "entry", v.Index+1, "entries", v.Size)
			return v.RolledBack(), nil
		}
	}
	follower, err := serve.Follow(name, guard, f.Options)
	if err != nil {
		return p, err
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	return prepared{follower.Server(), func(ctx context.Context) error {
		follower.Run(ctx, hangup)
		return nil
	}, about}, nil
}

// isRelease reports whether path is a zip, or a folder with a manifest and without settings.
func isRelease(path string) bool {
	return store.IsZip(path) || fileExists(path, layout.ManifestPath) && !fileExists(path, input.SettingsFile)
}

func fileExists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// parseSocketMode parses the permissions of a unix socket, such as 660.
func parseSocketMode(text string) (fs.FileMode, error) {
	mode, err := strconv.ParseUint(text, 8, 32)
	if err != nil || mode > 0o777 {
		return 0, fmt.Errorf("--socket-mode %q is malformed: write three digits from 0 to 7, such as 660", text)
	}
	return fs.FileMode(mode), nil
}

func (f *serveFlags) printAddresses(w io.Writer, s *serve.Server, listeners, plain []net.Listener, about string) {
	m := s.Library().Release()
	what := fmt.Sprintf("%s (release %s)", m.Title, m.Release)
	if s.Library().IsBlank() {
		what = "a page that lists the problems"
	}
	at := func(url string) {
		fmt.Fprintf(w, "Serving %s at %s\n", what, url)
		fmt.Fprintf(w, "  pages  %s/        JSON  %s/api/v1/signals.json\n", url, url)
	}
	for _, domain := range f.online.domains {
		at("https://" + domain)
	}
	for _, l := range listeners {
		switch url := serve.URL(l, f.TLS != nil); {
		case len(f.online.domains) > 0:
			fmt.Fprintf(w, "  listening on %s\n", l.Addr())
		case url == "":
			fmt.Fprintf(w, "Serving %s at unix:%s\n", what, l.Addr())
		default:
			at(url)
		}
	}
	for _, l := range plain {
		fmt.Fprintf(w, "  HTTP on %s redirects there\n", l.Addr())
	}
	fmt.Fprintf(w, "  %s; press Ctrl-C to stop\n", about)
}

func (f *serveFlags) newLogger(w io.Writer) *slog.Logger {
	opt := &slog.HandlerOptions{Level: slog.LevelInfo}
	if f.quiet {
		opt.Level = slog.LevelError
	}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}
