package certify_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/acme"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/deliver/serve/certify"
	"stele/internal/testkit/acmetest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// machine is a server with two ports, and the authority that looks at them.
type machine struct {
	*acmetest.Authority
	t         *testing.T
	opt       certify.Options
	http, tls net.Listener
	plain     bool // whether proofs may be given by HTTP
	log       logged
	hurry     chan os.Signal
	keeper    *certify.Keeper
	stop      func()
}

// prepare makes a machine that does not run yet. The authority looks at lookAt for proofs by TLS,
// or where that is "", at the machine.
func prepare(t *testing.T, lifetime time.Duration, lookAt string) *machine {
	t.Helper()
	m := &machine{t: t, http: listen(t, "127.0.0.1:0"), tls: listen(t, "127.0.0.1:0"), hurry: make(chan os.Signal), plain: true}
	if lookAt == "" {
		lookAt = m.tls.Addr().String()
	}
	m.Authority = acmetest.Start(t, acmetest.Options{HTTP: m.http.Addr().String(), TLS: lookAt, Lifetime: lifetime})
	m.opt = certify.Options{
		Domains: []string{"data.example.org"}, Directory: m.Directory, Folder: filepath.Join(t.TempDir(), "cache"),
		Pauses: []time.Duration{50 * time.Millisecond}, Log: slog.New(slog.NewTextHandler(&m.log, nil)),
	}
	return m
}

// TestMain lets requests of this process trust the authorities that tests run.
func TestMain(m *testing.M) {
	server := httptest.NewTLSServer(nil) // all have the same certificate
	trust(server.Certificate())
	server.Close()
	os.Exit(m.Run())
}

func trust(root *x509.Certificate) (before *tls.Config) {
	transport := http.DefaultTransport.(*http.Transport)
	before = transport.TLSClientConfig
	transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	transport.TLSClientConfig.RootCAs.AddCert(root)
	return before
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l := must.Get(net.Listen("tcp", address))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

// run serves until stop or the end of the test.
func (m *machine) run() *machine {
	m.t.Helper()
	var err error
	if m.keeper, err = certify.Open(m.opt); err != nil {
		m.t.Fatal(err)
	}
	opt := serve.Options{TLS: m.keeper.Config(), Unsecured: m.keeper.Unsecured, Log: m.opt.Log}
	l := must.Get(library.Open(specimen.Open(m.t), time.Unix(1770000000, 0), opt.Library(), nil))(m.t)
	s := serve.New(l, opt)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.keeper.Run(ctx, m.plain, m.hurry) })
	for l, serve := range map[net.Listener]func(net.Listener) error{m.tls: s.Serve, m.http: s.ServeUnsecured} {
		running.Go(func() {
			if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
				m.t.Error(err)
			}
		})
	}
	m.stop = sync.OnceFunc(func() {
		cancel()
		if err := s.Shutdown(context.Background()); err != nil {
			m.t.Error(err)
		}
		running.Wait()
	})
	m.t.Cleanup(func() { m.stop() })
	return m
}

// again starts the machine anew, with its ports.
func (m *machine) again() {
	m.t.Helper()
	m.stop()
	m.http, m.tls = listen(m.t, m.http.Addr().String()), listen(m.t, m.tls.Addr().String())
	m.log = logged{}
	m.run()
}

// greet is what the machine shows to a client that knows the authority's roots.
func (m *machine) greet(domain string) (*x509.Certificate, error) {
	conn, err := tls.Dial("tcp", m.tls.Addr().String(), &tls.Config{RootCAs: m.Roots, ServerName: domain})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0], nil
}

// serial waits for a certificate, and is its number.
func (m *machine) serial(domain string) string {
	m.t.Helper()
	var serial string
	m.await("a certificate for "+domain, func() bool {
		c, err := m.greet(domain)
		if err != nil {
			return false
		}
		serial = c.SerialNumber.String()
		return true
	})
	return serial
}

func (m *machine) await(what string, happened func() bool) {
	m.t.Helper()
	for until := time.Now().Add(time.Minute); !happened(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			m.t.Fatalf("waited in vain for %s:\n%s", what, m.log.String())
		}
	}
}

func (m *machine) wrote(pattern string) {
	m.t.Helper()
	m.await(pattern, func() bool { return regexp.MustCompile(pattern).MatchString(m.log.String()) })
}

