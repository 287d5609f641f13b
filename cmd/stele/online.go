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

// onlineFlags are the options of serve for a public address with HTTPS.
type onlineFlags struct {
	domains    []string
	directory  string
	try        bool
	redirect   string
	redirected bool // whether redirect was given
	keeper     *certify.Keeper
}

func (o *onlineFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.domains, "domain", nil, "domain to be online at; can be given several times")
	flags.BoolVar(&o.try, "try", false, "get certificates that browsers do not trust, to try --domain without reaching limits")
	flags.StringVar(&o.directory, "acme-directory", certify.LetsEncrypt, "directory of the authority")
	flags.StringVar(&o.redirect, "redirect", "", "address that sends plain HTTP on to HTTPS, or none (default :80 with --domain)")
}

// open opens the certificates of the domains, if there are any, and decides what plain HTTP gets
// and where a server listens. secure says that there is a certificate already.
func (o *onlineFlags) open(c *cobra.Command, opt *serve.Options, listen *[]string, secure bool, cache string) error {
	o.redirected = c.Flags().Changed("redirect")
	if o.redirect == "none" {
		o.redirect = ""
	}
	switch {
	case len(o.domains) == 0 && o.try, len(o.domains) == 0 && c.Flags().Changed("acme-directory"):
		return errors.New("--try and --acme-directory are about the certificate of a domain, and --domain names none")
	case o.try && c.Flags().Changed("acme-directory"):
		return errors.New("--try is for Let's Encrypt, and --acme-directory names another authority: give one of them")
	case o.redirected && !secure && len(o.domains) == 0:
		return errors.New("--redirect sends readers on to HTTPS, which needs --domain, or --tls-cert and --tls-key")
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
		opt.Log.Warn("certificates are for trying, and browsers do not trust them: leave --try out when this works")
	}
	var err error
	for i, text := range o.domains {
		if o.domains[i], err = certify.Domain(text); err != nil {
			return fmt.Errorf("--domain %s: %w", text, err)
		}
		if slices.Contains(o.domains[:i], o.domains[i]) {
			return fmt.Errorf("--domain %s is there twice", text)
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
		return "", errors.New("say where certificates are kept: --cache FOLDER")
	}
	return filepath.Join(dir, "certificates"), nil
}

// keep lets certificates be kept beside other work in the background. SIGHUP lets them be asked for
// at once.
func (o *onlineFlags) keep(log *slog.Logger, base string, background func(context.Context) error,
) func(ctx context.Context, plain bool) error {
	if o.keeper == nil {
		return func(ctx context.Context, _ bool) error { return background(ctx) }
	}
	if at, err := url.Parse(base); err == nil && !slices.Contains(o.domains, at.Hostname()) {
		log.Warn("pages, feeds and descriptions of the release name another address: set base_url in stele.yaml and build again",
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
