package check

import (
	"crypto/sha256"
	"slices"

	"stele/internal/input"
	"stele/record"
)

// Facts are what the index keeps of a record, and what is wrong with the record by itself.
type Facts struct {
	problems  []record.Problem
	kind      *record.Kind // nil where there was no record
	id        string
	file      string
	at        record.Pos
	verified  record.Date
	published record.Date
	elsewhere bool // published elsewhere before
	stale     bool // said already that it was verified before a source changed
	retired   bool // retracted by its own corrections
	label     record.EvidenceLabel
	labelAt   place
	refs      []ref

	// Of some kinds only.
	statistic *[16]byte // digest of what must be unique among statistics
	edge      *record.GraphEdge
	updated   record.Date // when a source object's source last changed
	withdrawn bool        // whether that source was taken back
	removes   string      // the record whose removal a change event reports
}

// place is a position in a file.
type place struct {
	file string
	at   record.Pos
}

// ref is a reference and what the record says about it.
type ref struct {
	record.Ref
	file   string
	stance record.Stance
	want   record.KindName // the kind that the record says the other has
	knows  bool            // the record reports that the source was taken back
}

// Gather decodes and checks a record and keeps what a Checker needs. The record is nil where there
// was none.
func Gather(d *record.Decoder, i input.Item) (Facts, record.Record) {
	if i.Tree == nil {
		return Facts{problems: i.Problems}, nil
	}
	rec, refs, problems := d.Decode(i.Kind, i.Tree)
	e := rec.Common()
	f := Facts{
		problems: append(slices.Clone(problems), i.Problems...),
		kind:     i.Kind, id: writtenID(i.Tree), file: i.Tree.Files[0], at: whereID(i.Tree),
		verified: e.VerificationDate, published: e.PublishedDate, elsewhere: e.FirstPublishedElsewhere != "",
		retired: e.Retracted(),
		refs:    make([]ref, len(refs)),
	}
	for n, r := range refs {
		f.refs[n] = ref{Ref: r, file: i.Tree.Files[r.File]}
	}
	for _, p := range problems {
		f.stale = f.stale || p.Code == record.VerifiedBeforeUpdate
	}
	f.acknowledge(e)
	f.add(rec, i.Tree)
	return f, rec
}

// idNode is the node of a record's ID, or nil.
func idNode(t *record.Tree) *record.Node {
	if t.Nodes[0].Type == record.Object {
		if i := t.Find(0, "id"); i >= 0 {
			return &t.Nodes[i]
		}
	}
	return nil
}

// writtenID is the ID as it was written, even if it is of the wrong form: what refers to it is then
// not wrong too.
func writtenID(t *record.Tree) string {
	if n := idNode(t); n != nil {
		return n.Text
	}
	return ""
}

// whereID is the place of a record's ID, or of the record where the ID comes from elsewhere.
func whereID(t *record.Tree) record.Pos {
	if n := idNode(t); n != nil && n.File == 0 {
		return n.At
	}
	return t.Nodes[0].At
}

// acknowledge marks the source links whose withdrawal the record reports.
func (f *Facts) acknowledge(e *record.Envelope) {
	for _, u := range e.SourceUpdates {
		if !u.Withdrawn() {
			continue
		}
		for n := range f.refs {
			f.refs[n].knows = f.refs[n].knows || f.refs[n].To == string(u.SourceID)
		}
	}
}

// add keeps what only some kinds have.
func (f *Facts) add(rec record.Record, t *record.Tree) {
	switch r := rec.(type) {
	case *record.Evidence:
		// unreadable, which is a problem already: claims must not suffer for it
		if f.label = r.EvidenceLabel; f.label == "" {
			f.label = "high"
		}
	case *record.ProofClaim:
		f.label = r.EvidenceLabel
		if i, ok := t.At("/evidence_label"); ok {
			f.labelAt = place{t.Files[t.Nodes[i].File], t.Nodes[i].At}
		}
		for n := range f.refs {
			if len(f.refs[n].Path) == 2 && f.refs[n].Path[0] == "evidence" {
				f.refs[n].stance = r.Evidence[f.refs[n].Index[0]].Stance
			}
		}
	case *record.HealthcareStatistic:
		f.statistic = statisticKey(r)
	case *record.GraphEdge:
		f.edge = r
	case *record.GraphNode:
		f.expect(r.RecordKind)
	case *record.ChangeEvent:
		f.expect(r.RecordKind)
		if r.ChangeType == "removed" {
			f.removes = string(r.RecordID)
		}
	case *record.SourceObject:
		for _, u := range r.SourceUpdates {
			f.updated = max(f.updated, u.Date)
			f.withdrawn = f.withdrawn || u.Withdrawn()
		}
	}
}

// expect notes the kind that a record says its record_id has.
func (f *Facts) expect(kind record.KindName) {
	for n := range f.refs {
		if f.refs[n].Path[0] == "record_id" {
			f.refs[n].want = kind
		}
	}
}

// statisticKey identifies what a statistic measures: indicator, area, period, dimensions and unit.
func statisticKey(s *record.HealthcareStatistic) *[16]byte {
	if s.Indicator == "" || s.RefArea == "" || s.TimePeriod == "" || s.Unit == "" {
		return nil
	}
	area := record.AreaKey(s.RefAreaScheme, s.RefArea)
	if s.RefAreaScheme == "entity" { // an entity may be called FRA
		area = "entity " + area
	}
	b := make([]byte, 0, 128)
	dimensions := slices.Clone(s.Dimensions)
	slices.SortFunc(dimensions, func(a, b record.Term) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	for _, part := range []string{s.Indicator, area, string(s.TimePeriod), s.Unit} {
		b = append(append(b, part...), 0)
	}
	for _, d := range dimensions {
		b = append(append(append(append(b, d.Name...), 0), d.Text...), 0)
	}
	sum := sha256.Sum256(b)
	return (*[16]byte)(sum[:16])
}
