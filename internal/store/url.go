package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"stele/release"
)

// IsURL reports whether a place is an address and not a path.
func IsURL(where string) bool {
	return strings.HasPrefix(where, "https://") || strings.HasPrefix(where, "http://")
}

// OpenURL opens the release that a service at a base address serves. Files are read when they are
// asked for, and their digests are checked like those of any release.
func OpenURL(base string) (*release.Release, error) {
	if _, err := url.Parse(base); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: 30 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
	}}
	r, err := release.Open(&web{strings.TrimSuffix(base, "/"), client})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", base, err)
	}
	return r, nil
}

// web is a service as a file system that can only open files.
type web struct {
	base   string
	client *http.Client
}

// Open fetches a file.
func (w *web) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/"+name, nil)
	if err != nil {
		cancel(err)
		return nil, err
	}
	response, err := w.client.Do(request)
	if err != nil {
		cancel(err)
		return nil, err
	}
	body := &patient{response.Body, ctx, cancel}
	if response.StatusCode == http.StatusOK {
		return &webFile{body, name, response.ContentLength}, nil
	}
	body.Close() // nothing of it is wanted
	if response.StatusCode == http.StatusNotFound {
		return nil, &fs.PathError{Op: "get", Path: name, Err: fs.ErrNotExist}
	}
	return nil, &fs.PathError{Op: "get", Path: name, Err: fmt.Errorf("the service answered %s", response.Status)}
}

// patience is how long a service may send nothing.
const patience = 30 * time.Second

var errStalled = errors.New("the service stopped sending")

// patient gives up on a body of which nothing comes any more. A large one may take as long as it
// takes.
type patient struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (p *patient) Read(b []byte) (int, error) {
	timer := time.AfterFunc(patience, func() { p.cancel(errStalled) })
	defer timer.Stop()
	n, err := p.ReadCloser.Read(b)
	if err != nil && context.Cause(p.ctx) == errStalled {
		err = errStalled
	}
	return n, err
}

func (p *patient) Close() error {
	p.cancel(nil)
	return p.ReadCloser.Close()
}

type webFile struct {
	io.ReadCloser
	name string
	size int64
}

func (f *webFile) Stat() (fs.FileInfo, error) { return f, nil }

// What a file of a service can tell of itself.

func (f *webFile) Name() string       { return path.Base(f.name) }
func (f *webFile) Size() int64        { return max(0, f.size) }
func (f *webFile) Mode() fs.FileMode  { return 0o444 }
func (f *webFile) ModTime() time.Time { return time.Time{} }
func (f *webFile) IsDir() bool        { return false }
func (f *webFile) Sys() any           { return nil }
