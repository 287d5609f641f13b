package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"stele/internal/suggest"
	"stele/release"
)

// problem is an answer that says what is wrong (RFC 9457).
type problem struct {
	Type       string          `json:"type"`
	Title      string          `json:"title"`
	Status     int             `json:"status"`
	Detail     string          `json:"detail"`
	Nearest    string          `json:"nearest,omitempty"`    // the address that was probably meant
	Collection string          `json:"collection,omitempty"` // where all records of the kind are
	Event      json.RawMessage `json:"event,omitempty"`      // the change event that removed the record
}

// maxRemembered is how long a wrong address may be for its answer to be remembered, or for a right
// one to be looked for.
const maxRemembered = 256

// problem answers with a problem.
func (l *Library) problem(a *answer, status int, detail string) {
	f := encodeProblem(problem{Status: status, Detail: detail})
	*a = answer{status: status, head: l.plain, own: f.head, body: f.body, library: a.library}
}

func encodeProblem(p problem) *form {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	e.Encode(p) // texts and numbers do not fail, and the event is JSON that was read before
	return &form{head: []byte("Content-Type: application/problem+json\r\nCache-Control: no-cache\r\n"), body: inMemory(b.Bytes())}
}

// explain says what is wrong with an address.
func (l *Library) explain(address string, status int) *form {
	p := problem{Status: status, Detail: fmt.Sprintf("There is nothing at this address in release %s.", l.release.Release)}
	if event := l.removed[strings.TrimPrefix(address, "/")]; event != nil {
		p.Detail, p.Event = "This record was removed on purpose.", event
	}
	if k, id, page := l.recordAt(address); k != nil {
		p.Collection = "/" + k.Collection
		if status == http.StatusNotFound && len(address) <= maxRemembered {
			p.Detail = fmt.Sprintf("There is no %s %q in release %s.", strings.ReplaceAll(k.Kind, "_", " "), id, l.release.Release)
			if near := l.nearestID(k, id); near != "" && page {
				p.Nearest = "/" + folder(k) + "/" + near + "/"
			} else if near != "" {
				p.Nearest = "/" + singleAt(k, near)
			}
		}
	}
	if p.Nearest == "" && status == http.StatusNotFound && len(address) <= maxRemembered {
		p.Nearest = l.nearest(address)
	}
	f := encodeProblem(p)
	f.head = append(f.head, "Vary: Accept\r\n"...) // a browser gets a page
	return f
}

// nearest is the address that was probably meant: that of the page, or a known one that is written
// much alike.
func (l *Library) nearest(address string) string {
	if page := strings.TrimPrefix(address, "/") + "/"; l.files[page] != nil ||
		l.shelf != nil && l.shelf.has(indexed(page)) {
		return address + "/"
	}
	return suggest.To(address, l.known)
}

// recordAt is the record that an address would belong to.
func (l *Library) recordAt(address string) (k *release.Kind, id string, page bool) {
	at := strings.TrimPrefix(address, "/")
	for i := range l.release.Kinds {
		if id, ok := idIn(&l.release.Kinds[i], at); ok {
			return &l.release.Kinds[i], id, false
		}
	}
	k, id, page = l.pageIn(indexed(at))
	return k, id, page
}

// nearestID is the ID of a kind that was probably meant, or "". Of many IDs only those are looked
// for that are one slip away, so that an answer takes no longer in a large release.
func (l *Library) nearestID(k *release.Kind, id string) string {
	const few = 128 << 10 // bytes of a listing: some hundreds of IDs
	if listing := l.files[k.Index].forms[0].body; listing.size <= few {
		return suggest.To(id, idsIn(listing))
	}
	for near := range slips(id) {
		if l.holdsRecord(k, near) {
			return near
		}
	}
	return ""
}

// holdsRecord reports whether there is a record with an ID, by its own file or by its page.
func (l *Library) holdsRecord(k *release.Kind, id string) bool {
	for _, at := range []string{singleAt(k, id), folder(k) + "/" + id + "/index.html"} {
		if l.files[at] != nil || l.shelf != nil && l.shelf.has(at) {
			return true
		}
	}
	return false
}

// slips are the texts that are one slip away: a character too many, two that changed places, one
// that is wrong, one that is missing.
func slips(text string) iter.Seq[string] {
	const characters = "abcdefghijklmnopqrstuvwxyz0123456789-_."
	return func(yield func(string) bool) {
		for i := range len(text) {
			if !yield(text[:i] + text[i+1:]) {
				return
			}
			if i > 0 && !yield(text[:i-1]+text[i:i+1]+text[i-1:i]+text[i+1:]) {
				return
			}
		}
		for i := range len(text) + 1 {
			for c := range len(characters) {
				if i < len(text) && !yield(text[:i]+characters[c:c+1]+text[i+1:]) ||
					!yield(text[:i]+characters[c:c+1]+text[i:]) {
					return
				}
			}
		}
	}
}

// idsIn are the IDs in a listing.
func idsIn(listing body) []string {
	data := make([]byte, listing.size)
	if err := listing.readAt(data, 0); err != nil {
		return nil // there is no nearest, then
	}
	var ids []string
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte(`{"id":"`)); ok {
			if id, _, ok := bytes.Cut(rest, []byte{'"'}); ok {
				ids = append(ids, string(id))
			}
		}
	}
	return ids
}
