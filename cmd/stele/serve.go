package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/input"
	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/serve"
	"stele/internal/deliver/serve/certify"
	"stele/internal/disk/store"
	"stele/release"
)

// serveFlags are the options of the command.
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
	flags.StringVar(&f.logFormat, "log-format", "text", "text or json")
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
	if f.Log, err = f.logger(c.ErrOrStderr()); err != nil {
		return err
	}
	if err := f.checkNumbers(); err != nil {
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
	if err := f.goOnline(c); err != nil {
		return err
	}
	if runtime.GOOS == "linux" && f.TLS == nil {
		// One for the loop of each core, and one for all else. With TLS there are no loops, and
		// processors without work would cost time in which they look for it.
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	type prepared struct {
		s          *serve.Server
		background func(context.Context) error
		about      string
		err        error
	}
	ready := make(chan prepared, 1)
	go func() {
		s, background, about, err := f.prepare(ctx, c, args)
		ready <- prepared{s, background, about, err}
	}()
	select {
	case p := <-ready:
		if p.err != nil {
			return p.err
		}
		return f.serve(ctx, c, p.s, p.background, p.about)
	case <-ctx.Done(): // a disk that hangs is not waited for
		f.Log.Info("stopped before the release was open")
		return nil
	}
}

// checkNumbers refuses numbers that would do something odd.
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

// prepare opens what is to be served. background keeps it up to date until the context ends.
func (f *serveFlags) prepare(
	ctx context.Context,
	c *cobra.Command,
	args []string,
) (s *serve.Server, background func(context.Context) error, about string, err error) {
	path := "."
	if len(args) > 0 {
		path = args[0]
	}
	if bucket.IsAddress(path) {
		return f.followBucket(ctx, path)
	}
	if f.cache != "" && f.online.keeper == nil {
		return nil, nil, "", fmt.Errorf("--cache is for a bucket, and %s is none", path)
	}
	if isRelease(path) {
		return f.follow(ctx, path)
	}
	if f.trust.given() {
		return nil, nil, "", errors.New("--key is for a release: a preview of records is not signed")
	}
	if f.online.keeper != nil {
		return nil, nil, "", fmt.Errorf("--domain puts a release online, and %s is none: stele build -o public makes one", path)
	}
	p, about, err := f.preview(c, args)
	if errors.As(err, new(noFolder)) {
		err = fmt.Errorf("%s is neither a release nor a folder of records: it has no %s, and there is no %s in it or around it", path, layout.ManifestPath, input.SettingsFile)
	}
	if err != nil {
		return nil, nil, "", err
	}
	s, err = p.Start(ctx)
	return s, p.Watch, about, err
}

// follow serves the release at a path, and those that follow it.
func (f *serveFlags) follow(
	ctx context.Context,
	path string,
) (s *serve.Server, background func(context.Context) error, about string, err error) {
	about = "watching " + path + " for the next release"
	// the folder where one stands stays the same when another is put in its place
	if path, err = filepath.Abs(path); err != nil {
		return nil, nil, "", err
	}
	s, background, err = f.followPlace(ctx, path, store.At(path))
	return s, background, about, err
}

// followBucket serves the release in a bucket, and those that follow it.
func (f *serveFlags) followBucket(
	ctx context.Context,
	address string,
) (s *serve.Server, background func(context.Context) error, about string, err error) {
	if f.cache == "" {
		return nil, nil, "", errors.New("say where releases of the bucket are kept: --cache FOLDER, which this server has for itself")
	}
	b, err := bucket.Open(ctx, address, bucket.Options{})
	if err != nil {
		return nil, nil, "", err
	}
	place, err := b.At(ctx, bucket.PlaceOptions{Cache: f.cache, Every: f.poll, Bytes: f.cacheSize << 20, Log: f.Log})
	if err != nil {
		return nil, nil, "", errors.Join(err, b.Close())
	}
	if err := place.Await(ctx); err != nil {
		return nil, nil, "", errors.Join(err, place.Close())
	}
	others := f.Measures
	f.Measures = func(serving string) (all []serve.Measure) {
		if others != nil {
			all = others(serving)
		}
		for _, m := range place.Measures(serving) {
			all = append(all, serve.Measure(m))
		}
		return all
	}
	s, run, err := f.followPlace(ctx, b.Name(), place)
	if err != nil {
		return nil, nil, "", errors.Join(err, place.Close())
	}
	return s, func(ctx context.Context) error { return errors.Join(run(ctx), place.Close()) }, "following " + b.Name(), nil
}

// followPlace serves the release at a place, and those that come there.
func (f *serveFlags) followPlace(
	ctx context.Context,
	name string,
	place serve.Place,
) (*serve.Server, func(context.Context) error, error) {
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
		return nil, nil, err
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	return follower.Server(), func(ctx context.Context) error {
		follower.Run(ctx, hangup)
		return nil
	}, nil
}

// isRelease reports whether a path is a zip, or a folder with a manifest and no settings.
func isRelease(path string) bool {
	if store.IsZip(path) {
		return true
	}
	return isThere(path, layout.ManifestPath) && !isThere(path, input.SettingsFile)
}

func isThere(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// serve listens, and serves until the context ends.
func (f *serveFlags) serve(
	ctx context.Context,
	c *cobra.Command,
	s *serve.Server,
	background func(context.Context) error,
	about string,
) error {
	closeAdmin, err := f.serveAdmin(s)
	if err != nil {
		return errors.Join(err, s.Shutdown(ctx))
	}
	defer closeAdmin() // after the rest, so that health can be asked to the end
	listeners, plain, err := f.listeners(c)
	if err != nil {
		return errors.Join(err, s.Shutdown(ctx))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	startServing(listeners, s.Serve, cancel)
	startServing(plain, s.ServeUnsecured, cancel)
	background = f.certified(s, len(plain) > 0, background)
	if !f.quiet {
		f.announce(c.OutOrStdout(), s, listeners, plain, about)
	}
	finished := make(chan error, 1)
	go func() {
		err := background(ctx)
		if err != nil {
			cancel(err)
		}
		finished <- err
	}()
	<-ctx.Done()
	err = f.stop(s)
	select {
	case <-finished:
	case <-time.After(time.Second): // a disk that hangs is not waited for, and nothing is lost by it
		f.Log.Info("a release was being read, which is not waited for")
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return errors.Join(cause, err)
	}
	return err
}

// startServing serves on listeners. What ends one of them too soon goes to cancel.
func startServing(listeners []net.Listener, serve func(net.Listener) error, cancel context.CancelCauseFunc) {
	for _, l := range listeners {
		go func() {
			if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
				cancel(fmt.Errorf("serve on %s: %w", l.Addr(), err))
			}
		}()
	}
}

// stopTime is how long what is in flight may take when the server stops.
const stopTime = 30 * time.Second

// stop lets the server finish, as long as it may. That something had to be cut is no failure of the
// program.
func (f *serveFlags) stop(s *serve.Server) error {
	patience, done := context.WithTimeout(context.Background(), stopTime)
	defer done()
	patience, done = signal.NotifyContext(patience, os.Interrupt, syscall.SIGTERM)
	defer done()
	f.Log.Info("stopping; what is in flight is finished")
	err := s.Shutdown(patience)
	if err != nil && patience.Err() != nil {
		f.Log.Warn("stopped early", "error", err)
		return nil
	}
	return err
}

// serveAdmin answers whoever runs the server, at an address of its own, until it is closed.
func (f *serveFlags) serveAdmin(s *serve.Server) (closeAdmin func() error, err error) {
	if f.admin == "" {
		return func() error { return nil }, nil
	}
	l, err := serve.Listen(f.admin)
	if err != nil {
		return nil, err
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		f.Log.Warn("others than this machine can reach health, metrics and profiles", "admin", a.String())
	}
	admin := &http.Server{Handler: s.Admin(), ReadHeaderTimeout: f.HeaderTime}
	go admin.Serve(l) // ends with Close
	return admin.Close, nil
}

// listeners are those that systemd passes on, or else those of the flags. plain are those that
// speak no TLS beside others that do.
func (f *serveFlags) listeners(c *cobra.Command) (list, plain []net.Listener, err error) {
	inherited, err := serve.Inherited()
	if err != nil {
		return nil, nil, err
	}
	for _, l := range inherited {
		if at, ok := l.Addr().(*net.TCPAddr); ok && f.Unsecured != nil && at.Port == 80 {
			plain = append(plain, l)
		} else {
			list = append(list, l)
		}
	}
	if len(inherited) > 0 && !c.Flags().Changed("listen") {
		return list, plain, nil
	}
	mode, err := socketMode(f.socketMode)
	if err != nil {
		return nil, nil, err
	}
	for _, address := range f.listen {
		l, err := serve.Listen(address)
		if err == nil {
			list = append(list, l)
			err = serve.SetSocketMode(l, mode)
		}
		if err != nil {
			return nil, nil, errors.Join(err, closeAll(list))
		}
	}
	redirect, err := f.online.listen(f.Log)
	if err != nil {
		return nil, nil, errors.Join(err, closeAll(list))
	}
	return list, append(plain, redirect...), nil
}

func closeAll(list []net.Listener) (err error) {
	for _, l := range list {
		err = errors.Join(err, l.Close())
	}
	return err
}

// socketMode reads the permissions of a unix socket, as chmod has them.
func socketMode(text string) (fs.FileMode, error) {
	mode, err := strconv.ParseUint(text, 8, 32)
	if err != nil || mode > 0o777 {
		return 0, fmt.Errorf("--socket-mode %q: write permissions as three digits from 0 to 7, such as 660", text)
	}
	return fs.FileMode(mode), nil
}

// announce says where to look.
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

func (f *serveFlags) logger(w io.Writer) (*slog.Logger, error) {
	level := slog.LevelInfo
	if f.quiet {
		level = slog.LevelError
	}
	switch f.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), nil
	}
	return nil, fmt.Errorf("--log-format %q: write text or json", f.logFormat)
}
