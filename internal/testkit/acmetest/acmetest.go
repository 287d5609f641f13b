// Package acmetest runs a certificate authority on this machine, for tests: Let's Encrypt's pebble
// behind a proxy, and a DNS server in which all domains point to this machine.
package acmetest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
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

	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/tools/programs"
)

// Door handles requests to the authority: it passes them on, or does something else.
type Door func(w http.ResponseWriter, r *http.Request, pass http.Handler)

// Authority is a running authority.
type Authority struct {
	Directory string         // its URL
	Roots     *x509.CertPool // the roots of its certificates
	RootFile  string         // a file with those, and with the root of its own server
	door      atomic.Pointer[Door]
}

// Options configure an authority.
type Options struct {
	HTTP, TLS string        // the addresses at which it looks for proofs; only the ports matter
	Lifetime  time.Duration // of certificates; 0 for 90 days
}

// Start starts an authority, which ends with the test.
func Start(t testing.TB, opt Options) *Authority {
	t.Helper()
	at, manage := process.FreeAddress(), process.FreeAddress()
	cmd := exec.Command(Program(t), "-config", opt.write(t, at, manage), "-dnsserver", serveNames(t))
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0", "PEBBLE_WFE_NONCEREJECT=5")
	p := process.Run(t, cmd, at)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the authority wrote:\n%s", p.Output())
		}
	})
	a := &Authority{Roots: x509.NewCertPool()}
	root := await(t, "https://"+manage+"/roots/0")
	a.Roots.AppendCertsFromPEM(root)
	await(t, "https://"+at+"/dir")
	a.serve(t, at, root)
	return a
}

// Program returns the path of the authority's program, or skips the test.
func Program(t testing.TB) string {
	t.Helper()
	return process.Install(t, "an authority", programs.Authority.Get)
}

// write writes the configuration of an authority, with its address and its management address.
func (opt Options) write(t testing.TB, at, manage string) (path string) {
	t.Helper()
	if opt.Lifetime == 0 {
		opt.Lifetime = 90 * 24 * time.Hour
	}
	dir := t.TempDir()
	cert, key, err := process.Certificate(1)
	must.Do(t, errors.Join(err, os.WriteFile(filepath.Join(dir, "cert.pem"), cert, 0o600),
		os.WriteFile(filepath.Join(dir, "key.pem"), key, 0o600)))
	config := must.Get(json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": at, "managementListenAddress": manage,
		"certificate": filepath.Join(dir, "cert.pem"), "privateKey": filepath.Join(dir, "key.pem"),
		"httpPort": port(t, opt.HTTP), "tlsPort": port(t, opt.TLS),
		"keyAlgorithm": "ecdsa", "domainBlocklist": []string{"blocked.example.org"},
		"profiles":   map[string]any{"default": map[string]any{"description": "tests", "validityPeriod": int(opt.Lifetime.Seconds())}},
		"retryAfter": map[string]int{"authz": 0, "order": 0},
	}}))(t)
	path = filepath.Join(dir, "config.json")
	must.Do(t, os.WriteFile(path, config, 0o600))
	return path
}

// Set puts a door in front of the authority; nil passes everything on.
func (a *Authority) Set(d Door) {
	if d == nil {
		d = func(w http.ResponseWriter, r *http.Request, pass http.Handler) { pass.ServeHTTP(w, r) }
	}
	a.door.Store(&d)
}

// Shut is a door that never answers.
func Shut(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// Refuse returns a door that refuses everything with a problem.
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

// serve puts the door in front of the authority, and adapts the URLs in its answers.
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
	must.Do(t, os.WriteFile(a.RootFile, append(own, roots...), 0o644))
}

func insecure() *http.Transport {
	return &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
}

// await requests a URL until there is an answer.
func await(t testing.TB, url string) []byte {
	t.Helper()
	transport := insecure()
	defer transport.CloseIdleConnections()
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		answer, err := (&http.Client{Transport: transport}).Get(url)
		if err == nil {
			defer answer.Body.Close()
			return must.Get(io.ReadAll(answer.Body))(t)
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
	}
}

func port(t testing.TB, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	must.Do(t, err)
	return must.Get(strconv.Atoi(text))(t)
}

// serveNames answers DNS requests over TCP. Names that begin with "elsewhere" have an address
// without a server.
func serveNames(t testing.TB) (address string) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
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
