//go:build unix

package serve_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/klauspost/compress/zstd"

	"stele/internal/base/layout"
	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/specimen"
)

// revision opens a release that differs little from others.
func revision(t *testing.T, n int, opt serve.Options) *library.Library {
	t.Helper()
	l, err := library.Open(specimen.Revision(t, n), time.Now(), opt.Library(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// swapped serves one revision after another, and waits until clients that have the first can get
// what differs.
func swapped(t *testing.T, s *serve.Server, next *library.Library, has [32]byte, base string) {
	t.Helper()
	if err := s.Swap(next); err != nil {
		t.Fatal(err)
	}
	c := client(t)
	await(t, "what differs to be made", func() bool {
		return askFor(t, c, base, has).Header.Get("Content-Encoding") == "dcz"
	})
}

const everyCoding = "gzip, br, zstd, dcb, dcz"

// askFor asks for the signals, and says what it has already. The body of the answer can be read.
func askFor(t *testing.T, c *http.Client, base string, has [32]byte) *http.Response {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+specimen.Signals, nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Accept-Encoding", everyCoding)
	q.Header.Set("Available-Dictionary", ":"+base64.StdEncoding.EncodeToString(has[:])+":")
	answer, err := c.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close() // it was read
	answer.Body = io.NopCloser(bytes.NewReader(data))
	return answer
}

// TestDictionary: over TLS, in HTTP/1.1, in HTTP/2 and through net/http, who has an earlier
// collection gets what differs. Without TLS nothing is said of it.
func TestDictionary(t *testing.T) {
	leavesNothing(t)
	for _, c := range []struct {
		name   string
		opt    serve.Options
		protos []string
	}{
		{"HTTP/1.1", serve.Options{TLS: secureOptions(t)}, []string{"http/1.1"}},
		{"HTTP/2", serve.Options{TLS: secureOptions(t)}, []string{"h2"}},
		{"net/http", serve.Options{TLS: secureOptions(t), NoLane: true}, []string{"http/1.1"}},
	} {
		s := serve.New(revision(t, 1, c.opt), c.opt)
		base := "https://" + listening(t, s)
		transport := &http.Transport{
			DisableCompression: true, ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true, NextProtos: c.protos},
		}
		defer transport.CloseIdleConnections()
		asks := &http.Client{Transport: transport, Timeout: patience}
		old := plainSignals(t, asks, base)
		swapped(t, s, revision(t, 2, c.opt), sha256.Sum256(old), base)
		answer := askFor(t, asks, base, sha256.Sum256(old))
		coded, err := io.ReadAll(answer.Body)
		if err != nil || answer.Header.Get("Content-Encoding") != "dcz" {
			t.Fatalf("%s: %v, %v", c.name, answer.Header, err)
		}
		z, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(0, old))
		if err != nil {
			t.Fatal(err)
		}
		got, err := z.DecodeAll(coded, nil)
		z.Close()
		if want := plainSignals(t, asks, base); err != nil || !bytes.Equal(got, want) || bytes.Equal(got, old) {
			t.Errorf("%s: decoded to %d bytes, want %d: %v", c.name, len(got), len(want), err)
		}
	}
	s := serve.New(revision(t, 1, serve.Options{}), serve.Options{})
	base := "http://" + listening(t, s)
	answer, err := client(t).Get(base + specimen.Signals)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close() // only the head is looked at
	if got := answer.Header.Get("Use-As-Dictionary"); got != "" {
		t.Errorf("without TLS: %s", got)
	}
}

func plainSignals(t *testing.T, c *http.Client, base string) []byte {
	t.Helper()
	answer, err := c.Get(base + specimen.Signals)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() // it was only read
	data, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, err)
	}
	return data
}

// sentBytes counts what goes out over the connections of a listener.
type sentBytes struct {
	net.Listener
	n atomic.Int64
}

type sentOver struct {
	net.Conn
	n *atomic.Int64
}

func (l *sentBytes) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return sentOver{c, &l.n}, err
}

func (c sentOver) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.n.Add(int64(n))
	return n, err
}

// TestDictionaryInABrowser: a browser that has an earlier collection shows it at once when its time
// is over, and fetches a part of the newer one meanwhile.
func TestDictionaryInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium on this machine")
	}
	opt := serve.Options{
		TLS: secureOptions(t), Freshness: layout.Freshness{MaxAge: time.Second, StaleWhileRevalidate: time.Hour},
	}
	s := serve.New(revision(t, 1, opt), opt)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sent := &sentBytes{Listener: l}
	go s.Serve(sent) // ends with Shutdown
	defer s.Shutdown(t.Context())
	base := "https://" + l.Addr().String()

	cert, err := x509.ParseCertificate(opt.TLS.Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	key := sha256.Sum256(cert.RawSubjectPublicKeyInfo)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-component-update", true),
		// trusts this one certificate, and nothing else that it would not
		chromedp.Flag("ignore-certificate-errors-spki-list", base64.StdEncoding.EncodeToString(key[:])))...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	fetched := func() (text string, bytes int64) {
		before := sent.n.Load()
		script := fmt.Sprintf(`fetch(%q).then(r => r.text())`, specimen.Signals)
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		return text, sent.n.Load() - before
	}
	// a file that loads nothing else
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/"+layout.ManifestPath)); err != nil {
		t.Fatal(err)
	}
	first, whole := fetched()
	if !strings.Contains(first, "In revision 1.") {
		t.Fatal("the first release is another")
	}
	swapped(t, s, revision(t, 2, opt), sha256.Sum256([]byte(first)), base)
	var second string
	before, partly := sent.n.Load(), int64(0)
	await(t, "the browser to fetch the newer one, when the time of what it has is over", func() bool {
		second, _ = fetched()
		partly = sent.n.Load() - before
		return second != first
	})
	if sha256.Sum256([]byte(second)) != sha256.Sum256(plainSignals(t, client(t), base)) {
		t.Error("the browser made something else of it")
	}
	t.Logf("%d bytes the first time, %d later", whole, partly)
	if partly > whole/20 {
		t.Errorf("%d bytes were sent the first time, and %d later", whole, partly)
	}
}
