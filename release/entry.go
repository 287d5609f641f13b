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
	Title   string `json:"title,omitempty" doc:"The title of the record."`
	Updated string `json:"updated_date,omitempty" as:"Date" doc:"The day on which its content last changed."`
	SHA256  Digest `json:"sha256" as:"SHA256" doc:"The SHA-256 of the record's line in the collection."`
}

// Entries yields the listing of a kind. If the listing does not match the manifest, the last value
// is an error.
func (r *Release) Entries(kind string) iter.Seq2[Entry, error] {
	k := r.Manifest.Kind(kind)
	if k == nil { // the release is older than the kind
		return noValues[Entry]
	}
	return decodeLines(r, k.Listing, Line.Entry)
}

// Entry decodes the line of a listing.
func (l Line) Entry() (e Entry, err error) {
	if e, ok := scanEntry(l.Text); ok {
		return Entry{string(e.id), e.version, string(e.title), string(e.updated), e.sha256}, checkID(e.id)
	}
	if err = json.Unmarshal(l.Text, &e); err == nil {
		err = checkID(e.ID)
	}
	return e, err
}

// Pin decodes the ID and the digest in the line of a listing. The ID may refer to the line.
func (l Line) Pin() (id []byte, digest Digest, err error) {
	if e, ok := scanEntry(l.Text); ok {
		return e.id, e.sha256, checkID(e.id)
	}
	e, err := l.Entry()
	return []byte(e.ID), e.SHA256, err
}

// checkID returns an error for an invalid ID, because IDs are used in paths and header lines.
func checkID[T ~string | ~[]byte](id T) error {
	if !layout.ValidID(id) {
		return fmt.Errorf("invalid ID %.80q", id)
	}
	return nil
}

// scannedEntry is an entry whose texts refer to its line.
type scannedEntry struct {
	id, title, updated []byte
	version            int64
	sha256             Digest
}

// scanEntry decodes a line in the form that this program writes, many times faster than a JSON
// library. It returns false for any other form, and for escapes. For lines that it decodes, the
// result is that of the library.
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
