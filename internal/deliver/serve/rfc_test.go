//go:build unix

package serve_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
)

// talker is a client of HTTP/2 over TLS that says what it is told to, right or wrong.
type talker struct {
	*http2.Framer
	conn  net.Conn
	block bytes.Buffer
	hpack *hpack.Encoder
}

func newTalker(t *testing.T, address string) *talker {
	t.Helper()
	conn := must.Get(tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}))(t)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	k := &talker{Framer: http2.NewFramer(conn, conn), conn: conn}
	k.AllowIllegalWrites = true
	k.hpack = hpack.NewEncoder(&k.block)
	k.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	must.Get(io.WriteString(conn, http2.ClientPreface))(t)
	return k
}

// head is a block of fields, given as names and values in turn.
func (k *talker) head(fields ...string) []byte {
	k.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		k.hpack.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return bytes.Clone(k.block.Bytes())
}

// ask sends the head of a request.
func (k *talker) ask(stream uint32, ends bool, fields ...string) {
	k.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: k.head(fields...), EndStream: ends,
		EndHeaders: true,
	})
}

// until reads until a stream or the connection ends, and says how.
func (k *talker) until(stream uint32) (status, end string) {
	for {
		f, err := k.ReadFrame()
		if err != nil {
			return status, fmt.Sprint("the connection: ", err)
		}
		switch f := f.(type) {
		case *http2.GoAwayFrame:
			return status, "the connection: " + f.ErrCode.String()
		case *http2.RSTStreamFrame:
			if f.StreamID == stream {
				return status, f.ErrCode.String()
			}
		case *http2.MetaHeadersFrame:
			if f.StreamID == stream {
				status = f.PseudoValue("status")
				if f.StreamEnded() {
					return status, "whole"
				}
			}
		case *http2.DataFrame:
			if f.StreamID == stream && f.StreamEnded() {
				return status, "whole"
			}
		}
	}
}

// TestMalformedHTTP2: what RFC 9113, section 8, calls malformed ends the stream, and nothing else.
// The next request on the connection is answered.
func TestMalformedHTTP2(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{TLS: secureOptions(t)}
	address := listening(t, serve.New(opened(t, opt), opt))
	plain := []string{":method", "GET", ":scheme", "https", ":authority", "a", ":path", "/manifest.json"}
	with := func(more ...string) []string { return append(append([]string{}, plain...), more...) }
	for what, c := range map[string]struct {
		fields      []string
		status, end string
	}{
		"a plain request":                {plain, "200", "whole"},
		"the same host":                  {with("host", "A:443"), "200", "whole"},
		"another host":                   {with("host", "b"), "400", "PROTOCOL_ERROR"},
		"two hosts":                      {with("host", "a", "host", "a"), "400", "PROTOCOL_ERROR"},
		"a host that is none":            {append(append([]string{}, plain[:4]...), ":authority", "a/b", ":path", "/"), "400", "PROTOCOL_ERROR"},
		"no host at all":                 {append(append([]string{}, plain[:4]...), ":path", "/"), "400", "PROTOCOL_ERROR"},
		"an empty host":                  {append(append([]string{}, plain[:4]...), ":authority", "", ":path", "/"), "400", "PROTOCOL_ERROR"},
		"a host as HTTP/1.1 has it":      {append(append([]string{}, plain[:4]...), ":path", "/manifest.json", "host", "a"), "200", "whole"},
		"a user":                         {append(append([]string{}, plain[:4]...), ":authority", "u@a", ":path", "/"), "", "PROTOCOL_ERROR"},
		"a path without a slash":         {append(append([]string{}, plain[:6]...), ":path", "manifest.json"), "", "PROTOCOL_ERROR"},
		"a URL for a path":               {append(append([]string{}, plain[:6]...), ":path", "https://a/manifest.json"), "400", "PROTOCOL_ERROR"},
		"a star":                         {append(append([]string{}, plain[:6]...), ":path", "*"), "400", "PROTOCOL_ERROR"},
		"a star where it may be":         {[]string{":method", "OPTIONS", ":scheme", "https", ":authority", "a", ":path", "*"}, "204", "whole"},
		"a path that is too long":        {append(append([]string{}, plain[:6]...), ":path", "/"+strings.Repeat("a", 9000)), "414", "whole"},
		"a method that is not known":     {[]string{":method", "BREW", ":scheme", "https", ":authority", "a", ":path", "/"}, "501", "whole"},
		"a method that is none":          {[]string{":method", "G(T", ":scheme", "https", ":authority", "a", ":path", "/"}, "400", "PROTOCOL_ERROR"},
		"two authorities":                {[]string{":method", "GET", ":scheme", "https", ":authority", "", ":authority", "a", ":path", "/"}, "", "PROTOCOL_ERROR"},
		"a large letter in a name":       {with("Accept", "*/*"), "", "PROTOCOL_ERROR"},
		"a space before a value":         {with("accept", " */*"), "400", "PROTOCOL_ERROR"},
		"a tab after a value":            {with("accept", "*/*\t"), "400", "PROTOCOL_ERROR"},
		"a line end in a value":          {with("accept", "a\nb"), "", "PROTOCOL_ERROR"},
		"a field of a connection":        {with("connection", "close"), "400", "PROTOCOL_ERROR"},
		"a length and nothing":           {with("content-length", "3"), "400", "PROTOCOL_ERROR"},
		"a length of nothing":            {with("content-length", "0"), "200", "whole"},
		"a length that is no number":     {with("content-length", "+0"), "400", "PROTOCOL_ERROR"},
		"two lengths":                    {with("content-length", "0", "content-length", "1"), "400", "PROTOCOL_ERROR"},
		"a pseudo field that is unknown": {append([]string{":x", "y"}, plain...), "", "PROTOCOL_ERROR"},
		"a pseudo field after others":    {append(append([]string{}, plain[:6]...), "accept", "*/*", ":path", "/"), "", "PROTOCOL_ERROR"},
	} {
		k := newTalker(t, address)
		k.WriteSettings()
		k.ask(1, true, c.fields...)
		status, end := "", ""
		// what ends it comes after the answer
		if status, end = k.until(1); end == "whole" && c.end != "whole" {
			_, end = k.until(1)
		}
		if status != c.status || end != c.end {
			t.Errorf("%s: %s, %s; want %s, %s", what, status, end, c.status, c.end)
		}
		k.ask(3, true, ":method", "HEAD", ":scheme", "https", ":authority", "a", ":path", "/")
		if status, end := k.until(3); status != "200" || end != "whole" {
			t.Errorf("%s: the next request gets %s, %s", what, status, end)
		}
	}
}

