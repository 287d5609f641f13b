package library

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"stele/internal/base/layout"
)

// Request is what a request says, as far as it matters. Texts may lie in a connection's buffer and
// must not be kept.
type Request struct {
	Method         string
	Path           string // decoded, with the slash before it
	Query          string // as it came; no answer but a redirect depends on it
	Accept         string
	AcceptEncoding string
	Conditions
	Range   string
	IfRange string
}

// Size returns how many bytes its texts have.
func (r *Request) Size() int64 {
	return int64(len(r.Method) + len(r.Path) + len(r.Query) + len(r.Accept) + len(r.AcceptEncoding) +
		len(r.Range) + len(r.IfRange) +
		len(r.IfMatch) + len(r.IfUnmodifiedSince) + len(r.IfNoneMatch) + len(r.IfModifiedSince))
}

// Answer is what goes back. Its header lines lie in three pieces, so that two of them can be
// prepared.
type Answer struct {
	Status int
	Shared []byte // lines that many answers share
	Own    []byte // lines of this file
	Extra  []byte // lines of this answer
	Body
	WouldBlock bool     // whether there is no answer, because it would have to be waited for
	Read       bool     // whether the body was read for this answer alone
	lease      *Lease   // of the release that it comes from
	library    *Library // that must be let go when the body is sent; nil for none
}

// HasLength reports whether the head says how long the body is. Answers that have none do not (RFC
// 9110, section 8.6): the client would take it for the length of the file.
func (a *Answer) HasLength() bool {
	return a.Status != http.StatusNotModified && a.Status != http.StatusNoContent
}

const allow = "GET, HEAD, OPTIONS"

// Answer decides what a request gets. It looks at nothing but the library and the request, so all
// ways of serving give the same. A library that has been let go answers with no status: there is a
// newer one to ask. What it reads from files lies on the scratch, and so may the answer.
func (l *Library) Answer(r *Request, a *Answer, d *Scratch) {
	*a = Answer{lease: l.lease}
	if l.isHeld {
		if !l.Hold() {
			return
		}
		defer func() { a.library = l }()
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		l.get(r, a, d)
	case http.MethodOptions:
		l.preflight(a)
	case "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE":
		l.Problem(a, http.StatusMethodNotAllowed, "The records can only be read. This address takes "+allow+".")
		a.Extra = append(a.Extra, "Allow: "+allow+"\r\n"...)
	default: // RFC 9110, section 9.1
		l.Problem(a, http.StatusNotImplemented, "This method is not known. The records are read with "+allow+".")
		a.Extra = append(a.Extra, "Allow: "+allow+"\r\n"...)
	}
}

// preflight says what may be asked, also to a browser that asks for a script of another site.
func (l *Library) preflight(a *Answer) {
	a.Status, a.Shared = http.StatusNoContent, l.plain
	a.Extra = []byte("Allow: " + allow + "\r\nAccess-Control-Allow-Methods: " + allow + "\r\nAccess-Control-Allow-Headers: *\r\nAccess-Control-Max-Age: 86400\r\n")
}

func (l *Library) get(r *Request, a *Answer, d *Scratch) {
	file, err := l.find(r, d)
	switch {
	case err != nil:
		l.unreadable(a, d, err)
		return
	case file == nil:
		if !l.redirect(r, a, d) {
			l.notFound(r, a)
		}
		return
	case l.isGone(file, r.Path[1:]):
		l.gonePage(file, r, a, d)
		return
	}
	f := file.choose(r.AcceptEncoding)
	if f == nil {
		l.Problem(a, http.StatusNotAcceptable, "There is no form of this file in an encoding that Accept-Encoding allows.")
		a.Extra = append(a.Extra, vary(acceptEncoding)...)
		return
	}
	if l.options.Behind != nil && r.Path[1:] == layout.ManifestPath {
		if why := l.options.Behind(l.Release().Release); why != "" {
			a.Extra = append(a.Extra, layout.BehindHeader+": "+why+"\r\n"...)
		}
	}
	switch r.judge(f.etag(), l.modified) {
	case http.StatusNotModified:
		a.Status, a.Shared, a.Own = http.StatusNotModified, l.unchanged[unchangedUsual], f.tag
		if layout.IsImmutable(r.Path[1:]) {
			a.Shared = l.unchanged[unchangedForEver]
		}
		return
	case http.StatusPreconditionFailed:
		l.Problem(a, http.StatusPreconditionFailed, "The file is not the one that the request asks for.")
		return
	}
	if a.Body = f.Body; r.Method == http.MethodGet {
		if a.Body, err = l.fill(f, d); err != nil {
			l.unreadable(a, d, err)
			return
		}
	}
	a.Status, a.Shared, a.Own, a.Read = http.StatusOK, file.head, f.head, d.brought
	if r.Range != "" && r.Method == http.MethodGet && applies(r.IfRange, f.etag(), l.modified) {
		l.part(r, f, a)
	}
}

