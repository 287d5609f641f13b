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
		Short: "Serve a release, or show records while they are written",
		Long: `Serve answers HTTP requests from a release, which it verifies first, and swaps in the next one as soon
as it is in the same place, or on SIGHUP. Of a folder of records it shows a preview, made anew when a
file is saved; without an argument that is the current folder, or else the sample.

A release that is damaged, was not built on the one before or, with --key, is not signed is refused,
and the one before stays. A bucket is followed: what stele push published is brought into --cache.

With --domain it is online: it gets a certificate for the domain, which must point to this machine,
from Let's Encrypt, whose terms you agree to by that, serves HTTPS at port 443, and sends readers
there from port 80. See docs/operating.md.`,
		Example: `  stele serve
  stele serve public/ --domain data.example.org
  stele serve release.zip --listen :443 --tls-cert cert.pem --tls-key key.pem --admin 127.0.0.1:9090
  stele serve s3://measles/live --cache /var/cache/stele --listen :80`,
		Args: arguments(0, 1),
		RunE: f.run,
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.listen, "listen", []string{"127.0.0.1:8080"}, "host:port or unix:/path; can be given several times. With --domain, the default is :443")
	flags.StringVar(&f.socketMode, "socket-mode", "660", "permissions of a unix socket, as of chmod")
	flags.StringVar(&f.cert, "tls-cert", "", "certificate for HTTPS and HTTP/2, as PEM")
	flags.StringVar(&f.key, "tls-key", "", "its private key, as PEM")
	f.online.add(flags)
	flags.StringVar(&f.admin, "admin", "", "address for health, metrics and profiles, not to be exposed (default off)")
	flags.DurationVar(&f.MaxAge, "max-age", 5*time.Minute, "how long caches may use an answer without asking")
	flags.Int64Var(&f.memory, "memory", 512, "megabytes of a release that is held in memory; a larger one is served from its files")
	flags.IntVar(&f.Connections, "max-connections", 10_000, "how many connections may be open")
	flags.IntVar(&f.PerAddress, "max-per-address", 0, "how many of them from one address (default a tenth, -1 for no limit)")
	flags.BoolVar(&f.AccessLog, "access-log", false, "log a line for each request")
	wordFlag(c, &f.logFormat, "log-format", "text or json", "text", "json")
	quietFlag(c, &f.quiet)
	flags.StringVar(&f.cache, "cache", "", "folder of this server alone, for releases of a bucket and certificates (default, without a bucket, $STATE_DIRECTORY, $XDG_STATE_HOME/stele or ~/.local/state/stele)")
	flags.Int64Var(&f.cacheSize, "cache-size", 32768, "megabytes of the releases in the cache")
	flags.DurationVar(&f.poll, "poll", 5*time.Second, "how often a bucket is asked")
	flags.BoolVar(&f.fork, "fork", false, "also serve a release that was not built on the one before")
	f.trust.addKey(flags)
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	c.MarkFlagsMutuallyExclusive("tls-cert", "domain")
	return c
}

func (f *serveFlags) run(c *cobra.Command, args []string) (err error) {
	f.Log = f.logger(c.ErrOrStderr())
	if err := f.checkNumbers(); err != nil {
		return err
	}
	mode, err := socketMode(f.socketMode)
	if err != nil {
		return err
	}
	f.Memory = max(f.memory<<20, 1)
	if f.MaxAge == 0 {
		f.MaxAge = -1 // which is none; zero would be the default
	}
	if f.cert != "" {
		certificate, err := certify.OpenFiles(f.cert, f.key, f.Log)
		if err != nil {
			return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", f.cert, f.key, err)
		}
		f.TLS = certificate.Config()
	}
	if err := f.online.open(c, &f.Options, &f.listen, f.cert != "", f.cache); err != nil {
		return err
	}
	if runtime.GOOS == "linux" && f.TLS == nil {
		// One for the loop of each core, and one for all else. With TLS there are no loops, and
		// processors without work would cost time in which they look for it.
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	f.Status = new(serve.Status)
	p, closeAdmin, err := f.prepareUntil(ctx, c, args)
	defer closeAdmin() // after the rest, so that health can be asked from the beginning to the end
	if err != nil || p.server == nil {
		return err
	}
	d := serve.Doors{
		Listen: f.listen, Chosen: c.Flags().Changed("listen"), Mode: mode,
		Plain: f.online.redirect, PlainChosen: f.online.redirected,
		Ready: func(listeners, plain []net.Listener) {
			if !f.quiet {
				f.announce(c.OutOrStdout(), p.server, listeners, plain, p.about)
			}
		},
	}
	return p.server.Run(ctx, d, f.online.keep(f.Log, p.server.Library().Release().BaseURL, p.background))
}

// prepareUntil opens what is to be served, or nothing if the context ends before. Meanwhile and
// until it is closed, the server can be asked for its health.
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
	case <-ctx.Done(): // a disk that hangs is not waited for
		f.Log.Info("stopped before the release was open")
		return prepared{}, closeAdmin, nil
	}
}

