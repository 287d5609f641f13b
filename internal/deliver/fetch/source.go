// Package fetch reads releases from services: any host that serves their files over HTTP. A service
// is not trusted. It may send no more and take no longer than the limits say, and what it sends is
// taken only if it has the size and the digest that the manifest says.
package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
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
	Pause     time.Duration // before a request is repeated, at first; default half a second
	// Transport answers requests in the place of a service, by the path alone; nil for the network.
	Transport http.RoundTripper

	patience time.Duration // in which some progress must be made; default thirty seconds
}

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
	if l.Pause <= 0 {
		l.Pause = 500 * time.Millisecond
	}
	return l
}

// Source is a service as a file system that can only open files. Several goroutines may use it.
type Source struct {
	ctx    context.Context // as long as the source is open
	cancel context.CancelFunc
	base   string
	limits Limits
	client *http.Client

	decoded  atomic.Int64 // bytes, which the limits are about
	received atomic.Int64 // bytes, as they came
	noByHash atomic.Bool  // whether the service has no files by their digests
	patience patience
}

// Open gets ready to read from the service at a base address. Nothing is read yet.
func Open(ctx context.Context, base string, limits Limits) (*Source, error) {
	address, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	limits = limits.withDefaults()
	transport := limits.Transport
	if transport == nil {
		transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16,
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10, DisableCompression: true,
		}
	} else {
		base = "http://bucket.invalid" // nobody sees it
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, fmt.Errorf("the service took longer than %s in all", limits.Time))
	s := &Source{
		ctx: ctx, cancel: cancel, base: strings.TrimSuffix(base, "/"), limits: limits,
		patience: patience{most: limits.patience, left: limits.patience},
		client: &http.Client{
			Transport: transport,
			CheckRedirect: func(to *http.Request, via []*http.Request) error {
				return limits.follow(address, to.URL, len(via))
			},
		},
	}
	return s, nil
}

// Close ends what is being read.
func (s *Source) Close() error {
	s.cancel()
	s.client.CloseIdleConnections()
	return nil
}

// Received returns how many bytes came so far, compressed as they came, without header lines.
func (s *Source) Received() int64 { return s.received.Load() }

// OpenRelease opens the release that a service serves, to find out what everybody gets who asks for
// its files by their names. Digests are checked like those of any release. closeRelease ends what
// is being read. Who wants the records has package client.
func OpenRelease(ctx context.Context, base string, limits Limits) (r *release.Release, closeRelease func() error,
	err error,
) {
	s, err := Open(ctx, base, limits)
	if err != nil {
		return nil, nil, err
	}
	if r, err = release.Open(s.ctx, s); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", base, err), s.Close())
	}
	return r, s.Close, nil
}

// follow decides whether a redirect is followed. A service could lead to the machine itself, or to
// others that only it can reach.
func (l Limits) follow(from, to *url.URL, count int) error {
	const most = 10
	if count >= most {
		return refusal{fmt.Errorf("stopped after %d redirects", most)}
	}
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == ""
	same := from.Hostname() == to.Hostname() && (from.Scheme == to.Scheme && from.Port() == to.Port() || upgrade)
	if !same && !l.Redirects {
		return refusal{fmt.Errorf("the service leads to another host, %s: give that address if you trust it, or allow it with --fetch-redirects", to.Redacted())}
	}
	return nil
}

// refusal is what the reader decided, which the service does not change by being asked again.
type refusal struct{ error }

var (
	errStalled = errors.New("the service stopped sending, or sends too slowly")
	errTooMuch = errors.New("the service sends more than is read from one")
)

// accepted are the encodings that a service may send a file in.
const accepted = "br, zstd, gzip"

// Open fetches a file, in whatever encoding the service sends it.
func (s *Source) Open(name string) (fs.File, error) { return s.OpenContext(s.ctx, name) }

