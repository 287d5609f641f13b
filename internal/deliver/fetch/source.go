// Package fetch reads releases from services: any host that serves their files over HTTP. Services
// are not trusted. Limits bound how much they may send and how long they may take, and a file is
// accepted only if it has the size and the digest in the manifest.
package fetch

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"stele/internal/base/fileinfo"
	"stele/internal/base/layout"
	"stele/internal/disk/scratch"
	"stele/internal/trust/answers"
	"stele/release"
)

// IsURL reports whether location is an HTTP URL, rather than a path.
func IsURL(location string) bool {
	return strings.HasPrefix(location, "https://") || strings.HasPrefix(location, "http://")
}

// Limits bound the bytes and the time that reading a release may take. Zero fields mean the
// defaults.
type Limits struct {
	Time      time.Duration // total time spent waiting for the service; default one hour
	Bytes     int64         // total bytes, decoded; default 4 GiB
	Redirects bool          // whether a service may redirect to another host
	Pause     time.Duration // before a request is first repeated; default half a second
	// Fresh bypasses caches that ignore Cache-Control, for the files that change under their names:
	// the manifest, the log and the signature.
	Fresh bool
	// Transport sends the requests; nil for the network. For a destination that is not a URL, such
	// as a bucket, it receives the path alone, and decides how long to wait.
	Transport http.RoundTripper

	patience time.Duration // longest wait without progress; default thirty seconds
}

// WithDefaults returns l with defaults in place of zero values.
func (l Limits) WithDefaults() Limits {
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

// Source is a service as a file system that can only open files. It is safe for concurrent use.
type Source struct {
	ctx    context.Context // lasts while the source is open
	cancel context.CancelFunc
	base   string
	user   string // value of the header Authorization, or ""
	limits Limits
	client *http.Client

	decoded  atomic.Int64 // bytes after decoding, which the limits count
	received atomic.Int64 // bytes received
	noByHash atomic.Bool  // whether the service has no files under /by-hash/
	meter    *answers.Meter
}

// Open returns a source that reads from the service at the URL base. It sends no request yet. A
// user and a password in the URL are sent to that host with each request, and never stored.
func Open(ctx context.Context, base string, limits Limits) (*Source, error) {
	transport := limits.Transport
	if transport != nil && !IsURL(base) {
		base = "http://bucket.invalid" // a placeholder that is never shown
		limits.patience = cmp.Or(limits.patience, limits.Time, time.Hour)
	}
	limits = limits.WithDefaults()
	address, user, err := splitCredentials(base)
	if err != nil {
		return nil, err
	}
	if transport == nil {
		transport = answers.NewTransport(16)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Source{
		ctx: ctx, cancel: cancel, base: strings.TrimSuffix(address.String(), "/"), user: user, limits: limits,
		meter: answers.NewMeter(limits.Time, limits.patience),
		client: &http.Client{
			Transport: transport,
			CheckRedirect: func(to *http.Request, via []*http.Request) error {
				return limits.checkRedirect(address, to, len(via))
			},
		},
	}
	return s, nil
}

// splitCredentials returns base without its user and password, and the user and password as the
// value of an Authorization header.
func splitCredentials(base string) (address *url.URL, user string, err error) {
	if address, err = answers.ParseBase(base); err == nil && address.User != nil {
		password, _ := address.User.Password()
		user = "Basic " + base64.StdEncoding.EncodeToString([]byte(address.User.Username()+":"+password))
		address.User = nil
	}
	return address, user, err
}

// Public returns a URL without its secrets, for copies, messages and logs. It returns other texts
// unchanged.
func Public(location string) string {
	if !strings.Contains(location, "://") {
		return location
	}
	address, err := url.Parse(location)
	if err != nil {
		return "the URL"
	}
	address.User, address.RawQuery, address.Fragment = nil, "", ""
	return address.String()
}

// Renew resets the time and the bytes that count towards the limits.
func (s *Source) Renew() {
	s.decoded.Store(0)
	s.meter.Renew()
}

// Close ends all running requests.
func (s *Source) Close() error {
	s.cancel()
	s.client.CloseIdleConnections()
	return nil
}

// Received returns the number of bytes received so far, as sent (often compressed) and without
// headers.
func (s *Source) Received() int64 { return s.received.Load() }

// OpenRelease opens the release of a service and reads its files by their names, as other clients
// would. It requests each file once and checks its digest. closeRelease ends the running requests.
// To read records, use package client.
func OpenRelease(ctx context.Context, base string, limits Limits) (r *release.Release, closeRelease func() error,
	err error,
) {
	s, err := Open(ctx, base, limits)
	if err != nil {
		return nil, nil, err
	}
	on, err := scratch.New("", "stele-verify-*")
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	files := &cachedSource{Source: s, spill: on, files: map[string]*cachedFile{}}
	if r, err = release.Open(s.ctx, files); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", Public(base), err), files.Close())
	}
	files.manifest = r.Manifest
	return r, files.Close, nil
}

// checkRedirect returns an error if the redirect to request must not be followed. A service could
// redirect to this machine, or to hosts that only this machine can reach.
func (l Limits) checkRedirect(from *url.URL, request *http.Request, count int) error {
	const most = 10
	if count >= most {
		return refusal{fmt.Errorf("stopped after %d redirects", most)}
	}
	to := request.URL
	if answers.SameHost(from, to) {
		return nil
	}
	request.Header.Del("Authorization")
	if !l.Redirects {
		return refusal{fmt.Errorf("the service redirects to another host, %.200q: use that URL if you trust it, or allow redirects with STELE_FETCH_REDIRECTS=yes", (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String())}
	}
	return nil
}

// refusal is an error that repeating the request cannot change.
type refusal struct{ error }

var errTooMuch = errors.New("the service sent more than the limit")

// accepted lists the encodings that a service may use.
const accepted = "br, zstd, gzip"

// Open fetches a file, in any encoding that the service sends.
func (s *Source) Open(name string) (fs.File, error) { return s.OpenContext(s.ctx, name) }

// OpenContext is Open with a context for this file.
func (s *Source) OpenContext(ctx context.Context, name string) (fs.File, error) {
	if !layout.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	b, err := s.get(ctx, name, http.Header{"Accept-Encoding": {accepted}})
	if err != nil {
		return nil, err
	}
	in, err := b.decodedContent()
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	f := &file{body: b, decoded: in, Info: fileinfo.Info{Path: name}}
	if answers.Encoding(b.Header) == "" {
		f.Length = max(0, b.ContentLength)
	}
	return f, nil
}

// file is an open file of a service, decoded.
type file struct {
	fileinfo.Info
	body    *body
	decoded io.Reader
}

func (f *file) Read(b []byte) (int, error) {
	n, err := f.decoded.Read(b)
	if f.body.source.decoded.Add(int64(n)) > f.body.source.limits.Bytes {
		return n, fmt.Errorf("%w: %d bytes", errTooMuch, f.body.source.limits.Bytes)
	}
	return n, err
}

func (f *file) Close() error { return f.body.Close() }
