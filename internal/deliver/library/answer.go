package library

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"stele/internal/base/layout"
)

// Request contains the parts of a request that affect the answer. Its strings may point into a
// connection's buffer, so they must not be kept.
type Request struct {
	Method         string
	Path           string // decoded, with its leading slash
	Query          string // as sent; only redirects depend on it
	Accept         string
	AcceptEncoding string
	Conditions
	Range   string
	IfRange string
}

// Size returns the total size of the request's strings, in bytes.
func (r *Request) Size() int64 {
	return int64(len(r.Method) + len(r.Path) + len(r.Query) + len(r.Accept) + len(r.AcceptEncoding) +
		len(r.Range) + len(r.IfRange) +
		len(r.IfMatch) + len(r.IfUnmodifiedSince) + len(r.IfNoneMatch) + len(r.IfModifiedSince))
}

// Answer is the answer to a request. Its header lines are in three parts. Two of them were prepared
// when the release was opened.
type Answer struct {
	Status int
	Shared []byte // lines that many answers share
	Own    []byte // lines of this file
	Extra  []byte // lines of this answer
	Body
	WouldBlock bool     // there is no answer, because it would have to wait for a disk
	Read       bool     // the body was read for this answer alone
	lease      *Lease   // of the release that the answer comes from
	library    *Library // to be released after the body is sent; nil for none
}

// HasLength reports whether the head contains the length of the body. An answer without a body has
// no length (RFC 9110, section 8.6): clients would mistake it for the length of the file.
func (a *Answer) HasLength() bool {
	return a.Status != http.StatusNotModified && a.Status != http.StatusNoContent
}

const allow = "GET, HEAD, OPTIONS"

// Answer sets a to the answer to r. It depends only on the library and the request, so all
// protocols get the same answers. If the library is closed, a.Status is 0: a newer library answers.
// d is the scratch memory of the answer, which may contain its body.
func (l *Library) Answer(r *Request, a *Answer, d *Scratch) {
	*a = Answer{lease: l.lease}
	if l.isHeld {
		if !l.Retain() {
			return
		}
		defer func() { a.library = l }()
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		l.answerGet(r, a, d)
	case http.MethodOptions:
		l.answerOptions(a)
	case "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE":
		l.Problem(a, http.StatusMethodNotAllowed, "Records are read-only. This URL supports "+allow+".")
		a.Extra = append(a.Extra, "Allow: "+allow+"\r\n"...)
	default: // RFC 9110, section 9.1
		l.Problem(a, http.StatusNotImplemented, "Unknown method. Records can be read with "+allow+".")
		a.Extra = append(a.Extra, "Allow: "+allow+"\r\n"...)
	}
}

// answerOptions answers OPTIONS requests, including those that browsers send for scripts of other
// sites.
func (l *Library) answerOptions(a *Answer) {
	a.Status, a.Shared = http.StatusNoContent, l.plain
	a.Extra = []byte("Allow: " + allow + "\r\nAccess-Control-Allow-Methods: " + allow + "\r\nAccess-Control-Allow-Headers: *\r\nAccess-Control-Max-Age: 86400\r\n")
}

func (l *Library) answerGet(r *Request, a *Answer, d *Scratch) {
	file, err := l.find(r, d)
	switch {
	case err != nil:
		l.answerReadError(a, d, err)
		return
	case file == nil:
		if !l.redirect(r, a, d) {
			l.answerNotFound(r, a)
		}
		return
	case l.isGonePage(file, r.Path[1:]):
		l.answerGonePage(file, r, a, d)
		return
	}
	f := file.choose(r.AcceptEncoding)
	if f == nil {
		l.Problem(a, http.StatusNotAcceptable, "This file is not available in any encoding that Accept-Encoding allows.")
		a.Extra = append(a.Extra, varyLine(acceptEncoding)...)
		return
	}
	if l.options.Behind != nil && r.Path[1:] == layout.ManifestPath {
		if why := l.options.Behind(l.Release().Release); why != "" {
			a.Extra = append(a.Extra, layout.BehindHeader+": "+why+"\r\n"...)
		}
	}
	switch r.evaluate(f.etag(), l.modified) {
	case http.StatusNotModified:
		a.Status, a.Shared, a.Own = http.StatusNotModified, l.unchanged[unchangedUsual], f.tag
		if layout.IsImmutable(r.Path[1:]) {
			a.Shared = l.unchanged[unchangedForEver]
		}
		return
	case http.StatusPreconditionFailed:
		l.Problem(a, http.StatusPreconditionFailed, "The file does not meet the request's precondition.")
		return
	}
	if a.Body = f.Body; r.Method == http.MethodGet {
		if a.Body, err = l.loadBody(f, d); err != nil {
			l.answerReadError(a, d, err)
			return
		}
	}
	a.Status, a.Shared, a.Own, a.Read = http.StatusOK, file.head, f.head, d.fromDisk
	if r.Range != "" && r.Method == http.MethodGet && isIfRangeTrue(r.IfRange, f.etag(), l.modified) {
		l.answerRange(r, f, a)
	}
}

