package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/serve"
	"stele/internal/store"
	"stele/release"
)

// serveFlags are the options of the command.
type serveFlags struct {
	listen    []string
	admin     string
	cert, key string
	memory    int64
	logFormat string
	quiet     bool
	stopTime  time.Duration
	serve.Options
}

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve [folder or release]",
		Short: "Serve a release, or show records while they are written",
		Long: `Serve answers HTTP requests from a release, a folder or a zip that ` + "`stele build`" + ` made. It makes sure that the release is whole before it serves it, and serves
the next one as soon as it is put in the same place, or on SIGHUP. A release that is damaged is refused, and the one before stays.

Given a folder of records it shows what they would become: it builds in memory, builds again when a file is saved, and reloads open pages. Findings stand in the
terminal and in the pages, and the last good release stays up. Without an argument that is the folder where you stand, or else the sample that comes with Stele.

On SIGTERM or Ctrl-C it stops accepting, finishes what is in flight, and ends.`,
		Example: `  stele serve
  stele serve measles/
  stele serve public/ --listen :80
  stele serve release.zip --listen :443 --tls-cert cert.pem --tls-key key.pem --admin 127.0.0.1:9090`,
		Args: cobra.MaximumNArgs(1),
		RunE: f.run,
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.listen, "listen", []string{"127.0.0.1:8080"}, "address to listen on: host:port, or unix:/path; can be given several times. Sockets that systemd passes on come before it")
	flags.StringVar(&f.cert, "tls-cert", "", "certificate for HTTPS and HTTP/2, as PEM")
	flags.StringVar(&f.key, "tls-key", "", "its private key, as PEM")
	flags.StringVar(&f.admin, "admin", "", "address for health, metrics and profiles, such as 127.0.0.1:9090; keep it from the public (default off)")
	flags.DurationVar(&f.MaxAge, "max-age", 5*time.Minute, "how long caches may use an answer without asking")
	flags.Int64Var(&f.memory, "memory", 512, "megabytes that a release may have to be held in memory; a larger one is served from its files")
	flags.IntVar(&f.Connections, "max-connections", 10_000, "how many connections may be open; others wait")
	flags.IntVar(&f.HeaderBytes, "max-header", 16<<10, "how many bytes the head of a request may have")
	flags.DurationVar(&f.HeaderTime, "header-time", 10*time.Second, "how long a client may take to send it")
	flags.DurationVar(&f.IdleTime, "idle-time", time.Minute, "how long a connection may do nothing")
	flags.DurationVar(&f.stopTime, "stop-time", 30*time.Second, "how long to wait for what is in flight when stopping")
	flags.BoolVar(&f.AccessLog, "access-log", false, "log a line for each request")
	flags.StringVar(&f.logFormat, "log-format", "text", "text or json")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "log errors only")
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return c
}

func (f *serveFlags) run(c *cobra.Command, args []string) (err error) {
	if f.Log, err = f.logger(c.ErrOrStderr()); err != nil {
		return err
	}
	f.Memory = f.memory << 20
	if f.MaxAge == 0 {
		f.MaxAge = -1 // which is none; zero would be the default
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return fmt.Errorf("read the certificate: %w", err)
		}
		f.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, background, about, err := f.prepare(c, args)
	if err != nil {
		return err
	}
	return f.serve(ctx, c, s, background, about)
}

// prepare opens what is to be served. background keeps it up to date until the context ends.
func (f *serveFlags) prepare(c *cobra.Command, args []string) (s *serve.Server, background func(context.Context) error, about string, err error) {
	if len(args) > 0 && isRelease(args[0]) {
		follower, err := serve.Follow(args[0], openRelease, f.Options)
		if err != nil {
			return nil, nil, "", err
		}
		return follower.Server(), func(ctx context.Context) error {
			hangup := make(chan os.Signal, 1)
			signal.Notify(hangup, syscall.SIGHUP)
			defer signal.Stop(hangup)
			follower.Run(ctx, hangup)
			return nil
		}, "watching " + args[0] + " for the next release", nil
	}
	p, about, err := f.preview(c, args)
	if err != nil {
		return nil, nil, "", err
	}
	s, err = p.Start()
	return s, p.Watch, about, err
}

// isRelease reports whether a path is a zip, or a folder with a manifest and no settings.
func isRelease(path string) bool {
	if store.IsZip(path) {
		return true
	}
	_, err := os.Stat(filepath.Join(path, release.ManifestPath))
	return err == nil
}

func openRelease(path string) (*release.Release, func() error, error) { return store.Open(path) }

// serve listens, and serves until the context ends.
func (f *serveFlags) serve(ctx context.Context, c *cobra.Command, s *serve.Server, background func(context.Context) error, about string) error {
	listeners, err := f.listeners(c)
	if err != nil {
		return errors.Join(err, s.Shutdown(ctx))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if f.admin != "" {
		l, err := serve.Listen(f.admin)
		if err != nil {
			return errors.Join(err, s.Shutdown(ctx))
		}
		admin := &http.Server{Handler: s.Admin(), ReadHeaderTimeout: f.HeaderTime}
		go admin.Serve(l) // ends with the program, so that health can be asked to the end
		defer admin.Close()
	}
	for _, l := range listeners {
		go func() {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				cancel(fmt.Errorf("serve on %s: %w", l.Addr(), err))
			}
		}()
	}
	if !f.quiet {
		announce(c.OutOrStdout(), s, listeners, f.TLS != nil, about)
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
	<-finished
	patience, done := context.WithTimeout(context.Background(), f.stopTime)
	defer done()
	err = s.Shutdown(patience)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return errors.Join(cause, err)
	}
	return err
}

// listeners are those that systemd passes on, or else those of the flags.
func (f *serveFlags) listeners(c *cobra.Command) ([]net.Listener, error) {
	list, err := serve.Inherited()
	if err != nil || len(list) > 0 && !c.Flags().Changed("listen") {
		return list, err
	}
	for _, address := range f.listen {
		l, err := serve.Listen(address)
		if err != nil {
			for _, open := range list {
				open.Close()
			}
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// announce says where to look.
func announce(w io.Writer, s *serve.Server, listeners []net.Listener, secure bool, about string) {
	m := s.Library().Release()
	for _, l := range listeners {
		url := serve.URL(l, secure)
		if url == "" {
			fmt.Fprintf(w, "Stele is serving %s (release %s) at unix:%s\n", m.Title, m.Release, l.Addr())
			continue
		}
		fmt.Fprintf(w, "Stele is serving %s (release %s) at %s\n", m.Title, m.Release, url)
		fmt.Fprintf(w, "  pages  %s/        JSON  %s/api/v1/signals.json\n", url, url)
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