// OpenContext does the same, until a context ends.
func (s *Source) OpenContext(ctx context.Context, name string) (fs.File, error) {
	if !layout.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	b, err := s.get(ctx, name, http.Header{"Accept-Encoding": {accepted}})
	if err != nil {
		return nil, err
	}
	if b.response.StatusCode != http.StatusOK {
		return nil, errors.Join(b.refused(), b.Close())
	}
	f := &file{body: b, decoded: b, name: name}
	switch encoding := b.response.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		f.size = b.response.ContentLength
	default:
		e, ok := compress.Named(encoding)
		if !ok {
			return nil, errors.Join(&fs.PathError{Op: "get", Path: name, Err: fmt.Errorf("the service sends it in the encoding %.40q, which is not known", encoding)}, b.Close())
		}
		if f.decoded, err = e.Reader(b); err != nil {
			return nil, errors.Join(&fs.PathError{Op: "get", Path: name, Err: err}, b.Close())
		}
	}
	return f, nil
}

// file is a file of a service, decoded.
type file struct {
	body    *body
	decoded io.Reader
	name    string
	size    int64
}

func (f *file) Read(b []byte) (int, error) {
	n, err := f.decoded.Read(b)
	if f.body.source.decoded.Add(int64(n)) > f.body.source.limits.Bytes {
		return n, fmt.Errorf("%w: %d bytes", errTooMuch, f.body.source.limits.Bytes)
	}
	return n, err
}

func (f *file) Close() error               { return f.body.Close() }
func (f *file) Stat() (fs.FileInfo, error) { return f, nil }

// What a file of a service can tell of itself.

func (f *file) Name() string       { return path.Base(f.name) }
func (f *file) Size() int64        { return max(0, f.size) }
func (f *file) Mode() fs.FileMode  { return 0o444 }
func (f *file) ModTime() time.Time { return time.Time{} }
func (f *file) IsDir() bool        { return false }
func (f *file) Sys() any           { return nil }

// body is the body of an answer. Where the connection is lost, it is asked for from there on, if
// the service can say that it is still the same.
type body struct {
	source   *Source
	name     string
	header   http.Header // of the request
	response *http.Response
	ctx      context.Context
	cancel   context.CancelCauseFunc
	at       int64 // bytes that were read
	resumed  int
}

// repeats is how often a request is repeated that failed for a reason which may pass.
const repeats = 3

// get asks for a file, and again if that may help.
func (s *Source) get(ctx context.Context, name string, header http.Header) (*body, error) {
	for n := 0; ; n++ {
		b, err := s.getOnce(ctx, name, header)
		again, pause := false, s.limits.Pause<<n
		switch {
		case err != nil:
			again = isPassing(err)
		default:
			status := b.response.StatusCode
			again = status == http.StatusTooManyRequests || status >= 500 && status != http.StatusNotImplemented
			pause = max(pause, retryAfter(b.response.Header.Get("Retry-After")))
		}
		if !again || n == repeats || s.ctx.Err() != nil || ctx.Err() != nil {
			return b, err
		}
		if err == nil {
			b.Close() // nothing of it is wanted
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.ctx.Done():
			return nil, context.Cause(s.ctx)
		}
	}
}

// retryAfter is how long a service asks to wait, if that is not too long.
func retryAfter(text string) time.Duration {
	const most = 30
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, most)) * time.Second
}

