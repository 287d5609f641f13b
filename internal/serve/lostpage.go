package serve

import (
	"bytes"
	"html"
	"net/http"

	"stele/internal/layout"
)

// lostPage answers a browser with the page that says that there is nothing; it reports whether
// there is one. If there is time, the page names the address that was probably meant.
func (l *Library) lostPage(r *request, a *answer, d *desk) bool {
	page := l.files[layout.NotFoundPage]
	if page == nil || !prefersHTML(r.accept) {
		return false
	}
	if len(r.path) <= maxSuggestedFor && page.forms[0].encoding == identity && (d.suggests || l.suggestions.take()) {
		if d.hurried {
			a.later, a.suggests = true, true
			return true
		}
		if filled, ok := l.fillLostPage(page.forms[0].body, r.path); ok {
			a.status, a.head, a.body = http.StatusNotFound, l.lost, inMemory(filled)
			return true
		}
	}
	f := page.choose(r.acceptEncoding)
	if f == nil {
		return false
	}
	a.status, a.head, a.body = http.StatusNotFound, l.lost, f.body
	if f.encoding != identity {
		a.own = f.head[:bytes.Index(f.head, []byte("\r\n"))+2] // its Content-Encoding
	}
	return true
}

// fillLostPage fills in what the page of a release leaves open: a template with a link to the root,
// which becomes one to the nearest address. It reports whether there is such an address.
func (l *Library) fillLostPage(form body, address string) (filled []byte, ok bool) {
	const most = 1 << 20 // bytes of a page that is not copied for each request
	near := l.suggested(address).Nearest
	if near == "" || near == address || form.size > most {
		return nil, false
	}
	page := make([]byte, form.size)
	if err := form.readAt(page, 0); err != nil {
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
