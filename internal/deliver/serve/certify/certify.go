// Package certify obtains certificates for domains from an ACME authority (RFC 8555) such as Let's
// Encrypt. It proves control of the domains by TLS-ALPN-01 and HTTP-01, renews the certificates,
// and stores them in a folder.
//
// Connections never wait for the authority. After a failure, renewal is tried again: the previous
// certificate is used meanwhile, and without one the release is served over plain HTTP.
package certify

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/net/idna"

	"stele/internal/deliver/serve"
)

// Directory URLs of Let's Encrypt: one for trusted certificates, and one for tests, which has much
// higher limits.
const (
	LetsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"
	Staging     = "https://acme-staging-v02.api.letsencrypt.org/directory"
)

// Options configure a Keeper.
type Options struct {
	Domains   []string        // as [Domain] returns them. Clients without SNI get the first
	Directory string          // directory URL of the authority
	Folder    string          // for certificates, their keys and the account key
	Pauses    []time.Duration // after each failure in a row, the last one for all others; nil for the usual
	Log       *slog.Logger
}

// usualPauses allow fewer than five failures in an hour, after which Let's Encrypt refuses a domain
// for a while.
var usualPauses = []time.Duration{10 * time.Second, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}

// Keeper maintains the certificates of domains.
type Keeper struct {
	opt   Options
	sites []*site
	// for the authority: certificates by domain, and texts by path
	proofs, texts sync.Map
	plain         bool       // whether the server listens on port 80
	registering   sync.Mutex // guards the account key
	failures      atomic.Int64
}

type site struct {
	*Keeper
	domain  string
	path    string // of the file with the key and the certificate
	pair    atomic.Pointer[tls.Certificate]
	rest    time.Time // when another certificate may be requested, even if the clock is wrong
	unsaved []byte    // certificate that could not be saved
	way     int       // index of the challenge to try next, or the last that worked
}

// Domain returns text, a domain, in DNS form. It returns an error if the domain cannot have a
// certificate.
func Domain(text string) (string, error) {
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(text, "."))
	_, noIP := netip.ParseAddr(text)
	switch {
	case strings.ContainsAny(text, "/:") && noIP != nil:
		return "", errors.New("write the domain only, such as data.example.org")
	case strings.Contains(text, "*"):
		return "", errors.New("wildcard certificates are not supported: name each domain")
	case noIP == nil:
		return "", errors.New("that is an IP address, not a domain")
	case err != nil:
		return "", errors.New("invalid domain name")
	case !strings.Contains(name, "."):
		return "", errors.New("certificate authorities issue certificates only for public domains, such as data.example.org")
	}
	return name, nil
}

// Open reads the folder of certificates. It sends no requests; Run does.
func Open(opt Options) (*Keeper, error) {
	at, err := url.Parse(opt.Directory)
	if err != nil || at.Scheme != "https" || at.Host == "" {
		return nil, errors.New("the directory of an authority must be an https URL, such as " + LetsEncrypt)
	}
	opt.Folder = filepath.Join(opt.Folder, fileName(at.Host+at.Path)) // each authority has its own account
	if opt.Pauses == nil {
		opt.Pauses = usualPauses
	}
	k := &Keeper{opt: opt}
	for _, domain := range opt.Domains {
		k.sites = append(k.sites, &site{Keeper: k, domain: domain, path: filepath.Join(opt.Folder, domain+".pem")})
	}
	return k, k.openFolder()
}

// Config returns the configuration for Options.TLS of a server.
func (k *Keeper) Config() *tls.Config { return config(k.getCertificate, acme.ALPNProto) }

var errNone = errors.New("no certificate yet")

func (k *Keeper) getCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) { // a request by the authority
		if proof, ok := k.proofs.Load(name); ok {
			return proof.(*tls.Certificate), nil
		}
		return nil, errors.New("no challenge is open")
	}
	if pair := k.site(name).pair.Load(); pair != nil {
		return pair, nil
	}
	return nil, errNone
}

func (k *Keeper) site(name string) *site {
	return k.sites[max(slices.IndexFunc(k.sites, func(s *site) bool { return s.domain == name }), 0)]
}

// Unsecured returns the handler for Options.Unsecured of a server, for plain HTTP. It redirects
// readers to https, or uses plain while there is no valid certificate.
func (k *Keeper) Unsecured(plain http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := k.texts.Load(r.URL.Path); ok {
			w.Header().Set("Content-Type", "text/plain")
			w.Write([]byte(text.(string))) // after an error, the authority asks again
			return
		}
		host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
		s := k.site(strings.TrimSuffix(host, "."))
		if !isValid(s.pair.Load(), time.Now()) {
			plain.ServeHTTP(w, r)
			return
		}
		redirect(w, r, s.domain)
	})
}

