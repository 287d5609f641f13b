package release

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
)

// Entry is a line of a kind's listing.
type Entry struct {
	ID      string `json:"id" as:"ID" doc:"The record ID."`
	Version int64  `json:"version" min:"1" doc:"The version of the record."`
	Title   string `json:"title,omitempty" doc:"Its title."`
	Updated string `json:"updated_date,omitempty" as:"Date" doc:"The day on which its content last changed."`
	SHA256  Digest `json:"sha256" as:"SHA256" doc:"The SHA-256 of its bytes, which stand on one line of the collection."`
}

// Entries reads the listing of a kind. A listing that is not what the manifest says ends with an
// error.
func (r *Release) Entries(kind string) iter.Seq2[Entry, error] {
	k := r.Manifest.Kind(kind)
	if k == nil { // made before there was such a kind
		return none[Entry]
	}
	return decoded(r, k.Listing, Line.Entry)
}

// Entry reads the line of a listing.
func (l Line) Entry() (e Entry, err error) {
	if e, ok := scanEntry(l.Text); ok {
		return Entry{string(e.id), e.version, string(e.title), string(e.updated), e.sha256}, checkID(e.id)
	}
	if err = json.Unmarshal(l.Text, &e); err == nil {
		err = checkID(e.ID)
	}
	return e, err
}

// Pin reads of the line of a listing what holds a record fast: its ID, which may lie in the line,
// and its digest.
func (l Line) Pin() (id []byte, digest Digest, err error) {
	if e, ok := scanEntry(l.Text); ok {
		return e.id, e.sha256, checkID(e.id)
	}
	e, err := l.Entry()
	return []byte(e.ID), e.SHA256, err
}

// checkID refuses an ID that is none: paths and header lines are made of it.
func checkID[T ~string | ~[]byte](id T) error {
	if !layout.ValidID(id) {
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
	s := jsonline.Scanner{Rest: line}
	e.id = s.Text(`{"id":`)
	e.version = s.Number(`,"version":`)
	if s.HasNext(`,"title":`) {
		e.title = s.Text(`,"title":`)
	}
	if s.HasNext(`,"updated_date":`) {
		e.updated = s.Text(`,"updated_date":`)
	}
	s.Digest(`,"sha256":`, (*[sha256.Size]byte)(&e.sha256))
	s.Skip("}")
	return e, s.Ended()
}