// isPassing reports whether an error of a request may be gone the next time.
func isPassing(err error) bool {
	var refused refusal
	var certificate *tls.CertificateVerificationError
	return !errors.As(err, &refused) && !errors.As(err, &certificate) && !errors.Is(err, errStalled) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

func (s *Source) getOnce(ctx context.Context, name string, header http.Header) (*body, error) {
	both, cancel := context.WithCancelCause(s.ctx)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	end := func(err error) {
		stop()
		cancel(err)
	}
	request, err := http.NewRequestWithContext(both, http.MethodGet, s.base+"/"+name, nil)
	if err != nil {
		end(err)
		return nil, err
	}
	request.Header = header
	b := &body{source: s, name: name, header: header, ctx: both, cancel: end}
	s.patience.wait(end, func() (int, bool) {
		b.response, err = s.client.Do(request)
		return 0, false
	})
	if err != nil {
		if both.Err() != nil {
			err = fmt.Errorf("%w: %w", err, context.Cause(both))
		}
		end(err)
		return nil, err
	}
	return b, nil
}

// refused says that the service did not send a file.
func (b *body) refused() error {
	if code := b.response.StatusCode; code == http.StatusNotFound || code == http.StatusGone {
		return &fs.PathError{Op: "get", Path: b.name, Err: fs.ErrNotExist}
	}
	return &fs.PathError{Op: "get", Path: b.name, Err: fmt.Errorf("the service answered %s", b.response.Status)}
}

func (b *body) Read(p []byte) (n int, err error) {
	b.source.patience.wait(b.cancel, func() (int, bool) {
		n, err = b.response.Body.Read(p)
		return n, err == io.EOF
	})
	b.at += int64(n)
	b.source.received.Add(int64(n))
	if err == nil || err == io.EOF {
		return n, err
	}
	if b.ctx.Err() != nil {
		return n, context.Cause(b.ctx)
	}
	if again := b.resume(); again == nil {
		return n, nil
	}
	return n, err
}

var errNotResumed = errors.New("the service does not go on from where it stopped")

// resume asks for the rest.
func (b *body) resume() error {
	tag := b.response.Header.Get("ETag")
	if b.resumed++; b.resumed > repeats || tag == "" || strings.HasPrefix(tag, "W/") {
		return errNotResumed
	}
	header := b.header.Clone()
	header.Set("Range", fmt.Sprintf("bytes=%d-", b.at))
	header.Set("If-Range", tag)
	rest, err := b.source.get(b.ctx, b.name, header)
	if err != nil {
		return err
	}
	h := rest.response.Header
	if rest.response.StatusCode != http.StatusPartialContent || h.Get("ETag") != tag ||
		h.Get("Content-Encoding") != b.response.Header.Get("Content-Encoding") ||
		!strings.HasPrefix(h.Get("Content-Range"), fmt.Sprintf("bytes %d-", b.at)) {
		return errors.Join(errNotResumed, rest.Close())
	}
	b.response.Body.Close() // it is broken
	old := b.cancel
	b.response, b.ctx = rest.response, rest.ctx
	b.cancel = func(err error) {
		rest.cancel(err)
		old(err)
	}
	return nil
}

func (b *body) Close() error {
	err := b.response.Body.Close()
	b.cancel(nil)
	return err
}

// patience is how long a service is waited for. What the reader does meanwhile does not count, and
// waiting for several files at once counts once. Everything that is read shares what is left of it:
// a service that lets each file drip in just in time would otherwise keep its reader for hours.
type patience struct {
	most time.Duration

	mu      sync.Mutex
	left    time.Duration
	came    int // bytes since there was last more of it
	waiting int
	since   time.Time // when it was last counted, while somebody waits
}

// progress is how many bytes must come while patience lasts. A file that is shorter gives one part
// of it back.
const (
	progress   = 32 << 10
	partOfFile = 16
)

// count takes away the time that somebody waited.
func (p *patience) count() {
	now := time.Now()
	if p.waiting > 0 {
		p.left -= now.Sub(p.since)
	}
	p.since = now
}

// wait does something for which the service has to be waited for, and calls giveUp when that has
// taken too long.
func (p *patience) wait(giveUp func(error), do func() (n int, ended bool)) {
	p.mu.Lock()
	p.count()
	p.waiting++
	var timer *time.Timer
	timer = time.AfterFunc(p.left, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.count(); p.left > 0 { // others got something meanwhile
			timer.Reset(p.left)
			return
		}
		giveUp(errStalled)
	})
	p.mu.Unlock()
	n, ended := do()
	p.mu.Lock()
	defer p.mu.Unlock()
	timer.Stop()
	p.count()
	p.waiting--
	if ended {
		p.left = min(p.left+p.most/partOfFile, p.most)
	}
	if p.came += n; p.came >= progress {
		p.left, p.came = p.most, 0
	}
}
