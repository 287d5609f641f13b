package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"stele/internal/base/layout"
	"stele/internal/trust/answers"
)

// body is the body of an answer. If the connection breaks, body requests the rest, provided that
// the service can show that the file is still the same.
type body struct {
	*answers.Exchange
	source  *Source
	name    string
	header  http.Header     // of the request
	readCtx context.Context // context of the reader
	end     func()
	at      int64 // bytes read so far
	resumed int
	broken  error // why the body is incomplete
}

// repeats is the number of times that a request is repeated after a temporary fault. After a stall,
// the request is repeated only once, because each stall takes long.
const repeats = 3

// get requests a file, and repeats the request after a temporary fault.
func (s *Source) get(ctx context.Context, name string, header http.Header) (*body, error) {
	for n := 0; ; n++ {
		b, err := s.getOnce(ctx, name, header)
		again, pause := false, s.limits.Pause<<n
		if err != nil {
			again = isTransient(err) && (n == 0 || !errors.Is(err, answers.ErrStalled))
		} else {
			var asked time.Duration
			asked, again = b.mayRetry()
			pause = max(pause, asked)
		}
		if !again || n == repeats || s.ctx.Err() != nil || ctx.Err() != nil {
			return b, err
		}
		if err == nil {
			b.Close() // the rest is not needed
		}
		if err := s.pauseRequests(ctx, pause); err != nil {
			return nil, getError(name, err)
		}
	}
}

// pauseRequests waits before a request is repeated.
func (s *Source) pauseRequests(ctx context.Context, pause time.Duration) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	giveUp := func(err error) {
		if !errors.Is(err, answers.ErrStalled) { // no bytes are expected meanwhile
			cancel(err)
		}
	}
	s.meter.Wait(giveUp, func() (int, bool) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-s.ctx.Done():
			err = context.Cause(s.ctx)
		}
		return 0, true
	})
	return err
}

// maxPause is the longest pause that a service may ask for. If the service asks for a longer pause,
// the request is not repeated.
const maxPause = 20 * time.Second

// mayRetry reports whether repeating the request may help, and the pause that the service asks for.
func (b *body) mayRetry() (pause time.Duration, ok bool) {
	if !answers.IsTransient(b.StatusCode, nil) {
		return 0, false
	}
	pause = answers.RetryAfter(b.Header)
	return pause, pause <= maxPause
}

// isTransient reports whether the error of a request may be temporary.
func isTransient(err error) bool {
	return !errors.As(err, new(refusal)) && !errors.Is(err, answers.ErrTime) && !errors.Is(err, fs.ErrNotExist) &&
		answers.IsTransient(0, err)
}

// getError adds the name of the requested file to an error.
func getError(name string, err error) error { return &fs.PathError{Op: "get", Path: name, Err: err} }

func (s *Source) getOnce(ctx context.Context, name string, header http.Header) (*body, error) {
	both, cancel := context.WithCancelCause(s.ctx)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	end := func() {
		stop()
		cancel(nil)
	}
	address := s.base + "/" + name
	changes := name == layout.ManifestPath || name == layout.ProofPath || strings.HasPrefix(name, layout.LogFolder)
	if s.limits.Fresh && changes {
		address += "?fresh=" + rand.Text()
	}
	request, err := http.NewRequestWithContext(both, http.MethodGet, address, nil)
	if err != nil {
		end()
		return nil, err
	}
	request.Header = header.Clone()
	if s.user != "" {
		request.Header.Set("Authorization", s.user)
	}
	x, err := answers.Send(s.client, request, s.meter)
	if err != nil {
		end()
		return nil, getError(name, err)
	}
	return &body{Exchange: x, source: s, name: name, header: header, readCtx: ctx, end: end}, nil
}

// statusError returns an error that contains the status of the service's answer.
func (b *body) statusError() error {
	code := b.StatusCode
	if code == http.StatusNotFound || code == http.StatusGone {
		return getError(b.name, fs.ErrNotExist)
	}
	answered := strings.TrimSpace(fmt.Sprintf("service answered %d %s", code, http.StatusText(code)))
	if pause := answers.RetryAfter(b.Header); pause > maxPause {
		return getError(b.name, fmt.Errorf("%s, and asks clients to wait %s: try again then", answered, pause))
	}
	return getError(b.name, errors.New(answered))
}

// decodedContent returns the decoded body. A host may answer with an HTML page and status 200 for a
// missing file; decodedContent then reports that the file does not exist.
func (b *body) decodedContent() (io.Reader, error) {
	in, err := b.contentFrom(b)
	if named := new(fs.PathError); err != nil && !errors.As(err, &named) {
		err = getError(b.name, err)
	}
	return in, err
}

// contentFrom is like decodedContent, but reads the body through in.
func (b *body) contentFrom(in io.Reader) (io.Reader, error) {
	if b.StatusCode != http.StatusOK {
		return nil, b.statusError()
	}
	decoded, err := answers.Decode(in, answers.Encoding(b.Header))
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(b.name, ".html") {
		return decoded, nil
	}
	const longest = len("<!doctype html")
	buffered := bufio.NewReaderSize(decoded, longest)
	begin, err := buffered.Peek(longest)
	if err != nil && err != io.EOF {
		return nil, err
	}
	begin = bytes.ToLower(begin)
	if bytes.HasPrefix(begin, []byte("<!doctype html")) || bytes.HasPrefix(begin, []byte("<html")) {
		return nil, getError(b.name, fs.ErrNotExist)
	}
	return buffered, nil
}

func (b *body) Read(p []byte) (n int, err error) {
	n, err = b.Exchange.Read(p)
	b.at += int64(n)
	b.source.received.Add(int64(n))
	if err != nil && err != io.EOF && isTransient(err) {
		err = b.resume(err)
	}
	if err != io.EOF {
		b.broken = err
	}
	return n, err
}

var errOtherVersion = errors.New("connection lost, and the service does not continue with the same version of the file")

// resume requests the rest of a broken body. If it fails, it returns broken, or the reason why the
// rest is not available.
func (b *body) resume(broken error) error {
	tag := b.Header.Get("ETag")
	if b.resumed++; b.resumed > repeats || tag == "" || strings.HasPrefix(tag, "W/") {
		return broken
	}
	header := b.header.Clone()
	header.Set("Range", fmt.Sprintf("bytes=%d-", b.at))
	header.Set("If-Range", tag)
	rest, err := b.source.get(b.readCtx, b.name, header)
	if err != nil {
		return err
	}
	h := rest.Header
	if rest.StatusCode != http.StatusPartialContent || h.Get("ETag") != tag ||
		answers.Encoding(h) != answers.Encoding(b.Header) ||
		!strings.HasPrefix(h.Get("Content-Range"), fmt.Sprintf("bytes %d-", b.at)) {
		rest.Close() // the rest is not needed
		return errOtherVersion
	}
	b.Close() // it is broken
	b.Exchange, b.end = rest.Exchange, rest.end
	return nil
}

func (b *body) Close() error {
	defer b.end()
	return b.Exchange.Close()
}
