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

// problem is an answer that says what is wrong (RFC 9457).
type problem struct {
	Type       string          `json:"type"`
	Title      string          `json:"title"`
	Status     int             `json:"status"`
	Detail     string          `json:"detail"`
	Collection string          `json:"collection,omitempty"` // where all records of the kind are
	Event      json.RawMessage `json:"event,omitempty"`      // the change event that removed the record
}

// Problem answers with a problem.
func (l *Library) Problem(a *Answer, status int, detail string) {
	f := encodeProblem(problem{Status: status, Detail: detail})
	*a = Answer{Status: status, Shared: l.plain, Own: f.head, Body: f.Body, library: a.library, lease: a.lease}
}

// StatusText is a status in words.
func StatusText(status int) string { return http.StatusText(status) }

func encodeProblem(p problem) *representation {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	body, _ := jsonline.Marshal(p, "  ") // texts and numbers do not fail, and the event is JSON that was read before
	return &representation{head: []byte("Content-Type: " + layout.TypeProblem + "\r\nCache-Control: no-cache\r\n"), Body: InMemory(body)}
}

// kindAddress is where the records of a kind are, and what an address gets that leads to none.
type kindAddress struct {
	kind          *release.Kind
	folder        string // that pages of its records are in
	before, after string // what the address of a single record has before and after its ID
	nothing       representation
}

// setNothing prepares the answers to addresses that lead nowhere, so that a flood of them costs no
// more than one of good ones.
func (l *Library) setNothing() {
	l.nothing = l.missing(problem{Detail: fmt.Sprintf("There is nothing at this address in release %s.", l.release.Manifest.Release)})
	for i := range l.release.Manifest.Kinds {
		k := &l.release.Manifest.Kinds[i]
		a := kindAddress{kind: k, folder: folder(k)}
		a.before, a.after, _ = k.SingleParts()
		a.nothing = l.missing(problem{
			Detail:     fmt.Sprintf("There is no %s with this ID in release %s.", strings.ReplaceAll(k.Kind, "_", " "), l.release.Manifest.Release),
			Collection: "/" + k.Collection,
		})
		l.addresses = append(l.addresses, a)
	}
}

func (l *Library) missing(p problem) representation {
	p.Status = http.StatusNotFound
	f := encodeProblem(p)
	f.head = append(f.head, vary(accept)...) // a browser gets a page
	return *f
}

// recordAt is the kind of the records that an address, right or not, is among; nil for none.
func (l *Library) recordAt(address string) *kindAddress {
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
