package bucket

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

func openStore(ctx context.Context, u *url.URL) (objects, error) {
	switch u.Scheme {
	case "s3":
		return openS3(u)
	case "gs":
		return openGoogle(ctx, u)
	}
	return openAzure(u)
}

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
func newTransport() *http.Transport {
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
	return t
}

// watched tells the patience of each request what moves on its connection.
type watched struct{ *http.Transport }

func (t watched) RoundTrip(r *http.Request) (*http.Response, error) {
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
	answer, err := t.Transport.RoundTrip(r)
	if err == nil {
		p.progress()
		answer.Body = watchedBody{answer.Body, p}
	}
	return answer, err
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
	ctx context.Context,
	body io.ReaderAt,
	size int64,
	send func(i int, part *io.SectionReader) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	parts := make(chan int)
	for range partsAtOnce {
		running.Go(func() {
			for i := range parts {
				at := int64(i) * partSize(size)
				err := repeat(ctx, partPause, func() error {
					return send(i, io.NewSectionReader(body, at, min(partSize(size), size-at)))
				})
				if err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range countParts(size) {
		select {
		case parts <- int(i):
		case <-ctx.Done():
		}
	}
	close(parts)
	running.Wait()
	return context.Cause(ctx)
}

// partPause is how long to wait before a part is sent again, at first.
const partPause = 200 * time.Millisecond
