package audit

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/compress"
)

// probe is what a service answers about one address that it has.
type probe struct {
	path  string
	first byte // of the file
	size  int64
	get   *answer // of the file itself

	head, same, other, part, options *answer
	began                            []byte // what came of the part
}

// tryConventions holds the answers to HTTP: of every collection that is there, and of one single
// record of each kind.
func (a *audit) tryConventions(ctx context.Context) {
	var probes []*probe
	for _, c := range a.kinds {
		if !c.there {
			continue
		}
		probes = append(probes, &probe{path: c.answer.path, first: c.first, size: c.size, get: c.answer})
		if c.list != nil && len(c.chosen) > 0 {
			got := a.readSingle(ctx, c.kind, c.chosen[0]).answer
			if got.silent() == "" && got.missing() == "" && got.bad == nil {
				probes = append(probes, &probe{path: got.path, get: got})
			}
		}
	}
	if got := a.client.ask(ctx, plain(madeUp), nil); a.answered(answers404, got) && got.status == http.StatusOK {
		a.book.found(answers404, Warn, "an address that nobody uses is answered 200 OK", got)
	}
	step := a.steps("conventions", len(probes))
	for p := range inOrder(probes, func(p *probe) *probe { a.ask(ctx, p); return p }) {
		a.judgeHead(p)
		a.judgeHeaders(p)
		a.judgeValidators(p)
		a.judgeConditions(p)
		a.judgePart(p)
		a.judgeOptions(p.options)
		step()
	}
}

func (a *audit) ask(ctx context.Context, p *probe) {
	send := func(method string, read func(io.Reader) error, lines ...[2]string) *answer {
		return a.client.ask(ctx, query{method, p.path, lines}, read)
	}
	gzip, origin := plainGet[0], plainGet[1]
	p.head = send(http.MethodHead, nil, gzip, origin)
	if tag, since := p.get.header.Get("ETag"), p.get.header.Get("Last-Modified"); validTag(tag) {
		p.same = send(http.MethodGet, nil, gzip, origin, [2]string{"If-None-Match", tag})
		p.other = send(http.MethodGet, nil, gzip, origin, [2]string{"If-None-Match", `"stele-audit"`})
	} else if since != "" {
		p.same = send(http.MethodGet, nil, gzip, origin, [2]string{"If-Modified-Since", since})
	}
	p.part = send(http.MethodGet, func(in io.Reader) (err error) {
		p.began, err = io.ReadAll(io.LimitReader(in, 2))
		return err
	}, [2]string{"Accept-Encoding", "identity"}, origin, [2]string{"Range", "bytes=0-0"})
	p.options = send(http.MethodOptions, nil, origin, [2]string{"Access-Control-Request-Method", "GET"})
}

// answered counts a trial, and reports whether there is an answer to judge.
func (a *audit) answered(id string, got *answer) bool {
	if got == nil {
		return false
	}
	a.book.tried(id)
	if why := got.silent(); why != "" {
		a.book.found(id, NotTested, why, got)
		return false
	}
	return true
}

func (a *audit) judgeHead(p *probe) {
	if !a.answered(takesHead, p.head) {
		return
	}
	if p.head.status != p.get.status {
		a.book.found(takesHead, Fail, "HEAD is answered "+p.head.statusText()+", GET "+p.get.statusText(), p.head)
		return
	}
	for _, name := range []string{"Content-Type", "ETag", "Last-Modified"} {
		if got, want := p.head.header.Get(name), p.get.header.Get(name); got != want {
			a.book.found(takesHead, Warn, fmt.Sprintf("HEAD has another %s than GET", name), p.head)
		}
	}
}

// judgeHeaders judges the head of the file itself.
func (a *audit) judgeHeaders(p *probe) {
	for _, id := range []string{hasType, caches, hasCORS, noCookies, varies} {
		a.book.tried(id)
	}
	h := p.get.header
	media, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch charset := strings.ToLower(parameters["charset"]); {
	case h.Get("Content-Type") == "":
		a.book.found(hasType, Warn, "it has no Content-Type", p.get)
	case err != nil || media != "application/json" && !strings.HasSuffix(media, "+json"):
		a.book.found(hasType, Warn, fmt.Sprintf("it is sent as %.60q", h.Get("Content-Type")), p.get)
	case charset != "" && charset != "utf-8" && charset != "utf8":
		a.book.found(hasType, Warn, fmt.Sprintf("its Content-Type says %.60q, but JSON is UTF-8", charset), p.get)
	}
	for _, word := range []string{"private", "no-store"} {
		if tokens(h, "Cache-Control")[word] {
			a.book.found(caches, Warn, "Cache-Control has "+word, p.get)
		}
	}
	switch origin := h.Get("Access-Control-Allow-Origin"); {
	case origin != "*" && origin != anyOrigin:
		a.book.found(hasCORS, Warn, "Access-Control-Allow-Origin does not let other sites read it", p.get)
	case h.Get("Access-Control-Allow-Credentials") == "true":
		a.book.found(hasCORS, Warn, "Access-Control-Allow-Credentials is true", p.get)
	case origin == anyOrigin && !tokens(h, "Vary")["origin"] && !tokens(h, "Vary")["*"]:
		a.book.found(varies, Warn, "Access-Control-Allow-Origin names the site that asks, and Vary lacks Origin", p.get)
	}
	if h.Get("Set-Cookie") != "" {
		a.book.found(noCookies, Warn, "it sets a cookie", p.get)
	}
}

