package release

import (
	"encoding/json"
	"fmt"
	"iter"
)

// Entry is a line of a kind's listing.
type Entry struct {
	ID      string `json:"id"`
	Version int64  `json:"version"`
	Title   string `json:"title,omitempty"`
	Updated string `json:"updated_date,omitempty"`
	SHA256  Digest `json:"sha256"`
}

// Entries reads the listing of a kind. A listing that is not what the manifest says ends with an
// error.
func (r *Release) Entries(kind string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		k := r.Manifest.Kind(kind)
		if k == nil { // made before there was such a kind
			return
		}
		for line, err := range r.Lines(k.Listing) {
			var e Entry
			if err == nil {
				e, err = parseEntry(line.Text)
			}
			if err != nil {
				yield(e, fmt.Errorf("%s: %w", k.Listing, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// parseEntry reads a line of a listing.
func parseEntry(line []byte) (e Entry, err error) {
	if e, ok := scanEntry(line); ok {
		return Entry{string(e.id), e.version, string(e.title), string(e.updated), e.sha256}, checkID(e.id)
	}
	if err = json.Unmarshal(line, &e); err == nil {
		err = checkID(e.ID)
	}
	return e, err
}

// Pin reads of a line of a listing what holds a record fast: its ID, which may lie in the line, and
// its digest.
func Pin(line []byte) (id []byte, digest Digest, err error) {
	if e, ok := scanEntry(line); ok {
		return e.id, e.sha256, checkID(e.id)
	}
	e, err := parseEntry(line)
	return []byte(e.ID), e.SHA256, err
}

// checkID refuses an ID that is none: paths and header lines are made of it.
func checkID[T ~string | ~[]byte](id T) error {
	if !validID(id) {
		return fmt.Errorf("%.80q is not an ID", id)
	}
	return nil
}

// scannedEntry is an entry whose texts lie in its line.
type scannedEntry struct {
	id, title, updated []byte
	version            int64
	sha256             Digest
}

// scanEntry reads a line of the form that this program writes, many times as fast as a library for
// any JSON does. It gives up on whatever has another form or an escape in it; what it does read, it
// reads as the library would.
func scanEntry(line []byte) (e scannedEntry, ok bool) {
	s := lineScanner{rest: line}
	e.id = s.text(`{"id":`)
	e.version = s.number(`,"version":`)
	if s.sees(`,"title":`) {
		e.title = s.text(`,"title":`)
	}
	if s.sees(`,"updated_date":`) {
		e.updated = s.text(`,"updated_date":`)
	}
	s.digest(`,"sha256":`, &e.sha256)
	s.skip("}")
	return e, s.ended()
}
