// Package certify gets certificates for domains from an authority that speaks ACME (RFC 8555), such
// as Let's Encrypt, proves to it by TLS-ALPN-01 and HTTP-01 that the domains lead here, renews
// them, and keeps them in a folder.
//
// Connections never wait for the authority. What it does wrong costs a renewal that is tried again:
// the certificate before is served on, and without one the release goes out over plain HTTP.
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

// The directories of Let's Encrypt: the one whose certificates browsers trust, and the one for
// trying, which allows far more.
const (
	LetsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"
	Staging     = "https://acme-staging-v02.api.letsencrypt.org/directory"
)

// Options of a Keeper.
type Options struct {
	Domains   []string        // as [Domain] returns them. Clients that name none get the first
	Directory string          // of the authority
	Folder    string          // for certificates, their keys and that of the account
	Pauses    []time.Duration // after each failure in a row, the last one for all others; nil for the usual
	Log       *slog.Logger
}

// usualPauses keep below five failures in an hour, after which Let's Encrypt refuses a domain for a
// while.
var usualPauses = []time.Duration{10 * time.Second, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}

// Keeper keeps the certificates of domains.
type Keeper struct {
	opt   Options
	sites []*site
	// what the authority looks for: certificates by domain, and texts by path
	proofs, texts sync.Map
	plain         bool       // whether somebody listens at port 80
	registering   sync.Mutex // for the key of the account
	failures      atomic.Int64
}

type site struct {
	*Keeper
	domain  string
	path    string // of the file with the key and the certificate
	pair    atomic.Pointer[tls.Certificate]
	rest    time.Time // before which no other is asked for, however wrong the clock is
	unsaved []byte    // what could not be written to the file
	way     int       // which of the ways to prove is next, or was the last that worked
}

// Domain is a domain as DNS has it, or why it is none that a certificate can be had for.
func Domain(text string) (string, error) {
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(text, "."))
	_, noIP := netip.ParseAddr(text)
	switch {
	case strings.ContainsAny(text, "/:") && noIP != nil:
		return "", errors.New("write the domain alone, such as data.example.org")
	case strings.Contains(text, "*"):
		return "", errors.New("a certificate for all names below a domain cannot be had this way: name each domain")
	case noIP == nil:
		return "", errors.New("that is an address, and no domain")
	case err != nil:
		return "", errors.New("that is not the name of a domain")
	case !strings.Contains(name, "."):
		return "", errors.New("an authority gives certificates for public domains only, such as data.example.org")
	}
	return name, nil
}

// Open reads what is in the folder. It asks nobody for anything: Run does.
func Open(opt Options) (*Keeper, error) {
	at, err := url.Parse(opt.Directory)
	if err != nil || at.Scheme != "https" || at.Host == "" {
		return nil, errors.New("the directory of an authority is an https address, such as " + LetsEncrypt)
	}
	opt.Folder = filepath.Join(opt.Folder, fileName(at.Host+at.Path)) // an account is with one authority
	if opt.Pauses == nil {
		opt.Pauses = usualPauses
	}
	k := &Keeper{opt: opt}
	for _, domain := range opt.Domains {
		k.sites = append(k.sites, &site{Keeper: k, domain: domain, path: filepath.Join(opt.Folder, domain+".pem")})
	}
	return k, k.openFolder()
}

// Config returns what Options.TLS of a server wants.
func (k *Keeper) Config() *tls.Config { return config(k.get, acme.ALPNProto) }

var errNone = errors.New("there is no certificate yet")

func (k *Keeper) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) { // the authority asks
		if proof, ok := k.proofs.Load(name); ok {
			return proof.(*tls.Certificate), nil
		}
		return nil, errors.New("no proof is due")
	}
	if pair := k.site(name).pair.Load(); pair != nil {
		return pair, nil
	}
	return nil, errNone
}

func (k *Keeper) site(name string) *site {
	return k.sites[max(slices.IndexFunc(k.sites, func(s *site) bool { return s.domain == name }), 0)]
}

// Unsecured returns what Options.Unsecured of a server wants: what answers over plain HTTP. It
// sends readers to https, and as long as their browsers would find no certificate there that holds,
// gives them what plain answers.
func (k *Keeper) Unsecured(plain http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := k.texts.Load(r.URL.Path); ok {
			w.Header().Set("Content-Type", "text/plain")
			w.Write([]byte(text.(string))) // if that fails, the authority asks again
			return
		}
		host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
		s := k.site(strings.TrimSuffix(host, "."))
		if !holds(s.pair.Load(), time.Now()) {
			plain.ServeHTTP(w, r)
			return
		}
		redirect(w, r, s.domain)
	})
}

