//go:build unix

package serve

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"stele/internal/testkit/must"
)

// issueTo writes a certificate with a serial number and its key, each at once.
func issueTo(t *testing.T, serial int64, cert, key string) {
	t.Helper()
	private := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private))(t)
	secret := must.Get(x509.MarshalPKCS8PrivateKey(private))(t)
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		must.Do(t, os.WriteFile(path+".new", pem.EncodeToMemory(block), 0o600))
		must.Do(t, os.Rename(path+".new", path))
	}
}

// opensCertificate opens one with the serial number 1.
func opensCertificate(t *testing.T, log *bytes.Buffer) *Certificate {
	t.Helper()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	issueTo(t, 1, cert, key)
	c := must.Get(OpenCertificate(cert, key, slog.New(slog.NewTextHandler(log, nil))))(t)
	return c
}

func (c *Certificate) serial() int64 { return c.pair.Load().Leaf.SerialNumber.Int64() }

// TestCertificateIsNoFile: where a pipe, a device or something endless lies instead of the key, the
// certificate before is served, the log says why, and the next right one is taken up.
func TestCertificateIsNoFile(t *testing.T) {
	for name, c := range map[string]struct {
		put  func(path string) error
		want string
	}{
		"a pipe":       {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is not an ordinary file"},
		"a device":     {func(path string) error { return os.Symlink("/dev/zero", path) }, "is not an ordinary file"},
		"a folder":     {func(path string) error { return os.Mkdir(path, 0o700) }, "is not an ordinary file"},
		"a large file": {func(path string) error { return os.WriteFile(path, make([]byte, maxPEM+1), 0o600) }, "is larger than 1 MiB"},
		"half of it":   {func(path string) error { return os.WriteFile(path, []byte("-----BEGIN PRI"), 0o600) }, "find any PEM data"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			cert := opensCertificate(t, &log)
			must.Do(t, os.Remove(cert.key))
			must.Do(t, c.put(cert.key))
			for range 3 {
				cert.renew()
			}
			if n := cert.serial(); n != 1 {
				t.Errorf("certificate %d", n)
			}
			if n := strings.Count(log.String(), c.want); n != 1 {
				t.Errorf("the log says %d times that it %s:\n%s", n, c.want, log.String())
			}
			must.Do(t, os.Remove(cert.key))
			issueTo(t, 2, cert.cert, cert.key)
			if cert.renew(); cert.serial() != 2 {
				t.Errorf("the right one is not taken up:\n%s", log.String())
			}
			if _, err := OpenCertificate(cert.cert, filepath.Join(t.TempDir(), "none"), cert.log); err == nil {
				t.Error("a key that is not there is taken")
			}
		})
	}
}

// TestCertificateDiskHangs: reads that do not come back are given up, and are not begun for ever.
// When the disk answers again, the next certificate is taken up.
func TestCertificateDiskHangs(t *testing.T) {
	var log bytes.Buffer
	c := opensCertificate(t, &log)
	c.patience = 10 * time.Millisecond
	pipe := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	var hangs atomic.Bool
	var begun atomic.Int32
	hangs.Store(true)
	c.open = func(path string) (*os.File, error) {
		if hangs.Load() {
			begun.Add(1)
			path = pipe // which waits until somebody writes
		}
		return os.Open(path)
	}
	issueTo(t, 2, c.cert, c.key)
	for range 3 * maxReading {
		if c.renew(); c.serial() != 1 {
			t.Fatal("something was read")
		}
	}
	if n := begun.Load(); n > maxReading {
		t.Errorf("%d reads are under way", n)
	}
	if n := strings.Count(log.String(), errSlowDisk.Error()); n != 1 {
		t.Errorf("the log says it %d times:\n%s", n, log.String())
	}
	hangs.Store(false)
	c.patience = time.Minute
	for c.reading.Load() > 0 {
		w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0) // which lets whoever waits go on
		if err == nil {
			w.Close()
		}
		time.Sleep(time.Millisecond)
	}
	if c.renew(); c.serial() != 2 {
		t.Errorf("the right one is not taken up:\n%s", log.String())
	}
}
