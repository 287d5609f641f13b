package serve

import (
	"bufio"
	"bytes"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

func TestPathOf(t *testing.T) {
	for target, want := range map[string]string{
		"/":                       "/",
		"/plain.txt":              "/plain.txt",
		"/plain.txt?q=%2f":        "/plain.txt",
		"/%70lain%2Etxt":          "/plain.txt",
		"/a b":                    "/a b",
		"/a%20b+c":                "/a b+c",
		"/%C3%BC":                 "/ü",
		"/ü":                      "/ü",
		"/%ff":                    "/\xff",
		"/%25%32%66":              "/%2f", // decoded once
		"/%252f":                  "/%2f",
		"/a/../b":                 "/a/../b",
		"/%2e%2e/b":               "/../b",
		"//a/b":                   "//a/b",
		"http://x/plain.txt":      "/plain.txt",
		"http://x":                "/",
		"*":                       "*",
		"/a%2fb":                  "",
		"/a%2Fb":                  "",
		"/%2f":                    "",
		"/a%5cb":                  "",
		`/a\b`:                    "",
		"/%00":                    "",
		"/a%0d%0ab":               "",
		"/%7f":                    "",
		"/" + "%1f" + "/x?y#z":    "",
		"/%e2%80%ae/%f0%9f%8c%8d": "/\u202e/🌍",
	} {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		if got := exchange.Path(u); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	for _, target := range []string{"/%", "/%2", "/%zz", "/%u0041", "/\x00", "/\x7f", ""} {
		if u, err := url.ParseRequestURI(target); err == nil {
			t.Errorf("net/url takes %q for %q", target, u.Path)
		}
	}
}

// slowPath decodes a path letter by letter; "" if it hides something.
func slowPath(raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		c, hidden := raw[i], false
		if c == '%' {
			decoded, err := url.PathUnescape(raw[i : i+3])
			if err != nil {
				panic(err) // net/url took it
			}
			c, hidden = decoded[0], true
			i += 2
		}
		if c < ' ' || c == 0x7f || c == '\\' || c == '/' && hidden {
			return ""
		}
		b.WriteByte(c)
	}
	return b.String()
}

func FuzzPath(f *testing.F) {
	for _, path := range specimenPaths {
		f.Add(path)
	}
	for _, path := range []string{"/%2f", "/%2F%2f", "/%5c", "/%25%32%66", "/%252f", "/%00", "/%ff%fe", "/%c3%bc", "/!*'()%2F", "/%2", "/%%32f"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !strings.HasPrefix(raw, "/") || strings.ContainsAny(raw, "?#") {
			return
		}
		u, err := url.ParseRequestURI(raw)
		if err != nil {
			return
		}
		if got, want := exchange.Path(u), slowPath(raw); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	})
}

// TestSetHeader: prepared header lines become the header that a client would read from them, and no
// name is there twice, of which net/http would send one.
func TestSetHeader(t *testing.T) {
	l := openSpecimen(t, Options{})
	for _, path := range specimenPaths {
		for _, lines := range []library.Request{
			{},
			{Accept: "text/html", AcceptEncoding: "br"},
			{Range: "bytes=1-1"},
			{Range: "bytes=99999999-"},
			{AcceptEncoding: "*;q=0"},
			{Conditions: library.Conditions{IfMatch: `"x"`}},
			{Conditions: library.Conditions{IfNoneMatch: "*"}},
		} {
			for _, method := range []string{http.MethodGet, http.MethodOptions, http.MethodPost} {
				r := lines
				r.Method, r.Path = method, path
				var a library.Answer
				l.Answer(&r, &a, new(library.Scratch))
				got := http.Header{}
				setHeader(got, a.Shared, a.Own, a.Extra)
				expectHeader(t, got, slices.Concat(a.Shared, a.Own, a.Extra))
			}
		}
	}
}

// expectHeader compares a header with the lines that it was made of.
func expectHeader(t *testing.T, got http.Header, lines []byte) {
	t.Helper()
	want, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(lines, "\r\n"...)))).ReadMIMEHeader()
	if err != nil {
		t.Fatalf("%q: %v", lines, err)
	}
	if n := bytes.Count(lines, []byte("\r\n")); len(got) != n || len(want) != n {
		t.Errorf("%d lines made %d headers, and should make %d: %q", n, len(got), len(want), lines)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !slices.Equal(got[name], want[textproto.CanonicalMIMEHeaderKey(name)]) {
			t.Errorf("%s is %q, want %q", name, got[name], want[textproto.CanonicalMIMEHeaderKey(name)])
		}
	}
}
