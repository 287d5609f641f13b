// Package fetch reads releases from services: any host that serves their files over HTTP. A service
// is not trusted. It may send no more and take no longer than the limits say, and what it sends is
// taken only if it has the size and the digest that the manifest says.
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

// IsURL reports whether a place is an address and not a path.
func IsURL(where string) bool {
	return strings.HasPrefix(where, "https://") || strings.HasPrefix(where, "http://")
}

// Limits are what a service may take and send while a release is read from it. Zero values stand
// for the defaults.
type Limits struct {
	Time      time.Duration // that is spent waiting for the service, in all; default one hour
	Bytes     int64         // in all, decoded; default 4 GiB
	Redirects bool          // whether a service may send the reader to another host
	Pause     time.Duration // before a request is repeated, at first; default half a second
	// Fresh asks past caches that do not heed Cache-Control, for what changes under its name: the
	// manifest, the log and the signature.
	Fresh bool
	// Transport answers requests in the place of the network; nil for that. Of a place that is not
	// a URL, such as a bucket, it gets the path alone, and decides how long to wait.
	Transport http.RoundTripper

	patience time.Duration // that is spent waiting without progress; default thirty seconds
}

// WithDefaults are the limits with no zero value in them.
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

// Source is a service as a file system that can only open files. Several goroutines may use it.
type Source struct {
	ctx    context.Context // as long as the source is open
	cancel context.CancelFunc
	base   string
	user   string // what is sent as Authorization, or ""
	limits Limits
	client *http.Client

	decoded  atomic.Int64 // bytes, which the limits are about
	received atomic.Int64 // bytes, as they came
	noByHash atomic.Bool  // whether the service has no files by their digests
	meter    *answers.Meter
}

// Open gets ready to read from the service at a base address. Nothing is read yet. A user and a
// password in the address are sent to that host with each request, and are written nowhere.
func Open(ctx context.Context, base string, limits Limits) (*Source, error) {
	transport := limits.Transport
	if transport != nil && !IsURL(base) {
		base = "http://bucket.invalid" // nobody sees it
		limits.patience = cmp.Or(limits.patience, limits.Time, time.Hour)
	}
	limits = limits.WithDefaults()
	address, user, err := split(base)
	if err != nil {
		return nil, err
	}
	if transport == nil {
		transport = answers.Transport(16)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Source{
		ctx: ctx, cancel: cancel, base: strings.TrimSuffix(address.String(), "/"), user: user, limits: limits,
		meter: answers.NewMeter(limits.Time, limits.patience),
		client: &http.Client{
			Transport: transport,
			CheckRedirect: func(to *http.Request, via []*http.Request) error {
				return limits.follow(address, to, len(via))
			},
		},
	}
	return s, nil
}

// split separates a user and a password from an address, as a header has them.
func split(base string) (address *url.URL, user string, err error) {
	if address, err = answers.ParseBase(base); err == nil && address.User != nil {
		password, _ := address.User.Password()
		user = "Basic " + base64.StdEncoding.EncodeToString([]byte(address.User.Username()+":"+password))
		address.User = nil
	}
	return address, user, err
}

// Public returns a place without the secrets that an address may have, for copies, messages and
// logs. What is no address is as it was.
func Public(where string) string {
	if !strings.Contains(where, "://") {
		return where
	}
	address, err := url.Parse(where)
	if err != nil {
		return "the address"
	}
	address.User, address.RawQuery, address.Fragment = nil, "", ""
	return address.String()
}

// Renew gives the service all the time and bytes again that the limits allow.
func (s *Source) Renew() {
	s.decoded.Store(0)
	s.meter.Renew()
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
// its files by their names. Each is asked for once. Digests are checked like those of any release.
// closeRelease ends what is being read. Who wants the records has package client.
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
	files := &once{Source: s, on: on, kept: map[string]*keptFile{}}
	if r, err = release.Open(s.ctx, files); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", Public(base), err), files.Close())
	}
	files.manifest = r.Manifest
	return r, files.Close, nil
}

// follow decides whether a redirect is followed. A service could lead to the machine itself, or to
// others that only it can reach.
func (l Limits) follow(from *url.URL, request *http.Request, count int) error {
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
		return refusal{fmt.Errorf("the service leads to another host, %.200q: give that address if you trust it, or allow it with STELE_FETCH_REDIRECTS=yes", (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}).String())}
	}
	return nil
}

// refusal is what the reader decided, which the service does not change by being asked again.
type refusal struct{ error }

var errTooMuch = errors.New("the service sends more than is read from one")

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
	in, err := b.content()
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	f := &file{body: b, decoded: in, Info: fileinfo.Info{Path: name}}
	if answers.Encoding(b.Header) == "" {
		f.Length = max(0, b.ContentLength)
	}
	return f, nil
}

// file is a file of a service, decoded.
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
