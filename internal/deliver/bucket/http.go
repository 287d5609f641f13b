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

// refuseUnknownParameters refuses unknown parameters of a URL. The error does not repeat their
// values.
func refuseUnknownParameters(u *url.URL, known ...string) error {
	for name := range u.Query() {
		if !slices.Contains(known, name) {
			return errors.New(u.Scheme + ":// has no parameter " + quoteForeign(name))
		}
	}
	return nil
}

// sendBuffer is the size of the system's send buffer for a connection. A larger one would hide for
// minutes that a slow line makes no progress.
const sendBuffer = 128 << 10

// newTransport returns a transport for a store. It uses HTTP/1.1, because with HTTP/2 all requests
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

// transport reports the progress of its connections to the patience of the current request.
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
		r = r.Clone(r.Context()) // a RoundTripper must not change a request
		r.Body = watchedBody{r.Body, p}
		p.sending.Add(1)
		defer p.sending.Add(-1)
	}
	requests, isList := r.Context().Value(listKey{}).(*atomic.Int32)
	if isList && requests.Add(1) > perPage {
		return nil, permanentError{errEndless}
	}
	answer, err := t.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	p.progress()
	switch body := answer.Body; {
	case answer.StatusCode >= http.StatusBadRequest: // an endless error message does not count as progress
		answer.Body = limitedBody{io.LimitReader(body, maxExplained), body}
	case isList:
		answer.Body = limitedBody{io.LimitReader(watchedBody{body, p}, maxList), body}
	default:
		answer.Body = watchedBody{body, p}
	}
	return answer, nil
}

// listKey is the context key for the number of requests made for one page of a list.
type listKey struct{}

// maxList is the maximum size of a page of a list, in bytes.
const maxList = 64 << 20

var errEndless = errors.New("the store's list is endless")

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

// Sizes for sending objects. Objects larger than whole are sent in parts.
const (
	maxWhole    = 16 << 20
	part        = 8 << 20
	maxParts    = 9000
	partStep    = 256 << 10 // Google requires multiples of this
	partsAtOnce = 4
)

// partSize returns the size of the parts of an object.
func partSize(size int64) int64 {
	step := int64(partStep)
	return max(part, (size/maxParts/step+1)*step)
}

func countParts(size int64) int64 { return (size + partSize(size) - 1) / partSize(size) }

func countRequests(size int64) int64 {
	if size <= maxWhole {
		return 1
	}
	return countParts(size) + 1
}

// sendParts sends the parts of an object, several at a time. It repeats a part after a temporary
// fault.
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

// partPause is the pause before a part is first sent again.
const partPause = 200 * time.Millisecond

var errStalled = errors.New("no progress for too long")

type patience struct {
	timer   *time.Timer
	most    time.Duration
	sending atomic.Int64 // number of bodies being sent
}

// patienceKey is the context key for the patience of a request.
type patienceKey struct{}

// progress resets the timer. While a body is being sent, the silence may last twice as long,
// because the system buffers bytes that are not sent yet, and connections share a slow line.
func (p *patience) progress() {
	most := p.most
	if p.sending.Load() > 0 {
		most *= 2
	}
	p.timer.Reset(most)
}

type countingReader struct {
	in    io.Reader
	count *atomic.Int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.count.Add(int64(n))
	return n, err
}

type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// repeats is the number of times that a request is repeated after a temporary fault.
const repeats = 3

// repeat calls do, and calls it again after pauses as long as its error may be temporary.
func repeat(ctx context.Context, pause time.Duration, do func() error) error {
	for n := 0; ; n++ {
		err := do()
		if err == nil || n == repeats || !isTransient(err) {
			return err
		}
		select {
		case <-time.After(pause << n):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// try calls do, repeats it after temporary errors, and adds the cause and the remedy to its error.
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
		return permanentError{fmt.Errorf("no answer from the store for %s: %w", p.most, errStalled)}
	}
	return err
}

// IsTransient reports whether the error may be temporary.
func IsTransient(err error) bool { return isTransient(err) }

// isTransient reports whether the error may be temporary.
func isTransient(err error) bool {
	if errors.As(err, new(permanentError)) || errors.Is(err, ErrConflict) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false
	}
	if known, is := errors.AsType[statusError](err); is {
		return known.status == 408 || known.status == 429 || known.status >= 500 && known.status != 501
	}
	return true
}