// tokens are the words of a header line that is a list.
func tokens(h http.Header, name string) map[string]bool {
	words := map[string]bool{}
	for _, line := range h.Values(name) {
		for word := range strings.SplitSeq(line, ",") {
			word, _, _ = strings.Cut(word, "=")
			words[strings.ToLower(strings.TrimSpace(word))] = true
		}
	}
	return words
}

// judgeValidators judges ETag and what goes with encodings.
func (a *audit) judgeValidators(p *probe) {
	a.book.tried(hasETag)
	h := p.get.header
	tag := h.Get("ETag")
	switch {
	case tag == "" && h.Get("Last-Modified") == "":
		a.book.found(hasETag, Warn, "it has neither ETag nor Last-Modified", p.get)
	case tag != "" && !validTag(tag):
		a.book.found(hasETag, Fail, "its ETag is none: that needs quotation marks", p.get)
	}
	if !a.answered(encodes, p.part) {
		return
	}
	coding := h.Get("Content-Encoding")
	plain := p.part.header.Get("Content-Encoding")
	if plain != "" && plain != "identity" {
		a.book.found(encodes, Warn, fmt.Sprintf("it is sent as %.40q to readers who accept identity only", plain), p.part)
		return
	}
	if coding == "" || coding == "identity" {
		return
	}
	if e, ok := compress.Named(coding); !ok || e.Name != "gzip" {
		a.book.found(encodes, Warn, fmt.Sprintf("it is sent as %.40q to readers who accept gzip only", coding), p.get)
	}
	if v := tokens(h, "Vary"); !v["accept-encoding"] && !v["*"] {
		a.book.found(varies, Warn, "it is compressed for some readers, and Vary lacks Accept-Encoding", p.get)
	}
	if tag != "" && tag == p.part.header.Get("ETag") && !strings.HasPrefix(tag, "W/") {
		a.book.found(hasETag, Fail, "compressed and plain answers share a strong ETag", p.part)
	}
}

func validTag(tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	return len(tag) >= 2 && tag[0] == '"' && tag[len(tag)-1] == '"' && !strings.Contains(tag[1:len(tag)-1], `"`)
}

func (a *audit) judgeConditions(p *probe) {
	if a.answered(answers304, p.same) {
		tag := p.get.header.Get("ETag")
		switch got := p.same; {
		case got.status == http.StatusOK && got.header.Get("ETag") != tag:
			a.book.found(answers304, NotTested, "it changed while it was asked for", got)
		case got.status != http.StatusNotModified:
			a.book.found(answers304, Warn, "what did not change is answered "+got.statusText(), got)
		case tag != "" && got.header.Get("ETag") == "":
			a.book.found(answers304, Warn, "304 lacks the ETag", got)
		}
	}
	if p.other != nil && a.answered(answers304, p.other) && p.other.status != http.StatusOK {
		a.book.found(answers304, Fail, "a request with another ETag is answered "+p.other.statusText(), p.other)
	}
}

func (a *audit) judgePart(p *probe) {
	if !a.answered(answers206, p.part) {
		return
	}
	got := p.part
	_, size, _ := strings.Cut(got.header.Get("Content-Range"), "bytes 0-0/")
	n, err := strconv.ParseInt(size, 10, 64)
	switch {
	case got.status == http.StatusOK:
		a.book.found(answers206, Warn, "a request for a part gets the whole", got)
	case got.status != http.StatusPartialContent:
		a.book.found(answers206, Fail, "a request for the first byte is answered "+got.statusText(), got)
	case err != nil && size != "*" || p.size > 0 && err == nil && n != p.size && got.header.Get("Content-Encoding") == "":
		a.book.found(answers206, Fail, "Content-Range is not that of the first byte of the file", got)
	case len(p.began) != 1 || p.size > 0 && p.began[0] != p.first && got.header.Get("Content-Encoding") == "":
		a.book.found(answers206, Fail, "206 has other bytes than those that were asked for", got)
	}
}

// judgeOptions judges what a service says of its methods.
func (a *audit) judgeOptions(got *answer) {
	if !a.answered(answers405, got) {
		return
	}
	allow := tokens(got.header, "Allow")
	if got.status == http.StatusMethodNotAllowed && got.header.Get("Allow") == "" {
		a.book.found(answers405, Fail, "a method is refused with 405, and without Allow", got)
	}
	for _, method := range writing {
		if allow[strings.ToLower(method)] {
			a.book.found(answers405, Warn, "Allow has "+method, got)
			return
		}
	}
}

// writing are the methods that would change something.
var writing = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// tryMethods tries methods that write, at an address that nobody uses.
func (a *audit) tryMethods(ctx context.Context) {
	if !a.opt.Methods {
		a.book.found(isReadOnly, NotTested, "methods that write were not tried (--methods)", nil)
		return
	}
	there := func() bool {
		return a.client.ask(ctx, plain(madeUp), nil).status == http.StatusOK
	}
	if there() {
		a.book.found(isReadOnly, NotTested, "every address is answered with 200, so nobody knows what a method did", nil)
		return
	}
	for _, method := range slices.Backward(writing) { // what DELETE is tried on is not there yet
		got := a.client.ask(ctx, query{method, madeUp, nil}, nil)
		if !a.answered(isReadOnly, got) {
			continue
		}
		a.judgeOptions(got)
		switch created := there(); {
		case created:
			a.book.found(isReadOnly, Fail, method+" at an address that nobody used made something", got)
			return
		case got.status < http.StatusMultipleChoices:
			a.book.found(isReadOnly, Warn, method+" is answered "+got.statusText(), got)
		}
	}
}
