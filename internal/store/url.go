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
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/layout"
	"stele/release"
)

// IsURL reports whether a place is an address and not a path.
func IsURL(where string) bool {
	return strings.HasPrefix(where, "https://") || strings.HasPrefix(where, "http://")
}

// Limits are what a service may take and send while a release is read from it. Zero values stand
// for the defaults.
type Limits struct {
	Time      time.Duration // for everything; default one hour
	Bytes     int64         // in all, decoded; default 4 GiB
	Redirects bool          // whether a service may send the reader to another host

	patience time.Duration // in which some progress must be made; default thirty seconds
}

// progress is how many bytes must come while patience lasts. A file that is shorter gives one part
// of it back.
const (
	progress   = 32 << 10
	partOfFile = 16
)

func (l Limits) withDefaults() Limits {
	if l.Time <= 0 {
		l.Time = time.Hour
	}
	if l.Bytes <= 0 {
		l.Bytes = 4 << 30
	}
	if l.patience <= 0 {
		l.patience = 30 * time.Second
	}
	return l
}

// OpenURL opens the release that a service at a base address serves. Files are read when they are
// asked for, and their digests are checked like those of any release. The service is not trusted:
// it may send no more and take no longer than the limits say. closeRelease ends what is being read.
func OpenURL(ctx context.Context, base string, limits Limits) (r *release.Release, closeRelease func() error,
	err error,
) {
	address, err := url.Parse(base)
	if err != nil {
		return nil, nil, err
	}
	limits = limits.withDefaults()
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, fmt.Errorf("the service took longer than %s in all", limits.Time))
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
	w := &web{ctx: ctx, base: strings.TrimSuffix(base, "/"), limits: limits, left: limits.patience, client: &http.Client{
		Transport: transport,
		CheckRedirect: func(to *http.Request,
			via []*http.Request,
		) error {
			return limits.follow(address, to.URL, len(via))
		},
	}}
	closeRelease = func() error {
		cancel()
		transport.CloseIdleConnections()
		return nil
	}
	if r, err = release.Open(ctx, w); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", base, err), closeRelease())
	}
	return r, closeRelease, nil
}

// follow decides whether a redirect is followed. A service could lead to the machine itself, or to
// others that only it can reach.
func (l Limits) follow(from, to *url.URL, count int) error {
	const most = 10
	if count >= most {
		return fmt.Errorf("stopped after %d redirects", most)
	}
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == ""
	same := from.Hostname() == to.Hostname() && (from.Scheme == to.Scheme && from.Port() == to.Port() || upgrade)
	if !same && !l.Redirects {
		return fmt.Errorf("the service leads to another host, %s: give that address if you trust it, or allow it with --fetch-redirects", to.Redacted())
	}
	return nil
}

// web is a service as a file system that can only open files.
type web struct {
	ctx    context.Context // as long as the release is open
	base   string
	limits Limits
	client *http.Client
	read   atomic.Int64

	mu   sync.Mutex
	left time.Duration // to wait for the service; what the reader does meanwhile does not count
	came int           // bytes since there was last more of it
}

// wait does something for which the service has to be waited for, and calls giveUp when that has
// taken too long. Everything that is read shares what is left to wait: a service that lets each
// file drip in just in time would otherwise keep its reader for hours.
func (w *web) wait(giveUp context.CancelCauseFunc, do func() (n int, ended bool)) {
	w.mu.Lock()
	left := w.left
	w.mu.Unlock()
	begun := time.Now()
	timer := time.AfterFunc(left, func() { giveUp(errStalled) })
	n, ended := do()
	timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left -= time.Since(begun)
	if ended {
		w.left = min(w.left+w.limits.patience/partOfFile, w.limits.patience)
	}
	if w.came += n; w.came >= progress {
		w.left, w.came = w.limits.patience, 0
	}
}

// Open fetches a file.
func (w *web) Open(name string) (fs.File, error) {
	if !layout.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	ctx, cancel := context.WithCancelCause(w.ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/"+name, nil)
	if err != nil {
		cancel(err)
		return nil, err
	}
	var response *http.Response
	w.wait(cancel, func() (int, bool) {
		response, err = w.client.Do(request)
		return 0, false
	})
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", err, context.Cause(ctx))
		}
		cancel(err)
		return nil, err
	}
	body := &patient{response.Body, w, ctx, cancel}
	if response.StatusCode == http.StatusOK {
		return &webFile{body, name, response.ContentLength}, nil
	}
	body.Close() // nothing of it is wanted
	if response.StatusCode == http.StatusNotFound {
		return nil, &fs.PathError{Op: "get", Path: name, Err: fs.ErrNotExist}
	}
	return nil, &fs.PathError{Op: "get", Path: name, Err: fmt.Errorf("the service answered %s", response.Status)}
}

var (
	errStalled = errors.New("the service stopped sending, or sends too slowly")
	errTooMuch = errors.New("the service sends more than is read from one")
)

// patient gives up on a body of which too little comes.
type patient struct {
	io.ReadCloser
	web    *web
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (p *patient) Read(b []byte) (n int, err error) {
	p.web.wait(p.cancel, func() (int, bool) {
		n, err = p.ReadCloser.Read(b)
		return n, err == io.EOF
	})
	if p.web.read.Add(int64(n)) > p.web.limits.Bytes {
		return n, fmt.Errorf("%w: %d bytes", errTooMuch, p.web.limits.Bytes)
	}
	if err != nil && err != io.EOF && p.ctx.Err() != nil {
		err = context.Cause(p.ctx)
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
