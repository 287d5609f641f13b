package http1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
	"stele/internal/testkit/specimen"
)

// TestRecognise: what is whole, partial and strange. That whole ones are read rightly,
// FuzzRecognise says.
func TestRecognise(t *testing.T) {
	for _, c := range []struct {
		data string
		want Verdict
	}{
		{specimen.Get("/"), Whole},
		{specimen.Head("/a/b.json"), Whole},
		{specimen.Get("/", "Accept: a", "If-None-Match: b", "range:bytes=0-1"), Whole},
		{specimen.Get("/", "Connection: keep-alive", "connection: Keep-Alive"), Whole},
		{specimen.Get("/", "Sec-GPC: 1", "sec-ch-ua-arch: x", "X-Forwarded-For: y"), Whole},
		{"GET / HTTP/1.1\r\nHOST:[::1]:8080\r\n\r\n", Whole},
		{specimen.Get("/") + "anything", Whole},
		{"", Partial},
		{"GET", Partial},
		{"anything without an end of line", Partial},
		{"GET / HTTP/1.1\r\n", Partial},
		{"GET / HTTP/1.1\r\nHost: x\r\n", Partial},
		{"GET / HTTP/1.1\r\nHost: x\r\n\r", Partial},
		{"GET / HTTP/1.1\r\nHost: x\r\nany", Partial},
		{"\r\n", strange},
		{"GET /? HTTP/1.1\r\n", strange},
		{"GET / HTTP/1.1\n", strange},
		{"GET / HTTP/1.1\r\nHost: x\r\n\n", strange},
		{"GET / HTTP/1.1\r\nUnknown: x\r\n", strange},
		{"GET / HTTP/1.1\r\n\r\n", strange},
		{specimen.Get("/", "Host: x"), strange},
		{specimen.Get("/", "Connection: close"), strange},
		{specimen.Get("/", "Content-Length: 0"), strange},
		{specimen.Get("/", "Transfer-Encoding: chunked"), strange},
		{specimen.Get("/", "Expect: 100-continue"), strange},
		{specimen.Get("/", "Accept: a", "Accept: b"), strange},
		{specimen.Get("/", "Accept:"), strange},
		{specimen.Get("/", "Sec-: x"), strange},
		{specimen.Get("/", "Sec-\u017f: x"), strange},
		{specimen.Get("//x"), strange},
		{specimen.Get("/.stele/preview.js"), Whole},
		{specimen.Get("/%41"), strange},
		{specimen.Get("/", "Cookie: \x01"), strange},
		{specimen.Asked("POST / HTTP/1.1"), strange},
		{specimen.Asked("GET / HTTP/1.0"), strange},
	} {
		var r library.Request
		if size, v := recognise([]byte(c.data), &r); v != c.want || v != Whole && size != 0 {
			t.Errorf("%q is %d with %d bytes, want %d", c.data, v, size, c.want)
		}
	}
}

// TestRecogniseByPieces: as long as the beginning of a good request is there, it is partial.
func TestRecogniseByPieces(t *testing.T) {
	for name := range specimen.Clients {
		data := []byte(specimen.OfClient(name, specimen.Record))
		var r library.Request
		for n := range data {
			if _, v := recognise(data[:n], &r); v != Partial {
				t.Fatalf("%s: the first %d bytes are %d, not partial", name, n, v)
			}
		}
		if size, v := recognise(data, &r); v != Whole || size != len(data) {
			t.Errorf("%s: the whole is %d with %d of %d bytes", name, v, size, len(data))
		}
	}
}

// FuzzRecognise: net/http takes what is recognised for the same request, with the same end, without
// a body, and keeps the connection.
func FuzzRecognise(f *testing.F) {
	for name := range specimen.Clients {
		f.Add([]byte(specimen.OfClient(name, specimen.Record)))
	}
	for _, request := range specimen.Odd {
		f.Add([]byte(request[:min(len(request), 5000)]))
	}
	for name, values := range specimen.FieldValues {
		for _, value := range values {
			f.Add([]byte(specimen.Get("/", name+": "+value)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got library.Request
		kept := bytes.Clone(data)
		size, v := recognise(data, &got)
		if v != Whole {
			return
		}
		rest := bytes.NewReader(data[size:])
		q, err := http.ReadRequest(bufio.NewReader(io.MultiReader(bytes.NewReader(data[:size]), rest)))
		if err != nil {
			t.Fatalf("net/http does not take it: %v", err)
		}
		if want := requestOf(q); got != want {
			t.Errorf("recognised %+v, net/http reads %+v", got, want)
		}
		if q.Close || q.ContentLength != 0 || q.TransferEncoding != nil || q.Body != http.NoBody || q.Host == "" {
			t.Errorf("net/http sees more in it: %+v", q)
		}
		if _, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(data[:size-1]))); err == nil {
			t.Error("net/http needs less than all of it")
		}
		if !bytes.Equal(data, kept) {
			t.Error("the bytes were changed")
		}
	})
}

// requestOf is what net/http makes of a request, as far as it matters.
func requestOf(q *http.Request) library.Request {
	r := library.Request{Method: q.Method, Path: exchange.Path(q.URL)}
	for name, values := range q.Header {
		if to := exchange.FieldOf(&r, name); to != nil {
			*to = strings.Join(values, ", ")
		}
	}
	return r
}

// TestHeadersThatCount: every header that an answer may depend on is either kept or strange, never
// ignored.
func TestHeadersThatCount(t *testing.T) {
	for _, name := range []string{
		"Accept", "Accept-Encoding", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
		"Host", "Connection", "Content-Length", "Transfer-Encoding", "Expect", "Trailer", "Upgrade", "TE", "Keep-Alive", "Proxy-Connection",
	} {
		for _, spelled := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			if hasNoEffect(spelled) {
				t.Errorf("%s is ignored", spelled)
			}
		}
	}
	for length, names := range ignored {
		for _, name := range names {
			if len(name) != length || !hasNoEffect(strings.ToLower(name)) {
				t.Errorf("%s is not ignored", name)
			}
		}
	}
}
