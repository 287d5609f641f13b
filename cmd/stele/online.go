package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/deliver/serve"
	"stele/internal/deliver/serve/certify"
)

// onlineFlags are the flags of serve for a public address with HTTPS.
type onlineFlags struct {
	domains    []string
	directory  string
	try        bool
	redirect   string
	redirected bool // whether --redirect was given
	keeper     *certify.Keeper
}

func (o *onlineFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.domains, "domain", nil, "public domain of this server; can be repeated")
	flags.BoolVar(&o.try, "try", false, "with --domain, obtain untrusted test certificates, which have no strict rate limits")
	flags.StringVar(&o.directory, "acme-directory", certify.LetsEncrypt, "ACME directory of the certificate authority")
	flags.StringVar(&o.redirect, "redirect", "", "host:port that redirects HTTP to HTTPS, or none (default :80 with --domain)")
}

// openTLS opens the certificates of the domains, and sets the handler for unencrypted HTTP
// and the default of listen. secure reports whether there is another certificate.
func (o *onlineFlags) openTLS(c *cobra.Command, opt *serve.Options, listen *[]string, secure bool, cache string) error {
	o.redirected = c.Flags().Changed("redirect")
	if o.redirect == "none" {
		o.redirect = ""
	}
	switch {
	case len(o.domains) == 0 && o.try, len(o.domains) == 0 && c.Flags().Changed("acme-directory"):
		return errors.New("--try and --acme-directory require --domain")
	case o.try && c.Flags().Changed("acme-directory"):
		return errors.New("--try uses Let's Encrypt and --acme-directory another authority: remove one of them")
	case o.redirected && !secure && len(o.domains) == 0:
		return errors.New("--redirect requires HTTPS: add --domain, or --tls-cert and --tls-key")
	case len(o.domains) == 0:
		if o.redirected {
			opt.Unsecured = certify.ToHTTPS
		}
		return nil
	}
	if !c.Flags().Changed("listen") {
		*listen = []string{":443"}
	}
	if !o.redirected {
		o.redirect = ":80"
	}
	if o.try {
		o.directory = certify.Staging
		opt.Log.Warn("browsers do not trust these test certificates: remove --try when everything works")
	}
	var err error
	for i, text := range o.domains {
		if o.domains[i], err = certify.Domain(text); err != nil {
			return fmt.Errorf("--domain %s: %w", text, err)
		}
		if slices.Contains(o.domains[:i], o.domains[i]) {
			return fmt.Errorf("duplicate --domain %s", text)
		}
	}
	dir, err := certificatesDir(cache)
	if err != nil {
		return err
	}
	o.keeper, err = certify.Open(certify.Options{Domains: o.domains, Directory: o.directory, Folder: dir, Log: opt.Log})
	if err != nil {
		return err
	}
	opt.TLS, opt.Unsecured = o.keeper.Config(), o.keeper.Unsecured
	opt.Measures = append(opt.Measures, o.keeper.Measures)
	return nil
}

func certificatesDir(cache string) (string, error) {
	state, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":") // systemd.exec(5)
	dir := cmp.Or(cache, state, stateDir(""))
	if dir == "" {
		return "", errors.New("--cache FOLDER is required, to store certificates")
	}
	return filepath.Join(dir, "certificates"), nil
}

// withRenewal returns a function that runs background and renews certificates. SIGHUP starts a
// renewal at once.
func (o *onlineFlags) withRenewal(log *slog.Logger, base string, background func(context.Context) error,
) func(ctx context.Context, plain bool) error {
	if o.keeper == nil {
		return func(ctx context.Context, _ bool) error { return background(ctx) }
	}
	if at, err := url.Parse(base); err == nil && !slices.Contains(o.domains, at.Hostname()) {
		log.Warn("the release has a different base_url in its pages, feeds and descriptions: set base_url in stele.yaml and build again",
			"base_url", base, "domain", o.domains[0])
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	return func(ctx context.Context, plain bool) error {
		var keeping sync.WaitGroup
		keeping.Go(func() { o.keeper.Run(ctx, plain, hangup) })
		defer keeping.Wait()
		return background(ctx)
	}
}
