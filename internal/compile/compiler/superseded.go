package compiler

import (
	"bytes"
	"encoding/json"

	"stele/internal/base/layout"
	"stele/internal/compile/eventlog"
	"stele/internal/disk/lists"
	"stele/record"
	"stele/release"
)

// superseded contains the versions of records that this release replaces by changes or removals.
// Their JSON is on disk, because a release may change every record.
type superseded struct {
	list  []oldVersion // sorted by kind and ID
	lines *lists.Lines

	byNumber []int32 // by record number: its index in the list, counted from 1; nil if empty
	removed  map[string]int32
}

// oldVersion is a version that is replaced.
type oldVersion struct {
	id   string
	kind int8 // index in record.Kinds
	line lists.Ref
	sum  release.Digest
	// The version number.
	version int64
}

// withheld replaces the digest of a redacted version in an event.
var withheld = []byte(`"sha256":null`)

// redacting appears in events about redactions.
var redacting = []byte(`"redacted_versions":[`)

// add adds the version with the digest d and the JSON was. number is the number of the current
// record, or -1 if the record was removed.
func (s *superseded) add(records *corpus, kind int, id string, number int32, d *digest, was []byte) {
	s.list = append(s.list, oldVersion{
		id: id, kind: int8(kind), sum: d.sum, version: d.version, line: s.lines.Add(was),
	})
	if number < 0 {
		s.removed[id] = int32(len(s.list))
		return
	}
	if s.byNumber == nil {
		s.byNumber = make([]int32, records.spool.Len())
	}
	s.byNumber[number] = int32(len(s.list))
}

// index returns the index in s.list of the replaced version of a record, or -1 if there is none.
func (s *superseded) index(recordID string, number int32) int32 {
	place := s.removed[recordID]
	if number >= 0 && s.byNumber != nil {
		place = s.byNumber[number]
	}
	return place - 1
}

// origins contains the releases that introduced the replaced versions, according to the events.
type origins struct {
	*superseded
	each []origin         // by index in the list
	past map[string]int32 // by ID: the index of each earlier release
}

type origin struct {
	release int32 // index of the first release with the version
	stored  bool  // whether a history contains it already, because the record was removed and restored
}

// newOrigins returns origins before any event. past are all releases, including this one.
func newOrigins(s *superseded, past []layout.Past) *origins {
	o := &origins{s, make([]origin, len(s.list)), map[string]int32{}}
	for i := range past[:len(past)-1] {
		o.past[past[i].Release] = int32(i)
	}
	return o
}

// addEvent reads an event about a record. The event's release may have introduced the replaced
// version.
func (o *origins) addEvent(e *eventlog.Event, number int32) error {
	at := o.index(e.RecordID, number)
	if at < 0 || !bytes.Contains(e.Line, []byte(o.list[at].sum.String())) && !bytes.Contains(e.Line, withheld) {
		return nil
	}
	var event record.ChangeEvent
	if err := json.Unmarshal(e.Line, &event); err != nil {
		return err
	}
	is := func(d *record.RecordDigest) bool {
		return d != nil && (string(d.SHA256) == o.list[at].sum.String() ||
			d.SHA256 == "" && d.Version == o.list[at].version)
	}
	place, known := o.past[event.Release]
	switch {
	case !known:
	case is(event.After) && o.each[at].release == 0:
		o.each[at].release = place
	case is(event.Before) && event.After == nil && place > 0: // the first release replaced nothing
		o.each[at].stored = true
	}
	return nil
}
