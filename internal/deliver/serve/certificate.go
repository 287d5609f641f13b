package serve

import (
	"crypto/tls"
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
	c := &Certificate{cert: cert, key: key, log: log, looked: time.Now()}
	if err := c.read(); err != nil {
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
	if c.isSeen() {
		return
	}
	err := c.read()
	switch {
	case err == nil:
		c.fault = ""
		c.log.Info("new connections get the new certificate", "certificate", c.cert, "until", c.pair.Load().Leaf.NotAfter.Format(time.DateOnly))
	case c.fault != err.Error():
		c.fault = err.Error()
		c.log.Error("the new certificate cannot be used; the one before stays", "certificate", c.cert, "error", err)
	}
}

func (c *Certificate) isSeen() bool {
	for i, path := range []string{c.cert, c.key} {
		info, err := os.Stat(path)
		if err != nil || !sameFile(info, c.seen[i]) {
			return false
		}
	}
	return true
}

// read reads the files. What they were is noted before, so that a change meanwhile is seen the next
// time.
func (c *Certificate) read() error {
	var seen [2]fs.FileInfo
	for i, path := range []string{c.cert, c.key} {
		seen[i], _ = os.Stat(path) // if it is not there, reading it says so
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.pair.Store(&pair)
	c.seen = seen
	return nil
}

// sameFile reports whether a file has not changed since it was looked at.
func sameFile(now, before fs.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) &&
		now.Size() == before.Size()
}
