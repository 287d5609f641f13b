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

// probe contains the answers for one existing path.
type probe struct {
	path  string
	first byte // byte of the file
	size  int64
	get   *answer // the file itself

	head, same, other, part, options *answer
	began                            []byte // the body of part
}

// tryConventions checks HTTP for every existing collection and one single record of each kind.
func (a *audit) tryConventions(ctx context.Context) {
	var probes []*probe
	for _, c := range a.kinds {
		if !c.there {
			continue
		}
		probes = append(probes, &probe{path: c.answer.path, first: c.first, size: c.size, get: c.answer})
		if c.list != nil && len(c.chosen) > 0 {
			got := a.readSingle(ctx, c.kind, c.chosen[0]).answer
			if got.noAnswerReason() == "" && got.absenceReason() == "" && got.bad == nil {
				probes = append(probes, &probe{path: got.path, get: got})
			}
		}
	}
	got := a.client.sendWithRetries(ctx, get(unusedPath), nil)
	if a.startCheck(answers404, got) && got.status == http.StatusOK {
		a.findings.add(answers404, Warn, "an unused address is answered with 200 OK", got)
	}
	step := a.newProgress("conventions", len(probes))
	for p := range mapInOrder(probes, func(p *probe) *probe { a.sendProbe(ctx, p); return p }) {
		a.checkHead(p)
		a.checkHeaders(p)
		a.checkValidators(p)
		a.checkConditions(p)
		a.checkRange(p)
		a.checkOptions(p.options)
		step()
	}
}