// TestBodiesHTTP2: a body has the length that it says (RFC 9113, section 8.1.1), and what comes
// after it is as it should be (section 8.1), whether the answer was short or is not sent yet.
func TestBodiesHTTP2(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{TLS: secureOptions(t)}
	address := listening(t, serve.New(openedLarge(t, opt), opt))
	for what, c := range map[string]struct {
		length string
		send   func(k *talker)
		want   string
	}{
		"more than it says":    {"3", func(k *talker) { k.WriteData(1, false, []byte("abcd")) }, "PROTOCOL_ERROR"},
		"less than it says":    {"3", func(k *talker) { k.WriteData(1, true, []byte("ab")) }, "PROTOCOL_ERROR"},
		"more, in two frames":  {"3", func(k *talker) { k.WriteData(1, false, []byte("ab")); k.WriteData(1, true, []byte("cd")) }, "PROTOCOL_ERROR"},
		"less, and trailers":   {"3", func(k *talker) { k.WriteData(1, false, []byte("ab")); k.ask(1, true, "x", "y") }, "PROTOCOL_ERROR"},
		"trailers without end": {"2", func(k *talker) { k.WriteData(1, false, []byte("ab")); k.ask(1, false, "x", "y") }, "PROTOCOL_ERROR"},
		"pseudo fields after":  {"2", func(k *talker) { k.WriteData(1, false, []byte("ab")); k.ask(1, true, ":path", "/") }, "PROTOCOL_ERROR"},
		"what it says":         {"3", func(k *talker) { k.WriteData(1, true, []byte("abc")); k.WriteData(1, true, nil) }, "STREAM_CLOSED"},
		"what it says, trailers": {"3", func(k *talker) {
			k.WriteData(1, false, []byte("abc"))
			k.ask(1, true, "x", "y")
			k.WriteData(1, true, nil)
		}, "STREAM_CLOSED"},
		"a long one": {"100000", func(*talker) {}, "NO_ERROR"},
	} {
		for _, path := range []string{"/manifest.json", "/" + large} {
			if what == "a long one" && path != "/manifest.json" {
				continue // whose answer does not end
			}
			k := newTalker(t, address)
			k.WriteSettings()
			k.ask(1, false, ":method", "GET", ":scheme", "https", ":authority", "a", ":path", path, "content-length", c.length)
			c.send(k)
			_, end := k.until(1)
			if end == "whole" {
				_, end = k.until(1)
			}
			if end != c.want {
				t.Errorf("%s of %s: %s, want %s", what, path, end, c.want)
			}
			k.WriteData(1, true, nil)
			k.ask(3, true, ":method", "HEAD", ":scheme", "https", ":authority", "a", ":path", "/manifest.json")
			if status, end := k.until(3); status != "200" || end != "whole" {
				t.Errorf("%s of %s: the next request gets %s, %s", what, path, status, end)
			}
		}
	}
}

