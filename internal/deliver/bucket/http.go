package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"stele/internal/base/parallel"
)

// onlyParameters refuses parameters of an address that its store does not have. Their values are
// not repeated.
func onlyParameters(u *url.URL, known ...string) error {
	for name := range u.Query() {
		if !slices.Contains(known, name) {
			return errors.New(u.Scheme + ":// has no parameter " + clipped(name))
		}
	}
	return nil
}

// sendBuffer is how much the system may hold of what is sent on a connection. A larger one would
// hide for minutes whether anything moves on a slow line.
const sendBuffer = 128 << 10

// newTransport makes the connections to a store. They are of HTTP/1.1: with HTTP/2 all requests
// would share one send buffer.
func newTransport() transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, address)
		if tcp, ok := c.(*net.TCPConn); ok {
			err = tcp.SetWriteBuffer(sendBuffer)
		}
		return c, err
	}
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	t.DisableCompression = true
	t.MaxIdleConnsPerHost = 64
	return transport{t}
}

// transport tells the patience of each request what moves on its connection.
type transport struct{ *http.Transport }

func (t transport) close() error {
	t.CloseIdleConnections()
	return nil
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	p, ok := r.Context().Value(patienceKey{}).(*patience)
	if !ok {
		return t.Transport.RoundTrip(r)
	}
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context()) // which is not for a RoundTripper to change
		r.Body = watchedBody{r.Body, p}
		p.sending.Add(1)
		defer p.sending.Add(-1)
	}
	requests, isList := r.Context().Value(listKey{}).(*atomic.Int32)
	if isList && requests.Add(1) > perPage {
		return nil, final{errEndless}
	}
	answer, err := t.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	p.progress()
	switch body := answer.Body; {
	case answer.StatusCode >= http.StatusBadRequest: // a text that never ends is no progress
		answer.Body = limitedBody{io.LimitReader(body, maxExplained), body}
	case isList:
		answer.Body = limitedBody{io.LimitReader(watchedBody{body, p}, maxList), body}
	default:
		answer.Body = watchedBody{body, p}
	}
	return answer, nil
}

// listKey is the key by which a context holds how many requests were made for a part of a list.
type listKey struct{}

// maxList is how many bytes a part of a list may have.
const maxList = 64 << 20

var errEndless = errors.New("the store's list has no end")

type limitedBody struct {
	io.Reader
	io.Closer
}

type watchedBody struct {
	io.ReadCloser
	patience *patience
}

func (b watchedBody) Read(data []byte) (int, error) {
	n, err := b.ReadCloser.Read(data)
	if n > 0 {
		b.patience.progress()
	}
	return n, err
}

// How an object is sent. What is larger than whole goes in parts, which the store joins at the end.
const (
	whole       = 16 << 20
	part        = 8 << 20
	maxParts    = 9000
	partStep    = 256 << 10 // parts of Google's are multiples of that
	partsAtOnce = 4
)

// partSize is how large the parts are in which an object is sent.
func partSize(size int64) int64 {
	step := int64(partStep)
	return max(part, (size/maxParts/step+1)*step)
}

func countParts(size int64) int64 { return (size + partSize(size) - 1) / partSize(size) }

func requests(size int64) int64 {
	if size <= whole {
		return 1
	}
	return countParts(size) + 1
}

// sendParts sends the parts of an object, some at a time. One that fails for a reason which may
// pass is sent again.
func sendParts(
	ctx context.Context, body io.ReaderAt, size int64, send func(i int, part *io.SectionReader) error,
) error {
	parts := func(yield func(int64, error) bool) {
		for i := int64(0); i < countParts(size) && yield(i, nil); i++ {
		}
	}
	return parallel.Each(ctx, partsAtOnce, parts, func(ctx context.Context, i int64) error {
		at := i * partSize(size)
		part := func() *io.SectionReader { return io.NewSectionReader(body, at, min(partSize(size), size-at)) }
		return repeat(ctx, partPause, func() error { return send(int(i), part()) })
	})
}

// partPause is how long to wait before a part is sent again, at first.
const partPause = 200 * time.Millisecond

var errStalled = errors.New("nothing came or went for too long")

type patience struct {
	timer   *time.Timer
	most    time.Duration
	sending atomic.Int64 // how many bodies are on their way
}

// patienceKey is the key by which a context holds the patience of its request.
type patienceKey struct{}

// progress says that something came or went. While something is sent the silence may last twice as
// long: the system holds what it took and the line did not yet, and a slow line is shared by many
// connections.
func (p *patience) progress() {
	most := p.most
	if p.sending.Load() > 0 {
		most *= 2
	}
	p.timer.Reset(most)
}

type counted struct {
	in    io.Reader
	count *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.count.Add(int64(n))
	return n, err
}

type final struct{ error }

func (e final) Unwrap() error { return e.error }

// repeats is how often a request is repeated that failed for a reason which may pass.
const repeats = 3

// repeat does something, and again where that may help, after pauses.
func repeat(ctx context.Context, pause time.Duration, do func() error) error {
	for n := 0; ; n++ {
		err := do()
		if err == nil || n == repeats || !isPassing(err) {
			return err
		}
		select {
		case <-time.After(pause << n):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// try does something, and again where that may help. What fails is explained.
func (b *Bucket) try(ctx context.Context, op, key string, do func(context.Context) error) error {
	err := repeat(ctx, b.options.Pause, func() error { return b.once(ctx, op, key, do) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return b.explain(op, key, err)
}

func (b *Bucket) once(ctx context.Context, op, key string, do func(context.Context) error) error {
	if b.options.Before != nil {
		if err := b.options.Before(op, key); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &patience{most: b.options.Patience}
	p.timer = time.AfterFunc(p.most, func() { cancel(errStalled) })
	defer p.timer.Stop()
	err := do(context.WithValue(ctx, patienceKey{}, p))
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return final{fmt.Errorf("the store was waited for %s: %w", p.most, errStalled)}
	}
	return err
}

// IsPassing reports whether what failed may succeed when it is tried again later.
func IsPassing(err error) bool { return isPassing(err) }

// isPassing reports whether an error may be gone the next time.
func isPassing(err error) bool {
	if errors.As(err, new(final)) || errors.Is(err, ErrConflict) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false
	}
	if known, is := errors.AsType[statusError](err); is {
		return known.status == 408 || known.status == 429 || known.status >= 500 && known.status != 501
	}
	return true
}