// get asks for a file, and follows nobody anywhere.
func (m *machine) get(scheme, domain, path string) *http.Response {
	m.t.Helper()
	to := m.http.Addr().String()
	if scheme == "https" {
		to = m.tls.Addr().String()
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: m.Roots}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", to)
		},
	}
	q, err := http.NewRequest(http.MethodGet, scheme+"://"+domain+path, nil)
	must.Do(m.t, err)
	answer, err := transport.RoundTrip(q)
	must.Do(m.t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		m.t.Fatal(err)
	}
	return answer
}

// TestLongIssued: certificates are had by both ways of proof, for several domains, and then HTTP/2
// is spoken and plain HTTP leads to it.
func TestLongIssued(t *testing.T) {
	long.Only(t)
	for way, lookAt := range map[string]string{"tls-alpn-01": "", "http-01": "127.0.0.1:1"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			m := prepare(t, 0, lookAt)
			m.plain = way == "http-01"
			m.opt.Domains = []string{"data.example.org", "xn--mnchen-3ya.example.org"}
			m.run()
			for _, domain := range m.opt.Domains {
				m.serial(domain)
				if answer := m.get("https", domain, "/manifest.json"); answer.StatusCode != http.StatusOK || answer.ProtoMajor != 2 {
					t.Errorf("%s: %s %s", domain, answer.Proto, answer.Status)
				}
				answer := m.get("http", domain, "/records?q=a%20b")
				got := answer.Header.Get("Location")
				if answer.StatusCode != http.StatusMovedPermanently || got != "https://"+domain+"/records?q=a%20b" {
					t.Errorf("%s %s", answer.Status, got)
				}
			}
			if answer := m.get("http", "evil.example", "//other.example/a"); answer.Header.Get("Location") != "https://data.example.org//other.example/a" {
				t.Error(answer.Header.Get("Location"))
			}
			for _, request := range []string{"OPTIONS * HTTP/1.1\r\nHost: data.example.org", "GET / HTTP/1.0", "CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80"} {
				if text := m.say(request); !strings.Contains(text, "\r\nLocation: https://data.example.org/\r\n") {
					t.Errorf("%q is answered with %q", request, text)
				}
			}
			proof := &tls.Config{ServerName: "data.example.org", NextProtos: []string{acme.ALPNProto}, InsecureSkipVerify: true}
			if conn, err := tls.Dial("tcp", m.tls.Addr().String(), proof); err == nil {
				t.Error("there is a proof that the authority did not ask for", conn.Close())
			}
			if c, err := m.greet(""); err == nil || c != nil { // an address, which the certificate does not have
				t.Error("a certificate for an address")
			} else if !strings.Contains(err.Error(), "cannot validate certificate for 127.0.0.1") {
				t.Error(err)
			}
		})
	}
}

// say sends the head of a request over plain HTTP.
func (m *machine) say(head string) string {
	m.t.Helper()
	conn, err := net.Dial("tcp", m.http.Addr().String())
	must.Do(m.t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "%s\r\n\r\n", head) // if that fails, so does the rest
	text, err := io.ReadAll(conn)
	if err != nil {
		m.t.Error(err)
	}
	return string(text)
}

// TestLongKept: a restart asks the authority for nothing, also when it is not there, and nobody
// else can read the keys. What is damaged is asked for anew.
func TestLongKept(t *testing.T) {
	long.Only(t)
	t.Parallel()
	m := prepare(t, 0, "")
	m.run()
	first := m.serial("data.example.org")
	m.Set(acmetest.Shut)
	m.again()
	if again := m.serial("data.example.org"); again != first {
		t.Errorf("certificate %s after %s", again, first)
	}
	var files []string
	err := filepath.Walk(m.opt.Folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %s", path, info.Mode())
		}
		if err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, text := range []string{"", "-----BEGIN EC PRI", string(pairFor(t, "other.example.org", time.Hour))} {
		m.stop()
		must.Do(t, os.WriteFile(files[1], []byte(text), 0o600))
		m.Set(nil)
		m.again()
		if next := m.serial("data.example.org"); next == first {
			t.Errorf("certificate %s", next)
		}
		m.wrote("invalid stored certificate; requesting a new one")
	}
}

