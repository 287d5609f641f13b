//go:build unix

package serve_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/deliver/serve"
	"stele/internal/deliver/serve/certify"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/internal/testkit/race"
)

// writeAtOnce writes a file as programs that renew certificates do.
func writeAtOnce(t *testing.T, path string, data []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(path+".new", data, 0o600))
	must.Do(t, os.Rename(path+".new", path))
}

// TestRenewedCertificate: a new certificate is used as soon as it can be, and the old one until
// then.
func TestRenewedCertificate(t *testing.T) {
	if testing.Short() && !race.Enabled {
		t.Skip("waits for time-outs")
	}
	leavesNothing(t)
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put := func(name string, data []byte) {
		writeAtOnce(t, filepath.Join(dir, name+".pem"), data)
	}
	firstCert, firstKey, err := process.Certificate(1)
	must.Do(t, err)
	put("cert", firstCert)
	put("key", firstKey)
	var log logged
	c := must.Get(certify.OpenFiles(cert, key, slog.New(slog.NewTextHandler(&log, nil))))(t)
	opt := serve.Options{TLS: c.Config()}
	address := listening(t, serve.New(opened(t, opt), opt))
	serial := func() int64 {
		time.Sleep(20 * time.Millisecond) // files are looked at once a second
		conn := must.Get(tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}))(t)
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if n := serial(); n != 1 {
		t.Fatalf("certificate %d", n)
	}
	secondCert, secondKey, err := process.Certificate(2)
	must.Do(t, err)
	put("cert", secondCert) // whose key has not come
	await(t, "the log to say that they do not match", func() bool {
		if n := serial(); n != 1 {
			t.Fatalf("certificate %d", n)
		}
		return strings.Contains(log.String(), "keeping the previous one")
	})
	put("key", secondKey)
	await(t, "the second certificate", func() bool { return serial() == 2 })
	must.Do(t, os.Remove(key))
	await(t, "the log to say that the key is gone", func() bool { return serial() == 2 && strings.Contains(log.String(), "no such file") })
	if n := strings.Count(log.String(), "keeping the previous one"); n != 2 {
		t.Errorf("it is said %d times that a certificate cannot be used:\n%s", n, log.String())
	}
}

// TestALPN: clients that name a protocol get one that they name, and none that is not spoken. Those
// that name none speak HTTP/1.
func TestALPN(t *testing.T) {
	leavesNothing(t)
	cert, key, err := process.Certificate(1)
	must.Do(t, err)
	dir := t.TempDir()
	writeAtOnce(t, filepath.Join(dir, "cert.pem"), cert)
	writeAtOnce(t, filepath.Join(dir, "key.pem"), key)
	c, err := certify.OpenFiles(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), slog.New(slog.DiscardHandler))
	must.Do(t, err)
	opt := serve.Options{TLS: c.Config()}
	address := listening(t, serve.New(opened(t, opt), opt))
	for _, a := range []struct {
		offered []string
		want    string
		refused bool
		most    uint16 // version of TLS
	}{
		{nil, "", false, tls.VersionTLS13},
		{[]string{"http/1.1"}, "http/1.1", false, tls.VersionTLS13},
		{[]string{"http/1.0"}, "http/1.0", false, tls.VersionTLS13},
		{[]string{"http/1.0", "http/1.1"}, "http/1.1", false, tls.VersionTLS13},
		{[]string{"http/1.1", "h2"}, "h2", false, tls.VersionTLS13},
		{[]string{"h3", "spdy/3"}, "", true, tls.VersionTLS13},
		{[]string{"h2", "http/1.1"}, "h2", false, tls.VersionTLS12},
		{[]string{"http/1.1"}, "http/1.1", false, tls.VersionTLS12},
	} {
		config := &tls.Config{InsecureSkipVerify: true, NextProtos: a.offered, MaxVersion: a.most}
		conn := tls.Client(dial(t, address), config)
		err := conn.Handshake()
		if got := conn.ConnectionState().NegotiatedProtocol; (err != nil) != a.refused || got != a.want {
			t.Errorf("%v: %q, %v", a.offered, got, err)
		}
		if err != nil || a.want == "h2" {
			continue
		}
		version := "HTTP/1.1"
		if a.want == "http/1.0" {
			version = "HTTP/1.0"
		}
		fmt.Fprintf(conn, "GET /manifest.json %s\r\nHost: a\r\nConnection: close\r\n\r\n", version) // if it fails, so does the rest
		if answer, _, err := answerTo(bufio.NewReader(conn), "GET"); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%v: %v, %v", a.offered, answer, err)
		}
	}
}

// TestHTTP2OverTLS12: clients that do not speak TLS 1.3 have HTTP/2 too, and never with a cipher
// that it may not be spoken with.
func TestHTTP2OverTLS12(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{TLS: secureOptions(t)}
	s := serve.New(opened(t, opt), opt)
	address := listening(t, s)
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}
	transport := &http.Transport{TLSClientConfig: old, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	answer := must.Get((&http.Client{Transport: transport}).Get("https://" + address + "/manifest.json"))(t)
	answer.Body.Close()
	if answer.ProtoMajor != 2 || answer.StatusCode != http.StatusOK || answer.TLS.Version != tls.VersionTLS12 {
		t.Errorf("%s %s over TLS %x", answer.Proto, answer.Status, answer.TLS.Version)
	}
	weak := &tls.Config{
		InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12,
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA},
	}
	if err := tls.Client(dial(t, address), weak).Handshake(); err == nil {
		t.Error("a cipher is taken that HTTP/2 forbids")
	}
}