// prepared is what is served. background keeps it up to date until the context ends.
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
			return fmt.Errorf("--%s cannot be less than 0", n.name)
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
		return p, fmt.Errorf("--cache is for a bucket, and %s is not the address of one", path)
	case isRelease(path):
		// the folder where one stands stays the same when another is put in its place
		at, err := filepath.Abs(path)
		if err != nil {
			return p, err
		}
		return f.follow(ctx, at, store.At(at), "watching "+path+" for the next release")
	case f.trust.given():
		return p, errors.New("--key is for a release: a preview of records is not signed")
	case f.online.keeper != nil:
		return p, fmt.Errorf("--domain puts a release online, and %s is none: stele build -o public makes one", path)
	}
	show, about, err := newPreview(c, args, f.listen, f.Options, f.quiet)
	if errors.As(err, new(input.NoFolderError)) {
		err = fmt.Errorf("%s is neither a release nor a folder of records: it has no %s, and there is no %s in it or around it", path, layout.ManifestPath, input.SettingsFile)
	}
	if err != nil {
		return p, err
	}
	s, err := show.Start(ctx)
	return prepared{s, show.Watch, about}, err
}

// followBucket serves the release in a bucket, and those that follow it.
func (f *serveFlags) followBucket(ctx context.Context, address string) (p prepared, err error) {
	if f.cache == "" {
		return p, errors.New("say where releases of the bucket are kept: --cache FOLDER, which this server has for itself")
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
		p, err = f.follow(ctx, b.Name(), place, "following "+b.Name())
	}
	if err != nil {
		return p, errors.Join(err, place.Close())
	}
	follow := p.background
	p.background = func(ctx context.Context) error { return errors.Join(follow(ctx), place.Close()) }
	return p, nil
}

// follow serves the release at a place, and those that come there.
func (f *serveFlags) follow(ctx context.Context, name string, place serve.Place, about string) (p prepared, err error) {
	guard := &serve.Guard{Place: place, Fork: f.fork}
	if f.trust.given() {
		guard.Verify = func(r *release.Release) (gaveUp []string, err error) {
			v, err := f.trust.verifyRelease(ctx, r)
			if err != nil {
				return nil, err
			}
			f.Log.Info("the signature holds", "release", v.Entry.Release, "keys", v.Keys, "entry", v.Index+1, "entries", v.Size)
			return v.GaveUp(), nil
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

// isRelease reports whether a path is a zip, or a folder with a manifest and no settings.
func isRelease(path string) bool {
	return store.IsZip(path) || isThere(path, layout.ManifestPath) && !isThere(path, input.SettingsFile)
}

func isThere(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// socketMode reads the permissions of a unix socket, as chmod has them.
func socketMode(text string) (fs.FileMode, error) {
	mode, err := strconv.ParseUint(text, 8, 32)
	if err != nil || mode > 0o777 {
		return 0, fmt.Errorf("--socket-mode %q: write permissions as three digits from 0 to 7, such as 660", text)
	}
	return fs.FileMode(mode), nil
}

func (f *serveFlags) announce(w io.Writer, s *serve.Server, listeners, plain []net.Listener, about string) {
	m := s.Library().Release()
	what := fmt.Sprintf("%s (release %s)", m.Title, m.Release)
	if s.Library().IsBlank() {
		what = "a page that says what is wrong"
	}
	at := func(url string) {
		fmt.Fprintf(w, "Stele is serving %s at %s\n", what, url)
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
			fmt.Fprintf(w, "Stele is serving %s at unix:%s\n", what, l.Addr())
		default:
			at(url)
		}
	}
	for _, l := range plain {
		fmt.Fprintf(w, "  plain http on %s leads there\n", l.Addr())
	}
	fmt.Fprintf(w, "  %s; Ctrl-C stops\n", about)
}

func (f *serveFlags) logger(w io.Writer) *slog.Logger {
	opt := &slog.HandlerOptions{Level: slog.LevelInfo}
	if f.quiet {
		opt.Level = slog.LevelError
	}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}
