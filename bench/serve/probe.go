//go:build linux

package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// A response is one that a server gave when it was tried.
type response struct {
	head int // bytes
	tag  string
}

// probe asks a server what a case asks, and makes sure that it gives what it should. condition is
// an entity tag, or "".
func (c *load) probe(s *server, condition string) (*response, error) {
	process, address := s.over(c.secure)
	if process == nil {
		return nil, fmt.Errorf("%s has no address for this", s.name)
	}
	conn, err := c.dial(address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, err
	}
	request := "GET /" + c.path + " HTTP/1.1\r\nHost: " + address + "\r\n"
	for _, h := range c.headers(condition) {
		request += h + "\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		return nil, err
	}
	var raw bytes.Buffer
	r, err := http.ReadResponse(bufio.NewReaderSize(io.TeeReader(conn, &raw), 16), nil)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if want := c.statusWith(condition); r.StatusCode != want {
		return nil, fmt.Errorf("%s answers %d, not %d", s.name, r.StatusCode, want)
	}
	if r.StatusCode == http.StatusOK {
		if err := c.compare(s, r, body); err != nil {
			return nil, err
		}
	}
	return &response{bytes.Index(raw.Bytes(), []byte("\r\n\r\n")) + 4, r.Header.Get("ETag")}, nil
}

// dial opens a connection for one request of HTTP/1.1.
func (c *load) dial(address string) (net.Conn, error) {
	if !c.secure {
		return net.Dial("tcp", address)
	}
	// the certificate was made for this run
	return tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
}

// compare holds a body against the file of the release.
func (c *load) compare(s *server, r *http.Response, body []byte) error {
	file := c.path
	if c.accept != "" {
		file += suffixes[c.accept]
		if got := r.Header.Get("Content-Encoding"); got != c.accept {
			return fmt.Errorf("%s sends the encoding %q, not %q", s.name, got, c.accept)
		}
	}
	want, err := os.ReadFile(filepath.Join(s.release, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	if !bytes.Equal(body, want) {
		return fmt.Errorf("%s sends %d bytes that are not %s", s.name, len(body), file)
	}
	return nil
}