// redirect sends a reader to the same address with https. Browsers remember it for a few minutes,
// not for ever.
func redirect(w http.ResponseWriter, r *http.Request, domain string) {
	at := r.URL.RequestURI()
	if !strings.HasPrefix(at, "/") { // of OPTIONS and CONNECT
		at = "/"
	}
	w.Header().Set("Cache-Control", "max-age=300")
	w.Header().Set("Connection", "close")
	http.Redirect(w, r, "https://"+domain+at, http.StatusMovedPermanently)
}

// ToHTTPS is for Options.Unsecured of a server: it sends readers on to the host that they ask for.
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
			http.Error(w, "Name the host.", http.StatusBadRequest)
			return
		}
		redirect(w, r, host)
	})
}

// holds reports whether a certificate is there, and one that clients take at a time.
func holds(pair *tls.Certificate, at time.Time) bool {
	return pair != nil && at.After(pair.Leaf.NotBefore) && at.Before(pair.Leaf.NotAfter)
}

// Measures tell how the certificates stand.
func (k *Keeper) Measures(string) []serve.Measure {
	ends, failures := k.Ends()
	at := 0.0
	if !ends.IsZero() {
		at = float64(ends.Unix())
	}
	return []serve.Measure{
		{Name: "stele_certificate_end_seconds", Help: "When the first certificate ends, in Unix time; 0 if one is missing.", Value: at},
		{Name: "stele_certificate_failures_total", Help: "Times that the authority gave no certificate.", Value: float64(failures), Total: true},
	}
}

// Ends is when the first of the certificates ends; zero if one is missing. Failures is how often
// the authority gave none.
func (k *Keeper) Ends() (first time.Time, failures int64) {
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

// Run gets the certificates that are missing, and renews them, until the context ends. plain is
// whether Unsecured answers at port 80, which HTTP-01 needs. Whatever comes over hurry lets it try
// at once what it would try later.
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
				default: // it is told already
				}
			}
		}
	}
	running.Wait()
}

// due is how long it is until a certificate has to be renewed: with a third of its time left.
func (s *site) due() time.Duration {
	pair := s.pair.Load()
	if pair == nil {
		return 0
	}
	return max(time.Until(pair.Leaf.NotAfter.Add(-third(pair))), time.Until(s.rest))
}

func third(pair *tls.Certificate) time.Duration {
	return pair.Leaf.NotAfter.Sub(pair.Leaf.NotBefore) / 3
}

// look is how often a keeper looks at the clock, which may have been set, and at the folder.
const look = time.Hour

func (s *site) run(ctx context.Context, hurry <-chan os.Signal) {
	for failed := 0; ctx.Err() == nil; {
		var pause time.Duration
		if due := s.due(); due > 0 {
			pause = min(due, look)
		} else if err := s.renew(ctx); err == nil {
			failed = 0
		} else if ctx.Err() == nil {
			pause = max(s.opt.Pauses[min(failed, len(s.opt.Pauses)-1)], retryAfter(err))
			pause += rand.N(pause/10 + 1) // not all who failed at the same moment
			failed++
			s.way++
			s.report(err, pause)
		}
		select {
		case <-ctx.Done():
		case <-hurry:
		case <-time.After(pause):
		}
		s.keep()
	}
}

// renew puts a new certificate in the place of the one before. Another process may have done so.
func (s *site) renew(ctx context.Context) error {
	if err := s.load(); err == nil && s.due() > 0 {
		return nil
	}
	const most = 5 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	s.opt.Log.Info("asking for a certificate", "domain", s.domain, "authority", s.opt.Directory)
	data, pair, err := s.order(ctx)
	if err == nil && !holds(pair, time.Now()) {
		err = notNowError{pair.Leaf.NotBefore, pair.Leaf.NotAfter}
	}
	if err != nil {
		return err
	}
	s.pair.Store(pair)
	s.rest, s.unsaved = time.Now().Add(third(pair)), data
	s.opt.Log.Info("new connections get the new certificate", "domain", s.domain, "until", pair.Leaf.NotAfter.Format(time.DateTime))
	s.keep()
	return nil
}
