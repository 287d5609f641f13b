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

// body is the body of an answer. Where the connection is lost, it is asked for from there on, if
// the service can say that it is still the same.
type body struct {
	*answers.Exchange
	source  *Source
	name    string
	header  http.Header     // of the request
	outer   context.Context // of who reads
	end     func()
	at      int64 // bytes that were read
	resumed int
	broken  error // why it did not come to its end
}

// repeats is how often a request is repeated that failed for a reason which may pass. After a stall
// it is once, because each takes long.
const repeats = 3

// get asks for a file, and again if that may help.
func (s *Source) get(ctx context.Context, name string, header http.Header) (*body, error) {
	for n := 0; ; n++ {
		b, err := s.getOnce(ctx, name, header)
		again, pause := false, s.limits.Pause<<n
		if err != nil {
			again = isPassing(err) && (n == 0 || !errors.Is(err, answers.ErrStalled))
		} else {
			var asked time.Duration
			asked, again = b.again()
			pause = max(pause, asked)
		}
		if !again || n == repeats || s.ctx.Err() != nil || ctx.Err() != nil {
			return b, err
		}
		if err == nil {
			b.Close() // nothing of it is wanted
		}
		if err := s.sleep(ctx, pause); err != nil {
			return nil, getError(name, err)
		}
	}
}

// sleep lets time pass in which the service is waited for.
func (s *Source) sleep(ctx context.Context, pause time.Duration) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	giveUp := func(err error) {
		if !errors.Is(err, answers.ErrStalled) { // nothing is to come meanwhile
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

// mostPause is how long a service may ask to wait, so that it is asked again.
const mostPause = 20 * time.Second

// again reports whether the service may answer otherwise when it is asked again, and how long it
// asks to wait.
func (b *body) again() (pause time.Duration, ok bool) {
	if !answers.IsTransient(b.StatusCode, nil) {
		return 0, false
	}
	pause = answers.RetryAfter(b.Header)
	return pause, pause <= mostPause
}

// isPassing reports whether an error of a request may be gone the next time.
func isPassing(err error) bool {
	return !errors.As(err, new(refusal)) && !errors.Is(err, answers.ErrTime) && answers.IsTransient(0, err)
}

// getError names the file that was asked for.
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
	return &body{Exchange: x, source: s, name: name, header: header, outer: ctx, end: end}, nil
}

// refused says that the service did not send a file.
func (b *body) refused() error {
	code := b.StatusCode
	if code == http.StatusNotFound || code == http.StatusGone {
		return getError(b.name, fs.ErrNotExist)
	}
	answered := strings.TrimSpace(fmt.Sprintf("the service answered %d %s", code, http.StatusText(code)))
	if pause := answers.RetryAfter(b.Header); pause > mostPause {
		return getError(b.name, fmt.Errorf("%s, and asks to wait %s: try again then", answered, pause))
	}
	return getError(b.name, errors.New(answered))
}

// content is what an answer has, decoded. A host may answer with a page, and a status of 200, for
// what it does not have.
func (b *body) content() (io.Reader, error) {
	in, err := b.contentOf(b)
	if named := new(fs.PathError); err != nil && !errors.As(err, &named) {
		err = getError(b.name, err)
	}
	return in, err
}

// contentOf is the same, read through another reader.
func (b *body) contentOf(in io.Reader) (io.Reader, error) {
	if b.StatusCode != http.StatusOK {
		return nil, b.refused()
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
	if err != nil && err != io.EOF && isPassing(err) {
		err = b.resume(err)
	}
	if err != io.EOF {
		b.broken = err
	}
	return n, err
}

var errOtherVersion = errors.New("the connection broke off, and the service does not go on with the same version of the file")

// resume asks for the rest of what broke off, and returns why there is none.
func (b *body) resume(broken error) error {
	tag := b.Header.Get("ETag")
	if b.resumed++; b.resumed > repeats || tag == "" || strings.HasPrefix(tag, "W/") {
		return broken
	}
	header := b.header.Clone()
	header.Set("Range", fmt.Sprintf("bytes=%d-", b.at))
	header.Set("If-Range", tag)
	rest, err := b.source.get(b.outer, b.name, header)
	if err != nil {
		return err
	}
	h := rest.Header
	if rest.StatusCode != http.StatusPartialContent || h.Get("ETag") != tag ||
		answers.Encoding(h) != answers.Encoding(b.Header) ||
		!strings.HasPrefix(h.Get("Content-Range"), fmt.Sprintf("bytes %d-", b.at)) {
		rest.Close() // nothing of it is wanted
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