func (a *audit) sendProbe(ctx context.Context, p *probe) {
	send := func(method string, read func(io.Reader) error, lines ...[2]string) *answer {
		return a.client.sendWithRetries(ctx, query{method, p.path, lines}, read)
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

// startCheck counts a trial of the check id, and reports whether got is an answer that can be
// checked.
func (a *audit) startCheck(id string, got *answer) bool {
	if got == nil {
		return false
	}
	a.findings.countTrial(id)
	if why := got.noAnswerReason(); why != "" {
		a.findings.add(id, NotTested, why, got)
		return false
	}
	return true
}

func (a *audit) checkHead(p *probe) {
	if !a.startCheck(takesHead, p.head) {
		return
	}
	if p.head.status != p.get.status {
		a.findings.add(takesHead, Fail, "HEAD is answered with "+p.head.statusText()+", GET with "+p.get.statusText(), p.head)
		return
	}
	for _, name := range []string{"Content-Type", "ETag", "Last-Modified"} {
		if got, want := p.head.header.Get(name), p.get.header.Get(name); got != want {
			a.findings.add(takesHead, Warn, fmt.Sprintf("HEAD and GET differ in %s", name), p.head)
		}
	}
}

// checkHeaders checks the headers of the file itself.
func (a *audit) checkHeaders(p *probe) {
	for _, id := range []string{hasType, caches, hasCORS, noCookies, varies} {
		a.findings.countTrial(id)
	}
	h := p.get.header
	media, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch charset := strings.ToLower(parameters["charset"]); {
	case h.Get("Content-Type") == "":
		a.findings.add(hasType, Warn, "missing Content-Type", p.get)
	case err != nil || media != "application/json" && !strings.HasSuffix(media, "+json"):
		a.findings.add(hasType, Warn, fmt.Sprintf("the file is sent as %.60q", h.Get("Content-Type")), p.get)
	case charset != "" && charset != "utf-8" && charset != "utf8":
		a.findings.add(hasType, Warn, fmt.Sprintf("Content-Type with charset %.60q, but JSON is UTF-8", charset), p.get)
	}
	for _, word := range []string{"private", "no-store"} {
		if headerTokens(h, "Cache-Control")[word] {
			a.findings.add(caches, Warn, "Cache-Control has "+word, p.get)
		}
	}
	switch origin := h.Get("Access-Control-Allow-Origin"); {
	case origin != "*" && origin != anyOrigin:
		a.findings.add(hasCORS, Warn, "Access-Control-Allow-Origin does not let other sites read it", p.get)
	case h.Get("Access-Control-Allow-Credentials") == "true":
		a.findings.add(hasCORS, Warn, "Access-Control-Allow-Credentials is true", p.get)
	case origin == anyOrigin && !headerTokens(h, "Vary")["origin"] && !headerTokens(h, "Vary")["*"]:
		a.findings.add(varies, Warn, "Access-Control-Allow-Origin depends on the requesting site, but Vary lacks Origin", p.get)
	}
	if h.Get("Set-Cookie") != "" {
		a.findings.add(noCookies, Warn, "the answer sets a cookie", p.get)
	}
}

// headerTokens returns the elements of a header that is a list.
func headerTokens(h http.Header, name string) map[string]bool {
	words := map[string]bool{}
	for _, line := range h.Values(name) {
		for word := range strings.SplitSeq(line, ",") {
			word, _, _ = strings.Cut(word, "=")
			words[strings.ToLower(strings.TrimSpace(word))] = true
		}
	}
	return words
}

// checkValidators checks ETag, Last-Modified and encodings.
func (a *audit) checkValidators(p *probe) {
	a.findings.countTrial(hasETag)
	h := p.get.header
	tag := h.Get("ETag")
	switch {
	case tag == "" && h.Get("Last-Modified") == "":
		a.findings.add(hasETag, Warn, "the answer has neither ETag nor Last-Modified", p.get)
	case tag != "" && !validTag(tag):
		a.findings.add(hasETag, Fail, "malformed ETag: quotation marks are missing", p.get)
	}
	if !a.startCheck(encodes, p.part) {
		return
	}
	coding := h.Get("Content-Encoding")
	plain := p.part.header.Get("Content-Encoding")
	if plain != "" && plain != "identity" {
		a.findings.add(encodes, Warn, fmt.Sprintf("the file is sent as %.40q to clients that accept only identity", plain), p.part)
		return
	}
	if coding == "" || coding == "identity" {
		return
	}
	if e, ok := compress.Named(coding); !ok || e.Name != "gzip" {
		a.findings.add(encodes, Warn, fmt.Sprintf("the file is sent as %.40q to clients that accept only gzip", coding), p.get)
	}
	if v := headerTokens(h, "Vary"); !v["accept-encoding"] && !v["*"] {
		a.findings.add(varies, Warn, "the file is compressed for some clients, but Vary lacks Accept-Encoding", p.get)
	}
	if tag != "" && tag == p.part.header.Get("ETag") && !strings.HasPrefix(tag, "W/") {
		a.findings.add(hasETag, Fail, "compressed and plain answers share a strong ETag", p.part)
	}
}

func validTag(tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	return len(tag) >= 2 && tag[0] == '"' && tag[len(tag)-1] == '"' && !strings.Contains(tag[1:len(tag)-1], `"`)
}

func (a *audit) checkConditions(p *probe) {
	if a.startCheck(answers304, p.same) {
		tag := p.get.header.Get("ETag")
		switch got := p.same; {
		case got.status == http.StatusOK && got.header.Get("ETag") != tag:
			a.findings.add(answers304, NotTested, "the file changed during the audit", got)
		case got.status != http.StatusNotModified:
			a.findings.add(answers304, Warn, "an unchanged file is answered with "+got.statusText(), got)
		case tag != "" && got.header.Get("ETag") == "":
			a.findings.add(answers304, Warn, "304 lacks the ETag", got)
		}
	}
	if p.other != nil && a.startCheck(answers304, p.other) && p.other.status != http.StatusOK {
		a.findings.add(answers304, Fail, "a request with another ETag is answered with "+p.other.statusText(), p.other)
	}
}

func (a *audit) checkRange(p *probe) {
	if !a.startCheck(answers206, p.part) {
		return
	}
	got := p.part
	_, size, _ := strings.Cut(got.header.Get("Content-Range"), "bytes 0-0/")
	n, err := strconv.ParseInt(size, 10, 64)
	switch {
	case got.status == http.StatusOK:
		a.findings.add(answers206, Warn, "a request for a part is answered with the whole file", got)
	case got.status != http.StatusPartialContent:
		a.findings.add(answers206, Fail, "a request for the first byte is answered with "+got.statusText(), got)
	case err != nil && size != "*" || p.size > 0 && err == nil && n != p.size && got.header.Get("Content-Encoding") == "":
		a.findings.add(answers206, Fail, "wrong Content-Range for the first byte of the file", got)
	case len(p.began) != 1 || p.size > 0 && p.began[0] != p.first && got.header.Get("Content-Encoding") == "":
		a.findings.add(answers206, Fail, "206 with the wrong bytes", got)
	}
}

// checkOptions checks the methods that a service declares.
func (a *audit) checkOptions(got *answer) {
	if !a.startCheck(answers405, got) {
		return
	}
	allow := headerTokens(got.header, "Allow")
	if got.status == http.StatusMethodNotAllowed && got.header.Get("Allow") == "" {
		a.findings.add(answers405, Fail, "405 without Allow", got)
	}
	for _, method := range writeMethods {
		if allow[strings.ToLower(method)] {
			a.findings.add(answers405, Warn, "Allow has "+method, got)
			return
		}
	}
}

// writeMethods are the methods that write.
var writeMethods = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// tryMethods tries methods that write, at an unused path.
func (a *audit) tryMethods(ctx context.Context) {
	if !a.opt.Methods {
		a.findings.add(isReadOnly, NotTested, "methods that write were not tried (--methods)", nil)
		return
	}
	there := func() bool {
		return a.client.sendWithRetries(ctx, get(unusedPath), nil).status == http.StatusOK
	}
	if there() {
		a.findings.add(isReadOnly, NotTested, "every address is answered with 200, so the effect of methods cannot be tested", nil)
		return
	}
	for _, method := range slices.Backward(writeMethods) { // DELETE is last, when something may exist
		got := a.client.sendWithRetries(ctx, query{method, unusedPath, nil}, nil)
		if !a.startCheck(isReadOnly, got) {
			continue
		}
		a.checkOptions(got)
		switch created := there(); {
		case created:
			a.findings.add(isReadOnly, Fail, method+" created something at an unused address", got)
			return
		case got.status < http.StatusMultipleChoices:
			a.findings.add(isReadOnly, Warn, method+" is answered with "+got.statusText(), got)
		}
	}
}