// pairFor is a key with a certificate that nobody gave.
func pairFor(t *testing.T, domain string, left time.Duration) []byte {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), DNSNames: []string{domain}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-90 * 24 * time.Hour), NotAfter: time.Now().Add(left),
	}
	cert := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	secret := must.Get(x509.MarshalECPrivateKey(key))(t)
	data := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})
	return append(data, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})...)
}

// TestLongRenewed: a certificate is renewed before it ends. While the authority is down the one
// before is served; when that ends, plain HTTP is, and never nothing.
func TestLongRenewed(t *testing.T) {
	long.Only(t)
	t.Parallel()
	m := prepare(t, 9*time.Second, "")
	m.run()
	first := m.serial("data.example.org")
	m.Set(acmetest.Shut)
	m.wrote(`no new certificate; using the previous one" domain=data.example.org because="cannot reach the authority"`)
	if again := m.serial("data.example.org"); again != first {
		t.Errorf("certificate %s after %s", again, first)
	}
	if answer := m.get("http", "data.example.org", "/manifest.json"); answer.StatusCode != http.StatusMovedPermanently {
		t.Error(answer.Status)
	}
	m.wrote("the old one has expired; serving plain http meanwhile")
	if answer := m.get("http", "data.example.org", "/manifest.json"); answer.StatusCode != http.StatusOK {
		t.Error(answer.Status)
	}
	m.Set(nil)
	if next := m.serial("data.example.org"); next == first {
		t.Errorf("certificate %s", next)
	}
}

// TestLongLostAnswers: whichever answer of the authority is lost, or request to it, a certificate
// comes, and the authority never issues one in vain. Of domains that are asked for at the same
// time, each loses another one.
func TestLongLostAnswers(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for _, what := range []string{"answer", "request"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			m := prepare(t, 0, "")
			const most = 16 // requests for a certificate
			m.opt.Domains = nil
			for n := range most {
				m.opt.Domains = append(m.opt.Domains, fmt.Sprintf("d%d.example.org", n))
			}
			var mu sync.Mutex
			issued, lost, order, asked := 0, 0, map[string]int{}, map[string]int{}
			m.Set(func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				mu.Lock()
				if order[r.RemoteAddr] == 0 { // who asks has one connection
					order[r.RemoteAddr] = len(order) + 1
				}
				asked[r.RemoteAddr]++
				lose := asked[r.RemoteAddr] == order[r.RemoteAddr] && order[r.RemoteAddr] <= most
				if lose {
					lost++
				}
				mu.Unlock()
				if lose && what == "request" {
					panic(http.ErrAbortHandler)
				}
				answer := httptest.NewRecorder()
				pass.ServeHTTP(answer, r)
				if strings.Contains(r.URL.Path, "/finalize-order/") && answer.Code == http.StatusOK {
					mu.Lock()
					issued++
					mu.Unlock()
				}
				if lose {
					panic(http.ErrAbortHandler)
				}
				for name, values := range answer.Header() {
					w.Header()[name] = values
				}
				w.WriteHeader(answer.Code)
				w.Write(answer.Body.Bytes()) // if that fails, one more is lost
			})
			m.run()
			for _, domain := range m.opt.Domains {
				m.serial(domain)
			}
			m.stop()
			if issued != most || lost < 8 {
				t.Errorf("%d certificates for %d, with %d lost:\n%s", issued, most, lost, m.log.String())
			}
		})
	}
}

// TestLongAccountEnded: an account that was ended gets a successor.
func TestLongAccountEnded(t *testing.T) {
	long.Only(t)
	t.Parallel()
	m := prepare(t, 0, "")
	m.run()
	first := m.serial("data.example.org")
	m.stop()
	accounts, err := filepath.Glob(filepath.Join(m.opt.Folder, "*", "account.pem"))
	if err != nil || len(accounts) != 1 {
		t.Fatal(accounts, err)
	}
	data := must.Get(os.ReadFile(accounts[0]))(t)
	block, _ := pem.Decode(data)
	key := must.Get(x509.ParseECPrivateKey(block.Bytes))(t)
	must.Do(t, (&acme.Client{Key: key, DirectoryURL: m.Directory}).DeactivateReg(t.Context()))
	must.Do(t, os.Remove(filepath.Join(filepath.Dir(accounts[0]), "data.example.org.pem")))
	m.again()
	if next := m.serial("data.example.org"); next == first {
		t.Errorf("certificate %s", next)
	}
	m.wrote("the account was deactivated by the authority; creating a new one")
}