func (l *Library) answerReadError(a *Answer, d *Scratch, err error) {
	switch {
	case d.NoWait: // even after an error, because opening another release takes a while
		a.WouldBlock = true
	case l.options.Refresh != nil && l.options.Refresh(l): // the folder was replaced: ask the new library
	default:
		l.options.Log.Error("cannot read a file of the release", "error", err)
		l.Problem(a, http.StatusInternalServerError, "Cannot read this file at the moment.")
	}
}

func (l *Library) answerRange(r *Request, f *representation, a *Answer) {
	s, ok, unsatisfiable := parseRange(r.Range, f.Size)
	switch {
	case unsatisfiable:
		l.Problem(a, http.StatusRequestedRangeNotSatisfiable, fmt.Sprintf("The file has %d bytes.", f.Size))
		a.Extra = fmt.Appendf(a.Extra, "Content-Range: bytes */%d\r\n", f.Size)
	case ok:
		a.Status, a.Body = http.StatusPartialContent, a.Slice(s.from, s.size)
		a.Extra = fmt.Appendf(a.Extra, "Content-Range: bytes %d-%d/%d\r\n", s.from, s.from+s.size-1, f.Size)
	}
}

const maxRedirected = 96 // bytes of a URL path

// redirect answers a page's URL without its last slash with a redirect to the page, because people
// often omit the slash. URLs of JSON records are exact: nothing below /api and /data redirects.
func (l *Library) redirect(r *Request, a *Answer, d *Scratch) bool {
	if !strings.HasPrefix(r.Path, "/") || strings.HasSuffix(r.Path, "/") || len(r.Path) > maxRedirected ||
		strings.HasPrefix(r.Path, "/api/") || strings.HasPrefix(r.Path, "/data/") {
		return false
	}
	d.line = append(append(d.line[:0], r.Path[1:]...), "/"+layout.Index...)
	if !l.hasFile(d.line) {
		return false
	}
	// Relative, because a proxy may have removed the beginning of the path.
	last := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	a.Status, a.Shared = http.StatusPermanentRedirect, l.plain
	a.Extra = []byte("Location: ./" + url.PathEscape(last) + "/" + queryPart(r.Query) + "\r\nCache-Control: no-cache\r\n")
	return true
}

// queryPart returns "?" and the query, or "" if the query is empty or contains invalid characters.
func queryPart(query string) string {
	if query == "" || strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return ""
	}
	return "?" + query
}

// answerNotFound answers 404: with a page for browsers, otherwise with a problem.
func (l *Library) answerNotFound(r *Request, a *Answer) {
	if l.removed[strings.TrimPrefix(r.Path, "/")] != nil {
		l.answerGone(r, a)
		return
	}
	if l.answerNotFoundPage(r, a) {
		return
	}
	f, k := &l.notFoundAnswer, l.kindAt(r.Path)
	if k != nil {
		f = &k.notFoundAnswer
	}
	if near := l.nearestPath(r.Path); near != "" {
		p := l.noFileProblem()
		if k != nil {
			p = k.notFound
		}
		p.Nearest = near
		f = new(l.notFoundRepresentation(p))
	}
	a.Status, a.Shared, a.Own, a.Body = http.StatusNotFound, l.plain, f.head, f.Body
}

// Release releases the library that the answer comes from.
func (a *Answer) Release() error {
	if a.library == nil {
		return nil
	}
	l := a.library
	a.library = nil
	return l.releaseFiles()
}

// AnswerAgain sets into to the answer to r from the library that a retains.
func (a *Answer) AnswerAgain(r *Request, into *Answer, d *Scratch) { a.library.Answer(r, into, d) }
