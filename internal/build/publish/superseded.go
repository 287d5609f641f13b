package publish

import (
	"bytes"
	"encoding/json"
	"os"

	"stele/internal/build/eventlog"
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
	id      string
	kind    int8 // its place in the table
	line    lists.Ref
	stored  bool  // whether an earlier release has it in its history: it was removed, and came back
	release int32 // the first release that had it, by its place in the listing
	sum     release.Digest
}

func newSuperseded(scratch func() (*os.File, error)) (*superseded, error) {
	lines, err := lists.NewLines(scratch)
	return &superseded{lines: lines, removed: map[string]int32{}}, err
}

// add notes a version. number is that of the record as it is now, or -1 if it is gone.
func (s *superseded) add(records *corpus, kind int, id string, number int32, sum release.Digest, was []byte) {
	s.list = append(s.list, oldVersion{id: id, kind: int8(kind), sum: sum, line: s.lines.Put(was)})
	if number < 0 {
		s.removed[id] = int32(len(s.list))
		return
	}
	if s.byNumber == nil {
		s.byNumber = make([]int32, records.spool.Len())
	}
	s.byNumber[number] = int32(len(s.list))
}

// of returns the version of the record that an event is about, or nil.
func (s *superseded) of(recordID string, number int32) *oldVersion {
	place := s.removed[recordID]
	if number >= 0 && s.byNumber != nil {
		place = s.byNumber[number]
	}
	if place == 0 {
		return nil
	}
	return &s.list[place-1]
}

// sawEvent takes notice of an earlier event about a record: it may be the one that brought the
// version. past are the releases before this one that are known, by ID.
func (s *superseded) sawEvent(e *eventlog.Event, number int32, past map[string]int32) error {
	v := s.of(e.RecordID, number)
	if v == nil || !bytes.Contains(e.Line, []byte(v.sum.String())) {
		return nil
	}
	var event record.ChangeEvent
	if err := json.Unmarshal(e.Line, &event); err != nil {
		return err
	}
	is := func(d *record.RecordDigest) bool { return d != nil && string(d.SHA256) == v.sum.String() }
	place, known := past[event.Release]
	switch {
	case !known:
	case is(event.After) && v.release == 0:
		v.release = place
	case is(event.Before) && event.After == nil && place > 0: // the first release replaced nothing
		v.stored = true
	}
	return nil
}

func (s *superseded) close() error { return s.lines.Close() }
