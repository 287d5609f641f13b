package library

import (
	"bytes"
	"html"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
)

// lostPage answers a browser with the page that says that there is nothing; it reports whether
// there is one. If there is time, the page names the address that was probably meant.
func (l *Library) lostPage(r *Request, a *Answer, d *Scratch) bool {
	page := l.files[layout.NotFoundPage]
	if page == nil || !prefersHTML(r.Accept) {
		return false
	}
	if len(r.Path) <= maxSuggestedFor && page.representations[0].coding == compress.Identity &&
		(d.Suggests || l.suggestions.take()) {
		if d.NoWait {
			a.WouldBlock, a.Suggests = true, true
			return true
		}
		if filled, ok := l.fillLostPage(page.representations[0].Body, r.Path); ok {
			a.Status, a.Shared, a.Body = statusNotFound, l.lost, InMemory(filled)
			return true
		}
	}
	f := page.choose(r.AcceptEncoding)
	if f == nil {
		return false
	}
	a.Status, a.Shared, a.Own, a.Body = statusNotFound, l.lost, f.encoding(), f.Body
	return true
}

// fillLostPage fills in what the page of a release leaves open: a template with a link to the root,
// which becomes one to the nearest address. It reports whether there is such an address.
func (l *Library) fillLostPage(form Body, address string) (filled []byte, ok bool) {
	const most = 1 << 20 // bytes of a page that is not copied for each request
	near := l.explain(address).Nearest
	if near == "" || near == address || form.Size > most {
		return nil, false
	}
	page := make([]byte, form.Size)
	if err := form.ReadAt(page, 0); err != nil {
		return nil, false // it is sent as it is, which says what is wrong
	}
	before, rest, opens := bytes.Cut(page, []byte(layout.NearestBegin))
	inner, after, closes := bytes.Cut(rest, []byte(layout.NearestEnd))
	open, end, links := bytes.Cut(inner, []byte(`"></a>`))
	if !opens || !closes || !links {
		return nil, false
	}
	near = html.EscapeString(near)
	filled = append(bytes.Clone(before), open...)
	filled = append(filled, near[1:]+`">`+near+"</a>"...) // the root ends with a slash
	return append(append(filled, end...), after...), true
}
