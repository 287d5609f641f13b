package library

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/internal/base/suggest"
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

// Problem answers with a problem.
func (l *Library) Problem(a *Answer, status int, detail string) {
	f := encodeProblem(problem{Status: status, Detail: detail})
	*a = Answer{Status: status, Shared: l.plain, Own: f.head, Body: f.Body, library: a.library, lease: a.lease}
}

func encodeProblem(p problem) *representation {
	p.Type, p.Title = "about:blank", Statuses[p.Status]
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
// more than one of good ones. They name no address: finding the nearest takes a while.
func (l *Library) setNothing() {
	l.nothing = l.missing(problem{Detail: fmt.Sprintf("There is nothing at this address in release %s.", l.release.Manifest.Release)})
	for i := range l.release.Manifest.Kinds {
		k := &l.release.Manifest.Kinds[i]
		a := kindAddress{kind: k, folder: folder(k)}
		a.before, a.after, _ = k.SingleParts()
		a.nothing = l.missing(problem{
			Detail:     fmt.Sprintf("There is no %s with this ID in release %s.", spoken(k), l.release.Manifest.Release),
			Collection: "/" + k.Collection,
		})
		l.addresses = append(l.addresses, a)
	}
}

func spoken(k *release.Kind) string { return strings.ReplaceAll(k.Kind, "_", " ") }

func (l *Library) missing(p problem) representation {
	p.Status = statusNotFound
	f := encodeProblem(p)
	f.head = append(f.head, vary(accept)...) // a browser gets a page
	return *f
}

// Finding the nearest right address takes up to some milliseconds. So it is done for short
// addresses, for one at a time, and for ten in a second on average. Nothing is remembered of them.
const (
	maxSuggestedFor = 96  // bytes of an address
	maxKnown        = 256 // addresses that it is compared with
	suggestEvery    = 100 * time.Millisecond
	suggestAhead    = 30 * time.Second // for which they may come at once
)

type suggestions struct {
	mu    sync.Mutex    // whoever looks for an address has it
	every time.Duration // on average; 0 for as often as somebody asks
	next  atomic.Int64  // when the next one is due, in nanoseconds since began
}

// began is when the program did, nearly. Somebody may set the system's clock back.
var began = time.Now()

// take reports whether there is time for a suggestion, and counts it.
func (s *suggestions) take() bool {
	now := int64(time.Since(began))
	for {
		next := s.next.Load()
		if s.every > 0 && next > now+int64(suggestAhead) {
			return false
		}
		if s.next.CompareAndSwap(next, max(next, now)+int64(s.every)) {
			return true
		}
	}
}

// explain says what is wrong with an address, and which one was probably meant.
func (l *Library) explain(address string) problem {
	l.suggestions.mu.Lock()
	defer l.suggestions.mu.Unlock()
	p := problem{Detail: fmt.Sprintf("There is nothing at this address in release %s.", l.release.Manifest.Release)}
	if k, id, page := l.recordAt(address); k != nil {
		p.Collection = "/" + k.kind.Collection
		p.Detail = fmt.Sprintf("There is no %s %q in release %s.", spoken(k.kind), id, l.release.Manifest.Release)
		if near := l.nearestID(k, id); near != "" && page {
			p.Nearest = "/" + k.folder + "/" + near + "/"
		} else if near != "" {
			p.Nearest = "/" + k.before + near + k.after
		}
	}
	if p.Nearest == "" {
		p.Nearest = l.nearest(address)
	}
	return p
}

// nearest is the address that was probably meant: that of the page, or a known one that is written
// much alike.
func (l *Library) nearest(address string) string {
	if page := strings.TrimPrefix(address, "/") + "/"; l.files[page] != nil || l.holdsFile(layout.Indexed(page)) {
		return address + "/"
	}
	return suggest.To(address, l.known)
}

func (l *Library) recordAt(address string) (k *kindAddress, id string, page bool) {
	at := strings.TrimPrefix(address, "/")
	for i := range l.addresses {
		k := &l.addresses[i]
		if len(at) > len(k.before)+len(k.after) && k.before != "" && strings.HasPrefix(at, k.before) &&
			strings.HasSuffix(at, k.after) {
			if id := at[len(k.before) : len(at)-len(k.after)]; !strings.Contains(id, "/") {
				return k, id, false
			}
		}
	}
	dir, rest, _ := strings.Cut(at, "/")
	id, ok := strings.CutSuffix(rest, "/"+layout.Index)
	if !ok {
		id, ok = strings.CutSuffix(rest, "/")
	}
	if !ok || strings.Contains(id, "/") {
		return nil, "", false
	}
	for i := range l.addresses {
		if l.addresses[i].folder == dir {
			return &l.addresses[i], id, true
		}
	}
	return nil, "", false
}

// nearestID is the ID of a kind that was probably meant, or "". Of many IDs only those are looked
// for that are one slip away, so that an answer takes no longer in a large release.
func (l *Library) nearestID(k *kindAddress, id string) string {
	const few = 128 << 10 // bytes of a listing: some hundreds of IDs
	// A preview has no listing in memory.
	if f := l.files[k.kind.Listing]; f != nil && f.representations[0].Body.Size <= few {
		return suggest.To(id, idsIn(f.representations[0].Body))
	}
	for near := range slips(id) {
		if l.holdsRecord(k, near) {
			return near
		}
	}
	return ""
}

// holdsFile reports whether there is a file, in memory or not.
func (l *Library) holdsFile(at string) bool {
	return l.files[at] != nil || l.disk != nil && l.disk.has(at) || l.draft != nil && l.draft.Has(at)
}

// holdsRecord reports whether there is a record with an ID, by its own file or by its page.
func (l *Library) holdsRecord(k *kindAddress, id string) bool {
	for _, at := range []string{k.before + id + k.after, k.folder + "/" + id + "/" + layout.Index} {
		if l.holdsFile(at) {
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

func idsIn(listing Body) []string {
	data := make([]byte, listing.Size)
	if err := listing.ReadAt(data, 0); err != nil {
		return nil // there is no nearest, then
	}
	var ids []string
	for line := range bytes.Lines(data) {
		id, _, err := release.Line{Text: bytes.TrimRight(line, ",\n")}.Pin()
		if err == nil { // neither the head nor the end
			ids = append(ids, string(id))
		}
	}
	return ids
}
