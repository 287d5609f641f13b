package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"

	"stele/internal/base/compress"
)

// A script of requests and answers is a text. Paragraphs are cases, which run one after the other:
//
//	# What the case is about. Nothing is read into it.
//	> GET /api/v1/signals.json
//	> Accept-Encoding: gzip
//	< 200
//	< Content-Type: application/json
//	< ETag ~ ^"[^"]+"$
//	< Link absent
//	< ETag as {tag}
//	< body json
//
// A header of the answer has exactly a value, matches a pattern (~), is present or absent, or is
// kept under a name (as). The body is empty, json, whole (it has the digest that Repr-Digest says),
// matches a pattern, is kept, is or decodes to one that was kept, or is a part of it ("bytes 0-9 of
// {plain}", or "ends {plain}"). "> body text" sends a body. A first paragraph "each" names
// addresses: the script runs for each, and {path} is the address. "only" names where it runs.

// script is a file of cases.
type script struct {
	name  string
	each  []string
	only  []string
	cases []httpCase
}

type httpCase struct {
	line     int
	request  []string
	expected []string
}

func readScript(path string) (*script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &script{name: path}
	fresh := true
	in := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "":
			fresh = true
		case "#":
		case "each":
			s.each = append(s.each, strings.Fields(rest)...)
		case "only":
			s.only = strings.Fields(rest)
		case ">", "<":
			if fresh {
				s.cases = append(s.cases, httpCase{line: n})
				fresh = false
			}
			c := &s.cases[len(s.cases)-1]
			if kind == ">" {
				c.request = append(c.request, rest)
			} else {
				c.expected = append(c.expected, rest)
			}
		default:
			return nil, fmt.Errorf("%s:%d: a line begins with #, > or <, or is each or only", path, n)
		}
	}
	for _, c := range s.cases {
		if len(c.request) == 0 || len(c.expected) == 0 {
			return nil, fmt.Errorf("%s:%d: a case needs a request and an answer", path, c.line)
		}
	}
	if len(s.cases) == 0 {
		return nil, fmt.Errorf("%s has no cases", path)
	}
	return s, in.Err()
}

// exchange is a way to send a request and get the answer.
type exchange func(method, target string, header [][2]string, body string) (*received, error)

// received is an answer.
type received struct {
	status int
	header http.Header
	body   []byte
}

// receive reads an answer to the end.
func receive(r *http.Response) (*received, error) {
	body, err := io.ReadAll(r.Body)
	return &received{r.StatusCode, r.Header, body}, err
}

// run runs all cases over one way. kept are the values that cases keep for later ones.
func (s *script) run(do exchange, kept map[string]string) (cases int, faults []error) {
	for _, c := range s.cases {
		cases++
		if err := c.run(do, kept); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %s: %w", s.name, c.line, fill(strings.Join(c.request, "; "), kept), err))
		}
	}
	return cases, faults
}

var placeholder = regexp.MustCompile(`\{[a-z-]+\}`)

// fill puts values in their places.
func fill(text string, kept map[string]string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := kept[name]; ok {
			return value
		}
		return name
	})
}

func (c *httpCase) run(do exchange, kept map[string]string) error {
	method, target, _ := strings.Cut(fill(c.request[0], kept), " ")
	var header [][2]string
	body := ""
	for _, line := range c.request[1:] {
		if text, ok := strings.CutPrefix(line, "body "); ok {
			body = text
			continue
		}
		name, value, ok := strings.Cut(fill(line, kept), ": ")
		if !ok {
			return fmt.Errorf("%q is no header", line)
		}
		header = append(header, [2]string{name, value})
	}
	got, err := do(method, target, header, body)
	if err != nil {
		return err
	}
	if want := c.expected[0]; fmt.Sprint(got.status) != want {
		return fmt.Errorf("answered %d, want %s: %s", got.status, want, shortened(got.body))
	}
	for _, line := range c.expected[1:] {
		var err error
		if check, ok := strings.CutPrefix(line, "body "); ok {
			err = got.checkBody(check, kept)
		} else {
			err = got.checkHeader(line, kept)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func shortened(body []byte) string { return fmt.Sprintf("%.200q", body) }

func (r *received) checkHeader(line string, kept map[string]string) error {
	if name, value, ok := strings.Cut(line, ": "); ok {
		if got, want := r.header.Values(name), fill(value, kept); len(got) != 1 || got[0] != want {
			return fmt.Errorf("%s is %q, want %q", name, got, want)
		}
		return nil
	}
	name, check, _ := strings.Cut(line, " ")
	got, there := r.header.Get(name), r.header.Values(name) != nil
	verb, what, _ := strings.Cut(check, " ")
	switch {
	case verb == "absent" && there, verb == "present" && !there:
		return fmt.Errorf("%s is %q, and must be %s", name, got, verb)
	case verb == "absent", verb == "present":
		return nil
	case verb == "~":
		if matched, err := regexp.MatchString(fill(what, kept), got); err != nil || !matched {
			return fmt.Errorf("%s is %q, which does not match %s (%v)", name, got, what, err)
		}
		return nil
	case verb == "as" && there:
		kept[what] = got
		return nil
	case verb == "differs":
		if got == fill(what, kept) {
			return fmt.Errorf("%s is %q, as it was", name, got)
		}
		return nil
	}
	return fmt.Errorf("%q cannot be checked, or %s is missing", line, name)
}

func (r *received) checkBody(check string, kept map[string]string) error {
	verb, what, _ := strings.Cut(check, " ")
	ok := false
	switch verb {
	case "empty":
		ok = len(r.body) == 0
	case "json":
		ok = json.Valid(r.body)
	case "whole":
		sum := sha256.Sum256(r.body)
		ok = r.header.Get("Repr-Digest") == "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":"
	case "~":
		matched, err := regexp.Match(fill(what, kept), r.body)
		ok = matched && err == nil
	case "as":
		kept[what], ok = string(r.body), true
	case "is":
		ok = string(r.body) == kept[what]
	case "decodes":
		plain, err := decoded(r.header.Get("Content-Encoding"), r.body)
		ok = err == nil && string(plain) == kept[strings.TrimPrefix(what, "to ")]
	case "bytes":
		var from, to int
		var of string
		_, err := fmt.Sscanf(what, "%d-%d of %s", &from, &to, &of)
		whole := kept[of]
		ok = err == nil && to < len(whole) && string(r.body) == whole[from:to+1]
	case "ends":
		ok = len(r.body) > 0 && strings.HasSuffix(kept[what], string(r.body))
	}
	if !ok {
		return fmt.Errorf("the body is not %s: %s", check, shortened(r.body))
	}
	return nil
}

// decoded undoes a content encoding.
func decoded(encoding string, body []byte) ([]byte, error) {
	if encoding == "" {
		return body, nil
	}
	e, ok := compress.Named(encoding)
	if !ok {
		return nil, fmt.Errorf("the encoding %q is not known", encoding)
	}
	in, err := e.Reader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}