// TestLongFaults: what keeps the authority from issuing is shown as what it is, with what to do.
// Plain HTTP is served meanwhile, and when the fault is gone the certificate comes.
func TestLongFaults(t *testing.T) {
	long.Only(t)
	t.Parallel()
	m := prepare(t, 0, "")
	m.plain = false
	m.opt.Pauses = []time.Duration{time.Hour}
	ran, all := false, t
	for _, c := range []struct {
		name, domain string
		door         acmetest.Door
		want         string
	}{
		{"nobody there", "", acmetest.Shut, `because="cannot reach the authority" do="allow connections from this machine to https://`},
		{"fault", "", acmetest.Refuse(http.StatusServiceUnavailable, "serverInternal"), `because="internal error of the authority"`},
		{
			"limit", "", acmetest.Refuse(http.StatusTooManyRequests, "rateLimited", "Retry-After", "90000"),
			`because="rate limit of the authority reached for data.example.org" do="wait; use --try`,
		},
		{"caa", "", acmetest.Refuse(http.StatusForbidden, "caa"), `because="the CAA record of data.example.org excludes this authority"`},
		{"account", "", acmetest.Refuse(http.StatusForbidden, "externalAccountRequired"), `the authority requires an existing account`},
		{"other", "", acmetest.Refuse(http.StatusBadRequest, "malformed"), `because="refused by the authority"`},
		{"no route", "", acmetest.Refuse(http.StatusBadRequest, "connection"), `because="the authority cannot reach data.example.org" do="point the domain`},
		{"no name", "", acmetest.Refuse(http.StatusBadRequest, "dns"), `because="the authority finds no address for data.example.org" do="add an A or AAAA record`},
		{"elsewhere", "elsewhere.example.org", nil, `because="the authority does not find this server at elsewhere.example.org" do="point all addresses of the domain`},
		{"blocked", "blocked.example.org", nil, `because="the authority refuses to issue certificates for blocked.example.org"`},
		{"clock", "", func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			w.Header().Set("Date", "Tue, 17 Nov 2020 12:00:00 GMT")
			acmetest.Refuse(http.StatusBadRequest, "malformed")(w, r, pass)
		}, `this machine's clock is wrong.* authority="2020-11-17 12:00:00"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m.t = t
			m.Set(c.door)
			m.opt.Folder, m.opt.Domains = t.TempDir(), []string{"data.example.org"}
			if c.domain != "" {
				m.opt.Domains[0] = c.domain
			}
			if ran {
				m.again()
			} else {
				m.run()
			}
			ran = true
			m.wrote(c.want)
			m.wrote("no certificate; serving plain http meanwhile")
			if c.name == "limit" {
				m.rests(25 * time.Hour)
			}
			if answer := m.get("http", "data.example.org", "/manifest.json"); answer.StatusCode != http.StatusOK {
				t.Error(answer.Status)
			}
			if _, err := m.greet("data.example.org"); err == nil {
				t.Error("there is a certificate")
			}
			if end, failures := m.keeper.Expiry(); !end.IsZero() || failures == 0 {
				t.Error(end, failures)
			}
			m.Set(nil)
			if c.domain == "" {
				m.hurry <- os.Interrupt
				m.serial("data.example.org")
			}
			m.t = all
		})
	}
}

// rests holds the keeper to the time for which it asks nobody.
func (m *machine) rests(least time.Duration) {
	m.t.Helper()
	written := regexp.MustCompile(`again="([^"]*)"`).FindStringSubmatch(m.log.String())
	if written == nil {
		m.t.Fatalf("nothing says when it asks next:\n%s", m.log.String())
	}
	next, err := time.Parse(time.DateTime, written[1])
	most := least + least/10
	if left := time.Until(next); err != nil || left < least-time.Minute || left > most+time.Minute {
		m.t.Errorf("it asks next in %s, not within %s to %s (%v)", left, least, most, err)
	}
}

// TestLongNotNow: a certificate that does not hold when it comes is a failure: it is not used, and
// no other is asked for at once, as an authority gives a few in a week.
func TestLongNotNow(t *testing.T) {
	long.Only(t)
	t.Parallel()
	m := prepare(t, time.Second, "") // it ends when it begins
	m.run()
	m.wrote("no certificate; serving plain http meanwhile.*the authority issued a certificate that is not valid now")
	m.rests(36 * time.Hour)
	if end, failures := m.keeper.Expiry(); !end.IsZero() || failures != 1 {
		t.Error(end, failures)
	}
	if found, err := filepath.Glob(filepath.Join(m.opt.Folder, "*", "*.example.org.pem")); err != nil || len(found) > 0 {
		t.Error("it is kept:", found, err)
	}
}

