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

// What manifests, deltas and listings of releases say.

// Digest is a SHA-256.
type Digest [sha256.Size]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest as 64 hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// MarshalJSON writes the same as a text. The zero digest, which is withheld, is null.
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

// Short is as much of a digest as tells apart all that there is.
type Short [16]byte

// Shorten digests a text.
func Shorten[T string | []byte](text T) Short {
	sum := sha256.Sum256([]byte(text))
	return Short(sum[:])
}

// Compare orders them.
func (s Short) Compare(other Short) int { return bytes.Compare(s[:], other[:]) }

// Archive names a file of change events that are in the collection no more: a line for each, as it
// stood there. It is made once, and every later release has it, to the byte.
type Archive struct {
	Year   int    `json:"year" doc:"The last year that its events are of."`
	Path   string `json:"path" doc:"The path of the file: a line for each event, as it stood in the collection, compressed with Zstandard."`
	Count  int    `json:"count" doc:"How many events it has."`
	Size   int64  `json:"size" doc:"The size of the lines in bytes, when they are not compressed."`
	SHA256 Digest `json:"sha256" as:"SHA256" doc:"The SHA-256 of the lines, likewise."`
}

// Delta names a file that leads from the collection of an earlier release to the one that came
// after it. Those of a kind form a chain: each leads to where the next begins, and the last one to
// the collection of this release.
type Delta struct {
	From   string `json:"from" doc:"The ID of the release that it leads from, to the one after it."`
	Path   string `json:"path" doc:"The path of the delta."`
	Before Digest `json:"before" as:"SHA256" doc:"The SHA-256 of the collection that it leads from."`
}

// DeltaHead is what stands before the records of a delta, which are those that came or changed.
//
// A delta is a list of lines to leave out and of lines to put in. Records have an order, and not
// that of IDs everywhere, so both are told by their places, counted from 0.
type DeltaHead struct {
	Kind    string   `json:"kind"`
	From    string   `json:"from"` // releases
	To      string   `json:"to"`
	Before  Digest   `json:"before"` // of the collections
	After   Digest   `json:"after"`
	Count   int      `json:"count"`    // records in the delta
	Removed []string `json:"removed"`  // IDs of the records that are gone
	LeftOut []int64  `json:"left_out"` // places in the earlier collection of lines that are not in the later one
	Placed  []int64  `json:"placed"`   // places in the later collection of the records of the delta
	Head    string   `json:"head"`     // the first line of the later collection
}

// Encode returns the first line of a delta.
func (h *DeltaHead) Encode() ([]byte, error) {
	data, err := jsonline.Marshal(h, "")
	return append(bytes.TrimSuffix(data, []byte("}\n")), `,"records":[`...), err
}

// Past is a line of the listing of all releases: what the Manifest of a release said of it and of
// the service, and the digests of its records, so that what is put together from histories can be
// held to them.
type Past struct {
	Release  string   `json:"release" doc:"The ID of the release."`
	Date     string   `json:"date" as:"Date" doc:"The date of the release."`
	Previous string   `json:"previous,omitempty" doc:"The ID of the release before it."`
	GaveUp   []string `json:"gave_up,omitempty" doc:"The IDs of the releases whose place it took on purpose, although it was not built on them."`
	Content  Digest   `json:"content" as:"SHA256" nullable:"yes" doc:"The digest of the records and of what the publisher said of the service; null where something of it was redacted."`

	Title     string `json:"title" doc:"What the service was called."`
	BaseURL   string `json:"base_url,omitempty" as:"URL" doc:"The address that it was published at; missing if it was not known."`
	Publisher string `json:"publisher" doc:"Who published it."`
	License   string `json:"license" doc:"The SPDX identifier of the licence of the records."`
	Contact   string `json:"contact" doc:"Where to write to."`
	Language  string `json:"language" doc:"The language of the records as a BCP 47 tag."`
	Notice    string `json:"notice" doc:"What readers must know."`

	Settings json.RawMessage `json:"settings,omitempty" doc:"The publisher's other settings, by which it can be restored; missing where they are those of the release before it."`

	Kinds []PastKind `json:"kinds" doc:"What it had of each kind but change events."`
}

// PastKind is what the release of a Past had of a kind.
type PastKind struct {
	Kind       string `json:"kind" as:"KindName" doc:"What kind the records are of."`
	Count      int    `json:"count" doc:"How many records the collection had."`
	Derived    int    `json:"derived,omitempty" doc:"How many of them no publisher wrote."`
	Collection Digest `json:"collection" as:"SHA256" nullable:"yes" doc:"The SHA-256 of the collection; null where a record of it was redacted."`
	Listing    Digest `json:"index" as:"SHA256" nullable:"yes" doc:"The SHA-256 of the listing; likewise."`
}

// Withholds reports whether a digest of the release is withheld.
func (p *Past) Withholds() bool {
	return p.Content == Digest{} || slices.ContainsFunc(p.Kinds, func(k PastKind) bool {
		return k.Collection == Digest{} || k.Listing == Digest{}
	})
}

// Kind returns what the release had of a kind, or nil.
func (p *Past) Kind(name string) *PastKind {
	for i := range p.Kinds {
		if p.Kinds[i].Kind == name {
			return &p.Kinds[i]
		}
	}
	return nil
}