func (l *Library) unreadable(a *Answer, d *Scratch, err error) {
	switch {
	case d.NoWait: // also if something is wrong, because opening another release takes a while
		a.WouldBlock = true
	case l.options.Refresh != nil && l.options.Refresh(l): // a folder that has been replaced: ask the new one
	default:
		l.options.Log.Error("a file of the release cannot be read", "error", err)
		l.Problem(a, http.StatusInternalServerError, "This file cannot be read at the moment.")
	}
}

func (l *Library) part(r *Request, f *representation, a *Answer) {
	s, ok, unsatisfiable := rangeOf(r.Range, f.Size)
	switch {
	case unsatisfiable:
		l.Problem(a, http.StatusRequestedRangeNotSatisfiable, fmt.Sprintf("The file has %d bytes.", f.Size))
		a.Extra = fmt.Appendf(a.Extra, "Content-Range: bytes */%d\r\n", f.Size)
	case ok:
		a.Status, a.Body = http.StatusPartialContent, a.Slice(s.from, s.size)
		a.Extra = fmt.Appendf(a.Extra, "Content-Range: bytes %d-%d/%d\r\n", s.from, s.from+s.size-1, f.Size)
	}
}

const maxRedirected = 96 // bytes of an address

// redirect leads from the address of a page without its last slash to the page, as people type it.
// The addresses of records as JSON are exact: below /api and /data nothing redirects.
func (l *Library) redirect(r *Request, a *Answer, d *Scratch) bool {
	if !strings.HasPrefix(r.Path, "/") || strings.HasSuffix(r.Path, "/") || len(r.Path) > maxRedirected ||
		strings.HasPrefix(r.Path, "/api/") || strings.HasPrefix(r.Path, "/data/") {
		return false
	}
	d.line = append(append(d.line[:0], r.Path[1:]...), "/"+layout.Index...)
	if !l.has(d.line) {
		return false
	}
	// Relative, because a proxy may have taken away what comes before.
	last := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	a.Status, a.Shared = http.StatusPermanentRedirect, l.plain
	a.Extra = []byte("Location: ./" + url.PathEscape(last) + "/" + kept(r.Query) + "\r\nCache-Control: no-cache\r\n")
	return true
}

// kept is a query with the mark before it; nothing where it has what no address may have.
func kept(query string) string {
	if query == "" || strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return ""
	}
	return "?" + query
}

// notFound says that there is nothing at an address: as a page to a browser, else as a problem.
func (l *Library) notFound(r *Request, a *Answer) {
	if l.removed[strings.TrimPrefix(r.Path, "/")] != nil {
		l.gone(r, a)
		return
	}
	if l.lostPage(r, a) {
		return
	}
	f := &l.nothing
	if k := l.recordAt(r.Path); k != nil {
		f = &k.nothing
	}
	a.Status, a.Shared, a.Own, a.Body = http.StatusNotFound, l.plain, f.head, f.Body
}

// LetGo lets the library go that an answer came from.
func (a *Answer) LetGo() error {
	if a.library == nil {
		return nil
	}
	l := a.library
	a.library = nil
	return l.letGo()
}

// Again answers a request once more, from the library that this answer holds.
func (a *Answer) Again(r *Request, into *Answer, d *Scratch) { a.library.Answer(r, into, d) }