// redirect redirects to the same URL with https. Browsers cache that for a few minutes only.
func redirect(w http.ResponseWriter, r *http.Request, domain string) {
	at := r.URL.RequestURI()
	if !strings.HasPrefix(at, "/") { // of OPTIONS and CONNECT
		at = "/"
	}
	w.Header().Set("Cache-Control", "max-age=300")
	w.Header().Set("Connection", "close")
	http.Redirect(w, r, "https://"+domain+at, http.StatusMovedPermanently)
}

// ToHTTPS returns a handler for Options.Unsecured of a server that redirects to the requested host
// with https.
func ToHTTPS(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if strings.Contains(strings.Trim(host, "[]"), ":") {
			host = "[" + strings.Trim(host, "[]") + "]"
		}
		if host == "" {
			http.Error(w, "Missing Host header.", http.StatusBadRequest)
			return
		}
		redirect(w, r, host)
	})
}

// isValid reports whether pair is not nil and is valid at the time at.
func isValid(pair *tls.Certificate, at time.Time) bool {
	return pair != nil && at.After(pair.Leaf.NotBefore) && at.Before(pair.Leaf.NotAfter)
}

// Measures returns metrics of the certificates.
func (k *Keeper) Measures(string) []serve.Measure {
	ends, failures := k.Expiry()
	at := 0.0
	if !ends.IsZero() {
		at = float64(ends.Unix())
	}
	return []serve.Measure{
		{Name: "stele_certificate_end_seconds", Help: "Expiry of the first certificate to expire, in Unix time; 0 if one is missing.", Value: at},
		{Name: "stele_certificate_failures_total", Help: "Failed attempts to obtain a certificate.", Value: float64(failures), Total: true},
	}
}

// Expiry returns the time at which the first certificate expires, or zero if a certificate is
// missing. failures is the number of failed attempts to obtain a certificate.
func (k *Keeper) Expiry() (first time.Time, failures int64) {
	for i, s := range k.sites {
		pair := s.pair.Load()
		if pair == nil {
			return time.Time{}, k.failures.Load()
		}
		if end := pair.Leaf.NotAfter; i == 0 || end.Before(first) {
			first = end
		}
	}
	return first, k.failures.Load()
}

// Run obtains missing certificates and renews them until ctx ends. plain is set if Unsecured serves
// port 80, which HTTP-01 needs. A signal on hurry starts the next attempt at once.
func (k *Keeper) Run(ctx context.Context, plain bool, hurry <-chan os.Signal) {
	k.plain = plain
	var running sync.WaitGroup
	hurries := make([]chan os.Signal, len(k.sites))
	for i, s := range k.sites {
		hurries[i] = make(chan os.Signal, 1)
		running.Go(func() { s.run(ctx, hurries[i]) })
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case sent := <-hurry:
			for _, h := range hurries {
				select {
				case h <- sent:
				default: // it has a signal already
				}
			}
		}
	}
	running.Wait()
}

// untilRenewal returns the time until the certificate must be renewed, when a third of its validity
// is left.
func (s *site) untilRenewal() time.Duration {
	pair := s.pair.Load()
	if pair == nil {
		return 0
	}
	return max(time.Until(pair.Leaf.NotAfter.Add(-thirdOfValidity(pair))), time.Until(s.rest))
}

func thirdOfValidity(pair *tls.Certificate) time.Duration {
	return pair.Leaf.NotAfter.Sub(pair.Leaf.NotBefore) / 3
}

// checkEvery is the interval at which a keeper checks the folder, and the clock, which may have
// been set.
const checkEvery = time.Hour

func (s *site) run(ctx context.Context, hurry <-chan os.Signal) {
	for failed := 0; ctx.Err() == nil; {
		var pause time.Duration
		if due := s.untilRenewal(); due > 0 {
			pause = min(due, checkEvery)
		} else if err := s.renew(ctx); err == nil {
			failed = 0
		} else if ctx.Err() == nil {
			pause = max(s.opt.Pauses[min(failed, len(s.opt.Pauses)-1)], retryAfter(err))
			pause += rand.N(pause/10 + 1) // so that keepers do not all try at the same time
			failed++
			s.way++
			s.logFailure(err, pause)
		}
		select {
		case <-ctx.Done():
		case <-hurry:
		case <-time.After(pause):
		}
		s.save()
	}
}

// renew obtains a new certificate, or loads one that another process obtained.
func (s *site) renew(ctx context.Context) error {
	if err := s.load(); err == nil && s.untilRenewal() > 0 {
		return nil
	}
	const most = 5 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	s.opt.Log.Info("requesting a certificate", "domain", s.domain, "authority", s.opt.Directory)
	data, pair, err := s.orderCertificate(ctx)
	if err == nil && !isValid(pair, time.Now()) {
		err = notNowError{pair.Leaf.NotBefore, pair.Leaf.NotAfter}
	}
	if err != nil {
		return err
	}
	s.pair.Store(pair)
	s.rest, s.unsaved = time.Now().Add(thirdOfValidity(pair)), data
	s.opt.Log.Info("using the new certificate for new connections", "domain", s.domain, "until", pair.Leaf.NotAfter.Format(time.DateTime))
	s.save()
	return nil
}
