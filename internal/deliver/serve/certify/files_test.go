//go:build unix

package certify

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
)

// issueTo writes a certificate with a serial number and its key, each at once.
func issueTo(t *testing.T, serial int64, cert, key string) {
	t.Helper()
	public, secret, err := process.Certificate(serial)
	must.Do(t, err)
	for path, data := range map[string][]byte{cert: public, key: secret} {
		must.Do(t, os.WriteFile(path+".new", data, 0o600))
		must.Do(t, os.Rename(path+".new", path))
	}
}

// opensCertificate opens one with the serial number 1.
func opensCertificate(t *testing.T, log *bytes.Buffer) *Files {
	t.Helper()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	issueTo(t, 1, cert, key)
	c := must.Get(OpenFiles(cert, key, slog.New(slog.NewTextHandler(log, nil))))(t)
	return c
}

func (f *Files) serial() int64 { return f.pair.Load().Leaf.SerialNumber.Int64() }

// TestCertificateIsNoFile: where a pipe, a device or something endless lies instead of the key, the
// certificate before is served, the log says why, and the next right one is taken up.
func TestCertificateIsNoFile(t *testing.T) {
	for name, c := range map[string]struct {
		put  func(path string) error
		want string
	}{
		"a pipe":       {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is not a regular file of at most 1 MiB"},
		"a device":     {func(path string) error { return os.Symlink("/dev/zero", path) }, "is not a regular file of at most 1 MiB"},
		"a folder":     {func(path string) error { return os.Mkdir(path, 0o700) }, "is not a regular file of at most 1 MiB"},
		"a large file": {func(path string) error { return os.WriteFile(path, make([]byte, maxFile+1), 0o600) }, "is not a regular file of at most 1 MiB"},
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
			if _, err := OpenFiles(cert.cert, filepath.Join(t.TempDir(), "none"), cert.log); err == nil {
				t.Error("a key that is not there is taken")
			}
		})
	}
}

// TestCertificateDiskHangs: connections do not wait for a disk, and reads are not begun for ever.
func TestCertificateDiskHangs(t *testing.T) {
	var log bytes.Buffer
	f := opensCertificate(t, &log)
	f.looking.Store(true) // somebody who does not come back
	issueTo(t, 2, f.cert, f.key)
	if pair := must.Get(f.getCertificate(nil))(t); pair.Leaf.SerialNumber.Int64() != 1 {
		t.Error("something was read")
	}
}