// TestGracefulHTTP2: a server that stops says so first, answers what was asked before the client
// heard it, and then says what it has answered (RFC 9113, section 6.8).
func TestGracefulHTTP2(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{TLS: secureOptions(t)}
	s := serve.New(opened(t, opt), opt)
	k := newTalker(t, listening(t, s))
	k.WriteSettings()
	k.ask(1, true, ":method", "HEAD", ":scheme", "https", ":authority", "a", ":path", "/")
	if status, end := k.until(1); status != "200" || end != "whole" {
		t.Fatal(status, end)
	}
	stopped := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		stopped <- s.Shutdown(ctx)
	}()
	var said []string
	for {
		f, err := k.ReadFrame()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Errorf("the connection ends with %v", err)
			}
			break
		}
		switch f := f.(type) {
		case *http2.GoAwayFrame:
			said = append(said, fmt.Sprint("away ", f.LastStreamID, " ", f.ErrCode))
			if len(said) == 1 { // the client has not heard it yet
				k.ask(3, true, ":method", "HEAD", ":scheme", "https", ":authority", "a", ":path", "/")
			}
		case *http2.PingFrame:
			k.WritePing(true, f.Data)
		case *http2.MetaHeadersFrame:
			said = append(said, fmt.Sprint("answer ", f.StreamID))
		}
	}
	if got, want := strings.Join(said, ", "), "away 2147483647 NO_ERROR, answer 3, away 3 NO_ERROR"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestLastModifiedInTheFuture: no file was changed after the answer was sent (RFC 9110, section
// 8.8.2.1).
func TestLastModifiedInTheFuture(t *testing.T) {
	opt := serve.Options{}
	l, err := library.Open(sampleInMemory(), time.Now().Add(24*time.Hour), opt.Library(), nil)
	must.Do(t, err)
	answer, _ := fetch(t, client(t), "http://"+listening(t, serve.New(l, opt))+"/") // JSON has no such line
	sent, err := http.ParseTime(answer.Header.Get("Date"))
	changed, err2 := http.ParseTime(answer.Header.Get("Last-Modified"))
	if err != nil || err2 != nil || changed.After(sent) {
		t.Errorf("changed %v, sent %v, %v, %v", changed, sent, err, err2)
	}
}

// TestAcceptWithoutPages: a client that wants no page gets none (RFC 9110, section 12.5.1).
func TestAcceptWithoutPages(t *testing.T) {
	opt := serve.Options{}
	address := listening(t, serve.New(opened(t, opt), opt))
	for accept, want := range map[string]string{
		"text/html": "text/html", "text/html, */*;q=0.8": "text/html", "TEXT/HTML;charset=utf-8": "text/html", "application/json;q=0.5, text/html": "text/html",
		"text/html;q=0": "application/problem+json", "text/html;q=0, */*": "application/problem+json", "text/html;level=1;q=0.000": "application/problem+json",
		"application/json, text/html;q=0.5": "application/problem+json", "*/*": "application/problem+json", "x-text/html": "application/problem+json", "": "application/problem+json",
	} {
		for _, more := range []string{"", "?x"} { // in the lane, and through net/http
			q := must.Get(http.NewRequest(http.MethodGet, "http://"+address+"/nothing"+more, nil))(t)
			q.Header.Set("Accept", accept)
			answer := must.Get(client(t).Do(q))(t)
			answer.Body.Close()
			if got := answer.Header.Get("Content-Type"); !strings.HasPrefix(got, want) {
				t.Errorf("Accept: %s gets %s, want %s", accept, got, want)
			}
		}
	}
}
