package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"

	"stele/record"
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

// maxRemembered is how long a wrong address may be for its answer to be remembered, or for a right one to be looked for.
const maxRemembered = 256

// problem answers with a problem.
func (l *Library) problem(a *answer, status int, detail string) {
	f := encodeProblem(problem{Status: status, Detail: detail})
	*a = answer{status: status, head: l.plain, own: f.head, body: f.body}
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
			if near := record.Nearest(id, l.neighbours(k, id)); near != "" && page {
				p.Nearest = "/" + folder(k) + "/" + near + "/"
			} else if near != "" {
				p.Nearest = "/" + singleAt(k, near)
			}
		}
	}
	if p.Nearest == "" && status == http.StatusNotFound && len(address) <= maxRemembered {
		p.Nearest = record.Nearest(address, l.known)
	}
	f := encodeProblem(p)
	f.head = append(f.head, "Vary: Accept\r\n"...) // a browser gets a page
	return f
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

// neighbours are the IDs of a kind beside which an ID would stand. Looking at them alone finds most slips, and takes no longer in a large release.
func (l *Library) neighbours(k *release.Kind, id string) []string {
	const around = 2048
	listing := l.files[k.Index].forms[0].body
	at := sort.Search(int(listing.size/around), func(i int) bool {
		first := idsIn(listing, int64(i)*around, around)
		return len(first) > 0 && first[0] >= id
	})
	return idsIn(listing, max(0, int64(at-2)*around), 4*around)
}

// idsIn are the IDs in the lines that begin in a part of a listing.
func idsIn(listing body, at, size int64) []string {
	const longest = 2 << 10 // a line: ID, title and dates
	part := make([]byte, max(0, min(size+longest, listing.size-at)))
	if err := listing.readAt(part, at); err != nil {
		return nil // there is no nearest, then
	}
	var ids []string
	for begun := int64(0); begun < size; {
		skip := bytes.IndexByte(part, '\n')
		if skip < 0 {
			break
		}
		part, begun = part[skip+1:], begun+int64(skip)+1
		if rest, ok := bytes.CutPrefix(part, []byte(`{"id":"`)); ok {
			if id, _, ok := bytes.Cut(rest, []byte{'"'}); ok {
				ids = append(ids, string(id))
			}
		}
	}
	return ids
}
