package certify

import (
	"crypto/tls"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// Files is a certificate and its key in two files. After they are renewed, new connections get the
// new certificate. If the new files are invalid (such as partly written), the old certificate
// remains in use.
type Files struct {
	cert, key string
	log       *slog.Logger
	pair      atomic.Pointer[tls.Certificate]
	looked    atomic.Int64 // Unix time at which the files were last checked
	looking   atomic.Bool

	// used by the goroutine that checks
	seen  [2]fs.FileInfo // of the files when they were read
	fault string         // last logged
}

// OpenFiles reads a certificate and its key.
func OpenFiles(cert, key string, log *slog.Logger) (*Files, error) {
	f := &Files{cert: cert, key: key, log: log}
	return f, f.read()
}

// Config returns the configuration for Options.TLS of a server.
func (f *Files) Config() *tls.Config { return config(f.getCertificate) }

func config(get func(*tls.ClientHelloInfo) (*tls.Certificate, error), more ...string) *tls.Config {
	return &tls.Config{
		GetCertificate: get, MinVersion: tls.VersionTLS12,
		NextProtos: append([]string{"h2", "http/1.1", "http/1.0"}, more...),
	}
}

// getCertificate returns the certificate. It checks the files at most once a second. Only one
// connection waits, for a limited time, for a disk that hangs.
func (f *Files) getCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if now := time.Now().Unix(); f.looked.Load() != now && f.looking.CompareAndSwap(false, true) {
		f.looked.Store(now)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer f.looking.Store(false)
			f.renew()
		}()
		select {
		case <-ended:
		case <-time.After(time.Second):
		}
	}
	return f.pair.Load(), nil
}

func (f *Files) renew() {
	before := f.pair.Load()
	switch err := f.read(); {
	case err != nil && f.fault != err.Error():
		f.fault = err.Error()
		f.log.Error("cannot use the new certificate; keeping the previous one", "certificate", f.cert, "error", err)
	case err == nil && f.pair.Load() != before:
		f.fault = ""
		f.log.Info("using the new certificate for new connections", "certificate", f.cert, "until", f.pair.Load().Leaf.NotAfter.Format(time.DateOnly))
	}
}

// read reads the files if they have changed. It stores their state first, so that the next call
// notices a change during reading.
func (f *Files) read() (err error) {
	var seen [2]fs.FileInfo
	same := true
	for i, path := range []string{f.cert, f.key} {
		if seen[i], err = os.Stat(path); err != nil {
			return err
		}
		was := f.seen[i]
		same = same && was != nil && os.SameFile(seen[i], was) && seen[i].ModTime().Equal(was.ModTime()) &&
			seen[i].Size() == was.Size()
	}
	if same {
		return nil
	}
	cert, err := readFile(f.cert)
	if err != nil {
		return err
	}
	key, err := readFile(f.key)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err == nil {
		f.pair.Store(&pair)
		f.seen = seen
	}
	return err
}
