package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Certificate is a certificate and its key, from two files. When they are renewed, new connections
// get the new one. If what is there then cannot be used, because it is half written, say, the old
// one stays.
type Certificate struct {
	cert, key string
	log       *slog.Logger
	open      func(path string) (*os.File, error)
	patience  time.Duration // for the disk
	reading   atomic.Int32  // those who read the files and have not come back

	pair atomic.Pointer[tls.Certificate]

	mu      sync.Mutex
	looked  time.Time
	looking chan struct{} // closed when the look that is under way ends; nil if none is

	// of whoever looks
	seen  [2]fs.FileInfo // of the files as they were read; nil if they could not be used
	fault string         // that was logged last
}

// OpenCertificate reads a certificate and its key.
func OpenCertificate(cert, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log, open: os.Open, patience: readTime, looked: time.Now()}
	if _, err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// Config returns what Options.TLS wants.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{GetCertificate: c.get, NextProtos: []string{"h2", "http/1.1", "http/1.0"}, MinVersion: tls.VersionTLS12}
}

// get looks at the files once a second at most. A disk that hangs is not waited for for long.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if looking := c.look(); looking != nil {
		select {
		case <-looking:
		case <-time.After(time.Second):
		}
	}
	return c.pair.Load(), nil
}

// look looks at the files, unless somebody has just done so, or does. It answers with a channel
// that is closed at the end, for whoever had to begin; others have what was there before.
func (c *Certificate) look() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.looking != nil || now.Sub(c.looked) < time.Second {
		return nil
	}
	ended := make(chan struct{})
	c.looked, c.looking = now, ended
	go func() {
		c.renew()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.looking = nil
		close(ended)
	}()
	return ended
}

// renew reads the files again if they are others.
func (c *Certificate) renew() {
	changed, err := c.read()
	switch {
	case err != nil && c.fault != err.Error():
		c.fault = err.Error()
		c.log.Error("the new certificate cannot be used; the one before stays", "certificate", c.cert, "error", err)
	case changed:
		c.fault = ""
		c.log.Info("new connections get the new certificate", "certificate", c.cert, "until", c.pair.Load().Leaf.NotAfter.Format(time.DateOnly))
	}
}

const (
	maxPEM     = 1 << 20         // bytes of a file
	readTime   = 5 * time.Second // for both files
	maxReading = 4               // reads that have not come back. No more are begun then
)

// read takes what is in the files, if they are others than before. A disk that hangs is not waited
// for.
func (c *Certificate) read() (changed bool, err error) {
	if c.reading.Add(1) > maxReading {
		c.reading.Add(-1)
		return false, fmt.Errorf("%s: %w", c.cert, errSlowDisk)
	}
	var found foundPair
	done, before := make(chan error, 1), c.seen
	go func() {
		defer c.reading.Add(-1)
		done <- found.read([2]string{c.cert, c.key}, before, c.open)
	}()
	select {
	case err = <-done:
	case <-time.After(c.patience):
		return false, fmt.Errorf("%s: %w", c.cert, errSlowDisk)
	}
	if err == nil && found.pair != nil {
		c.pair.Store(found.pair)
		c.seen, changed = found.seen, true
	}
	return changed, err
}

var errSlowDisk = errors.New("the disk does not answer")

// foundPair is what was found in the files.
type foundPair struct {
	pair *tls.Certificate // nil if the files are the same as before
	seen [2]fs.FileInfo
}

// read reads the files. What they were is noted before, so that a change meanwhile is seen the next
// time.
func (f *foundPair) read(paths [2]string, before [2]fs.FileInfo, open func(string) (*os.File, error)) (err error) {
	same := true
	for i, path := range paths {
		if f.seen[i], err = os.Stat(path); err != nil {
			return err
		}
		same = same && sameFile(f.seen[i], before[i])
	}
	if same {
		return nil
	}
	var data [2][]byte
	for i, path := range paths {
		if data[i], err = readPEM(path, f.seen[i], open); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	pair, err := tls.X509KeyPair(data[0], data[1])
	f.pair = &pair
	return err
}

// readPEM reads an ordinary file. A pipe or a device may have no end.
func readPEM(path string, info fs.FileInfo, open func(string) (*os.File, error)) ([]byte, error) {
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not an ordinary file")
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if err = errors.Join(err, f.Close()); err == nil && len(data) > maxPEM {
		err = fmt.Errorf("is larger than %d MiB", maxPEM>>20)
	}
	return data, err
}

// sameFile reports whether a file has not changed since it was looked at.
func sameFile(now, before fs.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) &&
		now.Size() == before.Size()
}

// http2Ciphers are the ciphers of TLS 1.2 that HTTP/2 may be spoken with (RFC 9113, section 9.2.2):
// those whose keys are forgotten with the connection and that notice when something was changed.
// Those of TLS 1.3 are all so, and are not chosen.
var http2Ciphers = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}
