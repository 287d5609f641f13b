package layout

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"stele/internal/base/jsonline"
)

// Digest is a SHA-256 digest.
type Digest [sha256.Size]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the digest as 64 hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// MarshalJSON returns the digest as a JSON string, or null for the zero digest, which is withheld.
func (d Digest) MarshalJSON() ([]byte, error) {
	if d == (Digest{}) {
		return []byte("null"), nil
	}
	return []byte(`"` + d.String() + `"`), nil
}

// UnmarshalText reads 64 hexadecimal digits.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("digest of %d characters, not 64", len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// Short is a shortened digest: 16 bytes, enough to tell all records apart.
type Short [16]byte

// Shorten returns the shortened SHA-256 of text.
func Shorten[T string | []byte](text T) Short {
	sum := sha256.Sum256([]byte(text))
	return Short(sum[:])
}

// Compare orders shortened digests by their bytes.
func (s Short) Compare(other Short) int { return bytes.Compare(s[:], other[:]) }

// Archive describes a file of change events that were moved out of their collection, one per line,
// unchanged. It never changes, and every later release contains it.
type Archive struct {
	Year   int    `json:"year" doc:"The latest year of its events."`
	Path   string `json:"path" doc:"The path of the file: one line for each event, as it was in the collection, compressed with Zstandard."`
	Count  int    `json:"count" doc:"The number of events."`
	Size   int64  `json:"size" doc:"The uncompressed size of the lines in bytes."`
	SHA256 Digest `json:"sha256" as:"SHA256" doc:"The SHA-256 of the uncompressed lines."`
}

// Delta describes a file with the changes to a collection from an earlier release to the next. The
// deltas of a kind form a chain that ends with the collection of this release.
type Delta struct {
	From   string `json:"from" doc:"The ID of the release that the delta starts from. It leads to the next release."`
	Path   string `json:"path" doc:"The path of the delta."`
	Before Digest `json:"before" as:"SHA256" doc:"The SHA-256 of the collection that the delta starts from."`
}

// DeltaHead is the header of a delta. The records that were added or changed follow it.
//
// A delta lists the lines to remove and the lines to insert. It names them by index, counted from
// 0, because not every collection is sorted by ID.
type DeltaHead struct {
	Kind    string   `json:"kind"`
	From    string   `json:"from"` // release IDs
	To      string   `json:"to"`
	Before  Digest   `json:"before"` // digests of the collections
	After   Digest   `json:"after"`
	Count   int      `json:"count"`    // number of records in the delta
	Removed []string `json:"removed"`  // IDs of the records that were removed
	LeftOut []int64  `json:"left_out"` // indexes, in the earlier collection, of the lines to remove
	Placed  []int64  `json:"placed"`   // indexes, in the later collection, of the delta's records
	Head    string   `json:"head"`     // first line of the later collection
}

// Encode returns the first line of a delta.
func (h *DeltaHead) Encode() ([]byte, error) {
	data, err := jsonline.Marshal(h, "")
	return append(bytes.TrimSuffix(data, []byte("}\n")), `,"records":[`...), err
}

// Past is a line of the listing of all releases. It repeats the description of the release and the
// service in the release's manifest. Its digests of the records verify a release that is restored
// from histories.
type Past struct {
	Release  string   `json:"release" doc:"The ID of the release."`
	Date     string   `json:"date" as:"Date" doc:"The date of the release."`
	Previous string   `json:"previous,omitempty" doc:"The ID of the previous release."`
	GaveUp   []string `json:"gave_up,omitempty" doc:"The IDs of published releases that it replaced on purpose without following them."`
	Content  Digest   `json:"content" as:"SHA256" nullable:"yes" doc:"The digest of the records and of the publisher's statements about the service; null if any of them was redacted."`

	Title     string `json:"title" doc:"The title of the service."`
	BaseURL   string `json:"base_url,omitempty" as:"URL" doc:"The URL that it was published at; missing if unknown."`
	Publisher string `json:"publisher" doc:"The publisher."`
	License   string `json:"license" doc:"The SPDX identifier of the licence of the records."`
	Contact   string `json:"contact" doc:"The publisher's contact address."`
	Language  string `json:"language" doc:"The language of the records as a BCP 47 tag."`
	Notice    string `json:"notice" doc:"A notice for readers."`

	Settings json.RawMessage `json:"settings,omitempty" doc:"The publisher's other settings, needed to restore the release; missing if they are the same as in the previous release."`

	Kinds []PastKind `json:"kinds" doc:"The collections of the release, except change events."`
}

// PastKind describes the collection of a kind in an earlier release.
type PastKind struct {
	Kind       string `json:"kind" as:"KindName" doc:"The kind of the records."`
	Count      int    `json:"count" doc:"The number of records in the collection."`
	Derived    int    `json:"derived,omitempty" doc:"The number of records that Stele derived."`
	Collection Digest `json:"collection" as:"SHA256" nullable:"yes" doc:"The SHA-256 of the collection; null if one of its records was redacted."`
	Listing    Digest `json:"index" as:"SHA256" nullable:"yes" doc:"The SHA-256 of the listing; null if one of its records was redacted."`
}

// Withholds reports whether p has a withheld digest.
func (p *Past) Withholds() bool {
	return p.Content == Digest{} || slices.ContainsFunc(p.Kinds, func(k PastKind) bool {
		return k.Collection == Digest{} || k.Listing == Digest{}
	})
}

// Kind returns the collection of the named kind, or nil.
func (p *Past) Kind(name string) *PastKind {
	for i := range p.Kinds {
		if p.Kinds[i].Kind == name {
			return &p.Kinds[i]
		}
	}
	return nil
}
