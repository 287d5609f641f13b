package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"stele/internal/layout"
)

// request is what a request says, as far as it matters. Texts may lie in a connection's buffer and
// must not be kept.
type request struct {
	method         string
	path           string // decoded, with the slash before it
	accept         string
	acceptEncoding string
	conditions
	ranges  string
	ifRange string
}

// size is how many bytes its texts have.
func (r *request) size() int64 {
	return int64(len(r.method) + len(r.path) + len(r.accept) + len(r.acceptEncoding) + len(r.ranges) + len(r.ifRange) +
		len(r.ifMatch) + len(r.ifUnmodifiedSince) + len(r.ifNoneMatch) + len(r.ifModifiedSince))
}

// answer is what goes back. Its header lines lie in three pieces, so that two of them can be
// prepared.
type answer struct {
	status int
	head   []byte // lines that many answers share
	own    []byte // lines of this file
	extra  []byte // lines of this answer
	body
	later    bool     // whether there is no answer, because it would have to be waited for
	suggests bool     // whether that is because it may name the nearest address
	read     bool     // whether the body was read for this answer alone
	lease    *lease   // of the release that it comes from
	library  *Library // that must be let go when the body is sent; nil for none
}

// allow are the methods that there are.
const allow = "GET, HEAD, OPTIONS"

// answer decides what a request gets. It looks at nothing but the library and the request, so both
// ways of serving give the same. A library that has been let go answers with no status: there is a
// newer one to ask. What it reads from files lies on the desk, and so may the answer.
func (l *Library) answer(r *request, a *answer, d *desk) {
	*a = answer{lease: l.lease}
	if l.isHeld {
		if !l.hold() {
			return
		}
		defer func() { a.library = l }()
	}
	switch r.method {
	case http.MethodGet, http.MethodHead:
		l.get(r, a, d)
	case http.MethodOptions:
		l.options204(a)
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect, http.MethodTrace:
		l.problem(a, http.StatusMethodNotAllowed, "The records can only be read. This address takes "+allow+".")
		a.extra = append(a.extra, "Allow: "+allow+"\r\n"...)
	default: // RFC 9110, section 9.1
		l.problem(a, http.StatusNotImplemented, "This method is not known. The records are read with "+allow+".")
		a.extra = append(a.extra, "Allow: "+allow+"\r\n"...)
	}
}

// options204 says what may be asked, also to a browser that asks for a script of another site.
func (l *Library) options204(a *answer) {
	a.status, a.head = http.StatusNoContent, l.plain
	a.extra = []byte("Allow: " + allow + "\r\nAccess-Control-Allow-Methods: " + allow + "\r\nAccess-Control-Allow-Headers: *\r\nAccess-Control-Max-Age: 86400\r\n")
}

func (l *Library) get(r *request, a *answer, d *desk) {
	file, err := l.find(r, d)
	switch {
	case err != nil:
		l.unreadable(a, d, err)
		return
	case file == nil:
		if !l.redirect(r, a, d) {
			l.notFound(r, a, d)
		}
		return
	}
	f := file.choose(r.acceptEncoding)
	if f == nil {
		l.problem(a, http.StatusNotAcceptable, "There is no form of this file in an encoding that Accept-Encoding allows.")
		a.extra = append(a.extra, "Vary: Accept-Encoding\r\n"...)
		return
	}
	switch r.judge(f.etag(), l.modified) {
	case http.StatusNotModified:
		a.status, a.head, a.own = http.StatusNotModified, l.unchanged[0], f.tag
		if layout.IsImmutable(r.path[1:]) {
			a.head = l.unchanged[1]
		}
		return
	case http.StatusPreconditionFailed:
		l.problem(a, http.StatusPreconditionFailed, "The file is not the one that the request asks for.")
		return
	}
	if r.method == http.MethodGet {
		if err := l.fill(f, d); err != nil {
			l.unreadable(a, d, err)
			return
		}
	}
	a.status, a.head, a.own, a.body, a.read = http.StatusOK, file.head, f.head, f.body, d.brought
	if r.ranges != "" && r.method == http.MethodGet && applies(r.ifRange, f.etag(), l.modified) {
		l.part(r, f, a)
	}
}

// unreadable answers where a file cannot be read.
func (l *Library) unreadable(a *answer, d *desk, err error) {
	switch {
	case d.hurried: // also if something is wrong, because opening another release takes a while
		a.later = true
	case l.options.Refresh != nil && l.options.Refresh(l): // a folder that has been replaced: ask the new one
	default:
		l.options.fault(err)
		l.problem(a, http.StatusInternalServerError, "This file cannot be read at the moment.")
	}
}

// part answers with a part of a file.
func (l *Library) part(r *request, f *form, a *answer) {
	s, ok, unsatisfiable := rangeOf(r.ranges, f.size)
	switch {
	case unsatisfiable:
		l.problem(a, http.StatusRequestedRangeNotSatisfiable, fmt.Sprintf("The file has %d bytes.", f.size))
		a.extra = fmt.Appendf(a.extra, "Content-Range: bytes */%d\r\n", f.size)
	case ok:
		a.status, a.body = http.StatusPartialContent, f.slice(s.from, s.size)
		a.extra = fmt.Appendf(a.extra, "Content-Range: bytes %d-%d/%d\r\n", s.from, s.from+s.size-1, f.size)
	}
}

// redirect leads from the address of a page without its last slash to the page, as people type it.
// The addresses of records as JSON are exact: below /api and /data nothing redirects.
func (l *Library) redirect(r *request, a *answer, d *desk) bool {
	if !strings.HasPrefix(r.path, "/") || strings.HasSuffix(r.path, "/") || len(r.path) > maxSuggestedFor ||
		strings.HasPrefix(r.path, "/api/") || strings.HasPrefix(r.path, "/data/") {
		return false
	}
	d.line = append(append(d.line[:0], r.path[1:]...), "/"+layout.Index...)
	if !l.has(d.line) {
		return false
	}
	// Relative, because a proxy may have taken away what comes before.
	last := r.path[strings.LastIndexByte(r.path, '/')+1:]
	a.status, a.head = http.StatusPermanentRedirect, l.plain
	a.extra = []byte("Location: ./" + url.PathEscape(last) + "/\r\nCache-Control: no-cache\r\n")
	return true
}

// notFound says that there is nothing at an address: as a page to a browser, else as a problem. If
// there is time, that names the nearest address.
func (l *Library) notFound(r *request, a *answer, d *desk) {
	if event := l.removed[strings.TrimPrefix(r.path, "/")]; event != nil {
		f := l.gone(r.path, event)
		a.status, a.head, a.own, a.body = http.StatusGone, l.plain, f.head, f.body
		return
	}
	if l.lostPage(r, a, d) {
		return
	}
	f := &l.nothing
	if k, _, _ := l.recordAt(r.path); k != nil {
		f = &k.nothing
	}
	if len(r.path) <= maxSuggestedFor && (d.suggests || l.suggestions.take()) {
		if d.hurried {
			a.later, a.suggests = true, true
			return
		}
		f = new(l.suggest(r.path))
	}
	a.status, a.head, a.own, a.body = http.StatusNotFound, l.plain, f.head, f.body
}
