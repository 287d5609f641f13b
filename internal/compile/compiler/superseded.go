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

// superseded are the versions of records that this release replaces: what was changed or
// removed, as it was. Their JSON lies on disk, because a revision may touch every record.
type superseded struct {
	list  []oldVersion // in the order of kinds and IDs
	lines *lists.Lines

	byNumber []int32 // by number of a record: its place in the list, counted from 1; nil if there is none
	removed  map[string]int32
}

// oldVersion is one of them.
type oldVersion struct {
	id   string
	kind int8 // its place in the table
	line lists.Ref
	sum  release.Digest
	// its number
	version int64
}

// withheld stands in an event in the place of the digest of a version that was redacted.
var withheld = []byte(`"sha256":null`)

// redacting is what an event has by which versions were redacted.
var redacting = []byte(`"redacted_versions":[`)

// add notes a version. number is that of the record as it is now, or -1 if it is gone.
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

// of returns the place in the list of the version of the record that an event is about, or -1.
func (s *superseded) of(recordID string, number int32) int32 {
	place := s.removed[recordID]
	if number >= 0 && s.byNumber != nil {
		place = s.byNumber[number]
	}
	return place - 1
}

// origins is where the versions that a release replaces come from, as the events tell.
type origins struct {
	*superseded
	each []origin         // by place in the list
	past map[string]int32 // the releases before this one that are known, by ID
}

type origin struct {
	release int32 // the first release that had the version, by its place in the listing
	stored  bool  // whether an earlier release has it in its history: it was removed, and came back
}

// newOrigins knows nothing yet. past are all releases, this one too.
func newOrigins(s *superseded, past []layout.Past) *origins {
	o := &origins{s, make([]origin, len(s.list)), map[string]int32{}}
	for i := range past[:len(past)-1] {
		o.past[past[i].Release] = int32(i)
	}
	return o
}

// see takes notice of an event about a record: it may be the one that brought the version.
func (o *origins) see(e *eventlog.Event, number int32) error {
	at := o.of(e.RecordID, number)
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
