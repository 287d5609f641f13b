package main

import (
	"context"
	"errors"
	"fmt"
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

// goOnline opens the certificates of the domains, if there are any, and decides what plain HTTP
// gets.
func (f *serveFlags) goOnline(c *cobra.Command) (err error) {
	o := &f.online
	o.redirected = c.Flags().Changed("redirect")
	if o.redirect == "none" {
		o.redirect = ""
	}
	switch {
	case len(o.domains) == 0 && o.try, len(o.domains) == 0 && c.Flags().Changed("acme-directory"):
		return errors.New("--try and --acme-directory are about the certificate of a domain, and --domain names none")
	case o.try && c.Flags().Changed("acme-directory"):
		return errors.New("--try is for Let's Encrypt, and --acme-directory names another authority: give one of them")
	case o.redirected && f.cert == "" && len(o.domains) == 0:
		return errors.New("--redirect sends readers on to HTTPS, which needs --domain, or --tls-cert and --tls-key")
	case len(o.domains) == 0:
		if o.redirected {
			f.Unsecured = certify.ToHTTPS
		}
		return nil
	}
	if !c.Flags().Changed("listen") {
		f.listen = []string{":443"}
	}
	if !o.redirected {
		o.redirect = ":80"
	}
	if o.try {
		o.directory = certify.Staging
		f.Log.Warn("certificates are for trying, and browsers do not trust them: leave --try out when this works")
	}
	for i, text := range o.domains {
		if o.domains[i], err = certify.Domain(text); err != nil {
			return fmt.Errorf("--domain %s: %w", text, err)
		}
		if slices.Contains(o.domains[:i], o.domains[i]) {
			return fmt.Errorf("--domain %s is there twice", text)
		}
	}
	dir, err := f.certificatesDir()
	if err != nil {
		return err
	}
	o.keeper, err = certify.Open(certify.Options{Domains: o.domains, Directory: o.directory, Folder: dir, Log: f.Log})
	if err != nil {
		return err
	}
	f.TLS, f.Unsecured, f.Measures = o.keeper.Config(), o.keeper.Unsecured, o.measures
	return nil
}

func (f *serveFlags) certificatesDir() (string, error) {
	dir := stateDir("")
	if state, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":"); state != "" { // systemd.exec(5)
		dir = state
	}
	if f.cache != "" {
		dir = f.cache
	}
	if dir == "" {
		return "", errors.New("say where certificates are kept: --cache FOLDER")
	}
	return filepath.Join(dir, "certificates"), nil
}

// certified lets certificates be kept in the background too. SIGHUP lets them be asked for at once.
func (f *serveFlags) certified(p *prepared) func(ctx context.Context, plain bool) error {
	if f.online.keeper == nil {
		return func(ctx context.Context, _ bool) error { return p.background(ctx) }
	}
	base := p.server.Library().Release().BaseURL
	if at, err := url.Parse(base); err == nil && !slices.Contains(f.online.domains, at.Hostname()) {
		f.Log.Warn("pages, feeds and descriptions of the release name another address: set base_url in stele.yaml and build again",
			"base_url", base, "domain", f.online.domains[0])
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	return func(ctx context.Context, plain bool) error {
		var keeping sync.WaitGroup
		keeping.Go(func() { f.online.keeper.Run(ctx, plain, hangup) })
		defer keeping.Wait()
		return p.background(ctx)
	}
}

func (o *onlineFlags) measures(string) []serve.Measure {
	ends, failures := o.keeper.Ends()
	at := 0.0
	if !ends.IsZero() {
		at = float64(ends.Unix())
	}
	return []serve.Measure{
		{Name: "stele_certificate_end_seconds", Help: "When the first certificate ends, in Unix time; 0 if one is missing.", Value: at},
		{Name: "stele_certificate_failures_total", Help: "Times that the authority gave no certificate.", Value: float64(failures), Total: true},
	}
}
