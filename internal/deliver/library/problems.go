package library

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/release"
)

// problem is an error answer (RFC 9457).
type problem struct {
	Type       string          `json:"type"`
	Title      string          `json:"title"`
	Status     int             `json:"status"`
	Detail     string          `json:"detail"`
	Nearest    string          `json:"nearest,omitempty"`    // the URL that was probably meant
	Collection string          `json:"collection,omitempty"` // URL of all records of the kind
	Event      json.RawMessage `json:"event,omitempty"`      // the change event that removed the record
}

// Problem sets a to an error answer.
func (l *Library) Problem(a *Answer, status int, detail string) {
	f := encodeProblem(problem{Status: status, Detail: detail})
	*a = Answer{Status: status, Shared: l.plain, Own: f.head, Body: f.Body, library: a.library, lease: a.lease}
}

func StatusText(status int) string { return http.StatusText(status) }

func encodeProblem(p problem) *representation {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	body, _ := jsonline.Marshal(p, "  ") // cannot fail: texts, numbers, and an event that was valid JSON
	return &representation{head: []byte("Content-Type: " + layout.TypeProblem + "\r\nCache-Control: no-cache\r\n"), Body: InMemory(body)}
}

// kindAddress contains the URLs of a kind's records, and the answer for missing records.
type kindAddress struct {
	kind           *release.Kind
	folder         string // of its pages
	before, after  string // parts of a single record's URL before and after the ID
	notFound       problem
	notFoundAnswer representation // of that problem
}

// prepareNotFound prepares the answers for missing files, so that these answers are as fast as
// others.
func (l *Library) prepareNotFound() {
	l.notFoundAnswer = l.notFoundRepresentation(l.noFileProblem())
	for i := range l.release.Manifest.Kinds {
		k := &l.release.Manifest.Kinds[i]
		a := kindAddress{kind: k, folder: folderOf(k)}
		a.before, a.after, _ = k.SingleParts()
		a.notFound = problem{
			Detail:     fmt.Sprintf("No %s with this ID in release %s.", strings.ReplaceAll(k.Kind, "_", " "), l.release.Manifest.Release),
			Collection: "/" + k.Collection,
		}
		a.notFoundAnswer = l.notFoundRepresentation(a.notFound)
		l.addresses = append(l.addresses, a)
	}
}

// noFileProblem returns the problem for a URL without a file.
func (l *Library) noFileProblem() problem {
	return problem{Detail: fmt.Sprintf("No file at this URL in release %s.", l.release.Manifest.Release)}
}

func (l *Library) notFoundRepresentation(p problem) representation {
	p.Status = http.StatusNotFound
	f := encodeProblem(p)
	f.head = append(f.head, varyLine(accept)...) // browsers get a page
	return *f
}

// kindAt returns the kind whose records have URLs like address, or nil.
func (l *Library) kindAt(address string) *kindAddress {
	at := strings.TrimPrefix(address, "/")
	for i := range l.addresses {
		k := &l.addresses[i]
		if len(at) > len(k.before)+len(k.after) && k.before != "" && strings.HasPrefix(at, k.before) &&
			strings.HasSuffix(at, k.after) && !strings.Contains(at[len(k.before):len(at)-len(k.after)], "/") {
			return k
		}
	}
	dir, rest, _ := strings.Cut(at, "/")
	id, ok := strings.CutSuffix(strings.TrimSuffix(rest, layout.Index), "/")
	for i := range l.addresses {
		if ok && l.addresses[i].folder == dir && !strings.Contains(id, "/") {
			return &l.addresses[i]
		}
	}
	return nil
}
