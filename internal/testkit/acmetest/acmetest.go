// Package acmetest runs an authority for certificates on this machine, for tests: a process of the
// pebble of Let's Encrypt, which others wrote, behind a door, and a DNS in which all domains lead
// to this machine.
package acmetest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"stele/tools/stores"
)

// Door lets requests through to the authority, or does something else.
type Door func(w http.ResponseWriter, r *http.Request, pass http.Handler)

// Authority is an authority that runs.
type Authority struct {
	Directory string         // its address
	Roots     *x509.CertPool // by which the certificates that it issues are known
	RootFile  string         // a file with those, and with the one by which its address is known
	door      atomic.Pointer[Door]
}

// Options of an authority.
type Options struct {
	HTTP, TLS string        // the addresses at which it looks for proofs, of which the ports count
	Lifetime  time.Duration // of certificates; 0 for 90 days
}

// Start starts an authority, and ends it with the test.
func Start(t testing.TB, opt Options) *Authority {
	t.Helper()
	at, manage := free(t), free(t)
	cmd := exec.Command(Program(t), "-config", opt.write(t, at, manage), "-dnsserver", serveNames(t))
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0", "PEBBLE_WFE_NONCEREJECT=5")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill() // it may have ended
		cmd.Wait()         // which says so
		if t.Failed() {
			t.Logf("the authority wrote:\n%s", log.String())
		}
	})
	a := &Authority{Roots: x509.NewCertPool()}
	root := await(t, "https://"+manage+"/roots/0")
	a.Roots.AppendCertsFromPEM(root)
	await(t, "https://"+at+"/dir")
	a.serve(t, at, root)
	return a
}

// Program returns the program of the authority. A test is skipped where it cannot be had, but not
// in continuous integration.
func Program(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the authority of others")
	}
	var said bytes.Buffer
	program, err := stores.Authority(&said)
	if err != nil {
		err = fmt.Errorf("an authority cannot be had: %w\n%s", err, said.Bytes())
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return program
}

// write writes the settings of an authority, for its address and the one that it is managed at.
func (opt Options) write(t testing.TB, at, manage string) (path string) {
	t.Helper()
	if opt.Lifetime == 0 {
		opt.Lifetime = 90 * 24 * time.Hour
	}
	dir := t.TempDir()
	writePair(t, dir)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": at, "managementListenAddress": manage,
		"certificate": filepath.Join(dir, "cert.pem"), "privateKey": filepath.Join(dir, "key.pem"),
		"httpPort": port(t, opt.HTTP), "tlsPort": port(t, opt.TLS),
		"keyAlgorithm": "ecdsa", "domainBlocklist": []string{"blocked.example.org"},
		"profiles":   map[string]any{"default": map[string]any{"description": "tests", "validityPeriod": int(opt.Lifetime.Seconds())}},
		"retryAfter": map[string]int{"authz": 0, "order": 0},
	}})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "config.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Set puts a door before the authority; nil lets all through.
func (a *Authority) Set(d Door) {
	if d == nil {
		d = func(w http.ResponseWriter, r *http.Request, pass http.Handler) { pass.ServeHTTP(w, r) }
	}
	a.door.Store(&d)
}

// Shut is a door that nobody answers at.
func Shut(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// Refuse is a door at which all is refused with a problem.
func Refuse(status int, problem string, header ...string) Door {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type": "urn:ietf:params:acme:error:%s", "detail": "a test"}`, problem)
	}
}

// serve puts the door before the authority, which takes whatever address it is asked at for its
// own.
func (a *Authority) serve(t testing.TB, at string, roots []byte) {
	a.Set(nil)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "https", Host: at})
			r.Out.Host = r.In.Host
		},
		Transport: insecure(),
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*a.door.Load())(w, r, proxy)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		proxy.Transport.(*http.Transport).CloseIdleConnections()
	})
	a.Directory, a.RootFile = server.URL+"/dir", filepath.Join(t.TempDir(), "root.pem")
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(a.RootFile, append(own, roots...), 0o644); err != nil {
		t.Fatal(err)
	}
}

func insecure() *http.Transport {
	return &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
}

// await asks until there is an answer.
func await(t testing.TB, url string) []byte {
	t.Helper()
	transport := insecure()
	defer transport.CloseIdleConnections()
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		answer, err := (&http.Client{Transport: transport}).Get(url)
		if err == nil {
			defer answer.Body.Close()
			data, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
	}
}

// free is an address that nobody listens at.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

func port(t testing.TB, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// writePair writes a certificate for the authority's own address.
func writePair(t testing.TB, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert": {Type: "CERTIFICATE", Bytes: cert}, "key": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".pem"), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// serveNames answers questions of DNS over TCP. Names that begin with "elsewhere" lead to an
// address that nobody listens at.
func serveNames(t testing.TB) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test ends
			}
			go func() {
				defer conn.Close()
				for answerName(conn) == nil {
					continue
				}
			}()
		}
	}()
	return l.Addr().String()
}

func answerName(conn net.Conn) error {
	var size uint16
	if err := binary.Read(conn, binary.BigEndian, &size); err != nil {
		return err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(conn, data); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(data); err != nil {
		return err
	}
	m.Response, m.Additionals = true, nil
	for _, q := range m.Questions {
		if q.Type == dnsmessage.TypeA {
			body := &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}
			if strings.HasPrefix(q.Name.String(), "elsewhere") {
				body.A[3] = 99
			}
			head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: body})
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
	return err
}