// TestLongOtherServer: where another server has the domain's port, that is shown.
func TestLongOtherServer(t *testing.T) {
	long.Only(t)
	t.Parallel()
	other := httptest.NewUnstartedServer(http.NotFoundHandler())
	other.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	other.StartTLS()
	defer other.Close()
	m := prepare(t, 0, other.Listener.Addr().String())
	m.plain = false
	m.run()
	m.wrote(`because="the authority does not find this server at data.example.org" do="point all addresses`)
}

// TestLongDistrust: an authority whose own certificate is not trusted, or has ended by the clock of
// this machine, is shown as that.
func TestLongDistrust(t *testing.T) {
	long.Only(t)
	for want, left := range map[string]time.Duration{
		"this machine does not trust the authority\" do=\"install ca-certificates": time.Hour,
		"by this machine's clock, the authority's own certificate is not valid":    -time.Hour,
	} {
		data := pairFor(t, "authority.example", left)
		pair := must.Get(tls.X509KeyPair(data, data))(t)
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
		server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		server.StartTLS()
		if left < 0 {
			before := trust(pair.Leaf)
			defer func() { http.DefaultTransport.(*http.Transport).TLSClientConfig = before }()
		}
		m := &machine{t: t, http: listen(t, "127.0.0.1:0"), tls: listen(t, "127.0.0.1:0")}
		m.opt = certify.Options{
			Domains: []string{"data.example.org"}, Directory: server.URL, Folder: t.TempDir(),
			Log: slog.New(slog.NewTextHandler(&m.log, nil)),
		}
		m.run()
		m.wrote(regexp.QuoteMeta(want))
		m.stop()
		server.Close()
	}
}

// TestFolder: a folder that cannot be written to is refused at the start; later, a certificate is
// used all the same, and kept as soon as it can be.
func TestFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	opt := certify.Options{
		Domains: []string{"data.example.org"}, Directory: certify.LetsEncrypt, Folder: file,
		Log: slog.New(slog.DiscardHandler),
	}
	if _, err := certify.Open(opt); err == nil || !strings.Contains(err.Error(), "cannot store certificates: ") || !strings.Contains(err.Error(), "--cache") {
		t.Error(err)
	}
	for _, bad := range []string{"", "http://authority.example/dir", "authority", "https:///dir"} {
		opt.Directory = bad
		if _, err := certify.Open(opt); err == nil || !strings.Contains(err.Error(), "must be an https URL") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	m := prepare(t, 0, "")
	m.run()
	first := m.serial("data.example.org")
	m.stop()
	kept, err := filepath.Glob(filepath.Join(m.opt.Folder, "*", "data.example.org.pem"))
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	must.Do(t, errors.Join(os.Remove(kept[0]), os.MkdirAll(filepath.Join(kept[0], "in the way"), 0o700)))
	m.again()
	next := m.serial("data.example.org")
	m.wrote("using a certificate that cannot be stored")
	must.Do(t, os.RemoveAll(kept[0]))
	m.hurry <- os.Interrupt
	m.await("the file", func() bool { _, err := os.Stat(kept[0]); return err == nil })
	m.again()
	if again := m.serial("data.example.org"); next == first || again != next {
		t.Errorf("certificates %s, %s, %s", first, next, again)
	}
}

func TestLongDomain(t *testing.T) {
	long.Only(t)
	for text, want := range map[string]string{
		"data.example.org": "data.example.org", "Data.Example.ORG.": "data.example.org", "München.example": "xn--mnchen-3ya.example",
		"https://data.example.org": "write the domain only", "data.example.org:443": "write the domain only", "data.example.org/a": "write the domain only",
		"*.example.org": "name each domain", "192.0.2.1": "that is an IP address", "2001:db8::1": "that is an IP address", "localhost": "only for public domains",
		"": "only for public domains", "a b.example.org": "invalid domain name", "-.example.org": "invalid domain name", "../x.org": "write the domain only",
	} {
		got, err := certify.Domain(text)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// logged is a log that can be read.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
