package check

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/trust/standing"
	"stele/record"
)

// Facts are the facts of one record for the index, and the problems of the record by itself. Their
// strings refer to the file's text. The index clones the strings that it stores, and Keep clones
// all.
type Facts struct {
	named     []input.Named // rows named in files next to tables
	problems  []schema.Problem
	kind      *record.Kind // nil if there is no record
	id        string
	file      string
	at        schema.Pos
	verified  standing.Day
	published standing.Day
	elsewhere bool // published elsewhere before
	sourced   bool // has source updates
	example   bool // an example, and not a finding
	stale     bool // already reported: a source changed after the verification
	unnamed   bool // rests on a source without a record
	held      bool // held back from the release
	hold      record.Hold
	version   int64 // version of a record that is held back
	event     standing.Event
	label     record.EvidenceLabel
	labelAt   position
	refs      []refFacts
	// corrections that need an event
	corrections []correction

	// The following are set for some kinds only.
	statistic *statistic
	area      *areaUse  // the area in a publisher's scheme
	compared  *compared // the members compared with the measure of the indicator
	// the cell of a suppressed figure
	suppressed *cell
	measure    *measure
	edge       *record.GraphEdge
	removes    string // the record whose removal a change event reports
	written    *event // the contents of a change event
}

// position is a position in a file.
type position struct {
	file string
	at   schema.Pos
}

// refFacts are a reference and the members next to it.
type refFacts struct {
	schema.Reference
	file string
	word string          // the member next to it: a stance, a role, or whether the option was chosen
	want record.KindName // the kind that the record says the target has
	said standing.Day    // the day on which the record last acknowledged a change of the target
}

// Looker searches the texts of records for disclosures.
type Looker = scrutiny.Looker

// CheckItem decodes and checks a record, searches its texts unless look is nil, compares its quotes
// with the texts of sources, and returns its facts. The record is nil if the item is not a record.
func CheckItem(d *record.Parser, due *settings.Due, look *Looker, texts *Texts, i input.Item) (Facts, record.Record) {
	if i.Tree == nil {
		return Facts{problems: i.Problems, named: i.Named}, nil
	}
	rec, refs, problems := d.Decode(i.Kind, i.Tree)
	hold, held := d.Hold, due.IsHeld(d.Hold, d.Date)
	if day := hold.NotBefore.Day(); held && day > d.Date { // the release of that day contains it
		later := record.Parser{Date: day}
		rec, refs, problems = later.Decode(i.Kind, i.Tree)
	}
	// independent of the order of members in the file
	slices.SortStableFunc(refs, func(a, b schema.Reference) int { return cmp.Compare(a.Order, b.Order) })
	e := rec.Common()
	f := Facts{ // even a malformed ID, so that references to it are not reported too
		problems: append(slices.Clone(problems), i.Problems...),
		kind:     i.Kind, id: i.Tree.Text("id"), file: i.Tree.Files[0], at: idPosition(i.Tree),
		verified: standing.DayOf(e.VerificationDate), published: standing.DayOf(e.PublishedDate),
		elsewhere: e.FirstPublishedElsewhere != "", sourced: len(e.SourceUpdates) > 0, example: e.Illustrative,
		held: held, hold: hold, version: e.Version, refs: make([]refFacts, len(refs)),
	}
	for n := range f.problems {
		f.problems[n].Record = cmp.Or(f.problems[n].Record, strings.Clone(f.id))
		f.problems[n].Draft = hold.Draft && f.problems[n].Code != codes.UnknownMember && f.problems[n].Pointer != "/id"
	}
	for n, r := range refs {
		f.refs[n] = refFacts{Reference: r, file: i.Tree.Files[r.File]}
	}
	for _, p := range problems {
		f.stale = f.stale || p.Code == codes.VerifiedBeforeUpdate
	}
	if look != nil {
		f.problems = append(f.problems, look.CheckTree(i.Tree, i.Own, f.id)...)
	}
	f.problems = append(f.problems, texts.checkRedacted(e, i.Kind, i.Tree)...)
	f.problems = append(f.problems, texts.checkQuotes(e, i.Tree)...)
	switch r := rec.(type) {
	case *record.SourceObject:
		f.problems = append(f.problems, texts.checkDigest(r, i.Tree)...)
	case *record.HealthcareStatistic:
		f.area = texts.checkArea(r, i.Tree, &f.problems)
	}
	f.addHistory(e)
	for _, c := range e.Corrections {
		f.corrections = append(f.corrections,
			correction{version: c.InVersion, date: standing.DayOf(c.Date), change: changeTypeOf(c.Type)})
	}
	f.markAcknowledged(e)
	f.addSourceRoles(e)
	f.addKindSpecific(rec, i.Tree)
	return f, rec
}

// CloneStrings clones the strings of f, so that f can be added to several Checkers. It returns
// false for records about other records, because the index shares their facts.
func (f *Facts) CloneStrings() bool {
	if f.edge != nil || f.written != nil || f.removes != "" {
		return false
	}
	f.id = strings.Clone(f.id)
	f.hold.NotBefore = record.Moment(strings.Clone(string(f.hold.NotBefore)))
	for i := range f.refs {
		f.refs[i].To = strings.Clone(f.refs[i].To)
	}
	if s := f.statistic; s != nil {
		s.indicator, s.unit = strings.Clone(s.indicator), strings.Clone(s.unit)
	}
	if f.compared != nil {
		f.compared.cloneStrings()
	}
	if f.area != nil {
		f.area.cloneStrings()
	}
	return true
}

// idPosition returns the position of a record's ID, or of the record if another file contains its
// ID.
func idPosition(t *schema.Tree) schema.Pos {
	if i := t.Find(0, "id"); i >= 0 && t.Nodes[i].File == 0 {
		return t.Nodes[i].At
	}
	return t.Nodes[0].At
}

// addHistory adds the corrections and source updates of the record.
func (f *Facts) addHistory(e *record.Envelope) {
	if day, retracted := e.RetractedOn(); retracted {
		f.event.Retracted = standing.DayOf(day)
	}
	for _, c := range e.InForce() {
		switch c.Type {
		case record.CorrectionExpressionOfConcern:
			f.event.Concern = max(f.event.Concern, standing.DayOf(c.Date))
		case record.CorrectionPartialRetraction:
			f.event.Partial = max(f.event.Partial, standing.DayOf(c.Date))
		}
	}
	for _, c := range e.Corrections {
		// a retraction is not a change of content, and after a reinstatement the record is as
		// before
		if c.Type != record.CorrectionRetraction && c.Type != record.CorrectionReinstatement {
			f.event.Changed, f.event.Cause = max(f.event.Changed, standing.DayOf(c.Date)), standing.Correction
		}
	}
	for _, u := range e.SourceUpdates {
		f.event.Noted = max(f.event.Noted, standing.DayOf(u.Date))
	}
}

// markAcknowledged records which referenced records this record mentions: source updates in
// source_id, corrections in because_of, and both by an ID in the summary.
func (f *Facts) markAcknowledged(e *record.Envelope) {
	if len(f.refs) == 0 || len(e.SourceUpdates)+len(e.Corrections) == 0 {
		return
	}
	newest := map[string]standing.Day{} // by ID: the latest day
	note := func(id string, date record.Date) { newest[id] = max(newest[id], standing.DayOf(date)) }
	for _, u := range e.SourceUpdates {
		if u.Withdrawn() {
			note(string(u.SourceID), u.Date)
			for id := range possibleIDs(u.Summary) {
				note(id, u.Date)
			}
		}
	}
	for _, c := range e.Corrections {
		for _, id := range c.BecauseOf {
			note(string(id), c.Date)
		}
		for id := range possibleIDs(c.Summary) { // the way to name records before because_of existed
			note(id, c.Date)
		}
	}
	for n := range f.refs {
		f.refs[n].said = newest[f.refs[n].To]
	}
}

// longestID is the maximum length of an ID.
const longestID = 128

// possibleIDs yields possible IDs in a text: words of letters, digits, hyphens, underscores and
// dots. A final dot ends the sentence.
func possibleIDs(text string) iter.Seq[string] {
	letter := func(c byte) bool {
		return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	isWord := func(from, to int) bool { return to > from && to-from <= longestID && letter(text[to-1]) }
	return func(yield func(string) bool) {
		for at := 0; at < len(text); at++ {
			from := at
			for ; at < len(text) && (letter(text[at]) || text[at] == '.'); at++ {
				ends := text[at] == '.' && (at+1 == len(text) || !letter(text[at+1]))
				if ends && isWord(from, at) && !yield(text[from:at]) {
					return
				}
			}
			if isWord(from, at) && !yield(text[from:at]) {
				return
			}
		}
	}
}

func (f *Facts) addSourceRoles(e *record.Envelope) {
	for n := range f.refs {
		if r := &f.refs[n]; len(r.Path) == 2 && r.Path[0] == "source_links" {
			r.word = string(e.SourceLinks[r.Index[0]].Role)
		}
	}
	for _, l := range e.SourceLinks {
		f.unnamed = f.unnamed || l.Role == record.RolePrimary && l.SourceID == ""
	}
}

// addKindSpecific adds the facts that only some kinds have.
func (f *Facts) addKindSpecific(rec record.Record, t *schema.Tree) {
	switch r := rec.(type) {
	case *record.Evidence:
		// an unreadable label is already reported; claims must not be reported because of it
		if f.label = r.EvidenceLabel; f.label == "" {
			f.label = record.LabelHigh
		}
	case *record.ProofClaim:
		f.label = r.EvidenceLabel
		if i, ok := t.At("/evidence_label"); ok {
			f.labelAt = position{t.Files[t.Nodes[i].File], t.Nodes[i].At}
		}
		for n := range f.refs {
			if len(f.refs[n].Path) == 2 && f.refs[n].Path[0] == "evidence" {
				f.refs[n].word = string(r.Evidence[f.refs[n].Index[0]].Stance)
			}
		}
	case *record.DecisionView:
		if r.DecisionLabel == record.DecisionUndecided {
			f.event.Undecided = standing.DayOf(r.PublishedDate)
		}
		for n := range f.refs {
			if f.refs[n].Path[0] == "options" {
				f.refs[n].word = "not chosen"
				if r.Options[f.refs[n].Index[0]].OptionID == r.ChosenOptionID {
					f.refs[n].word = "chosen"
				}
			}
		}
	case *record.HealthcareStatistic:
		f.addStatistic(r, t)
	case *record.Entity:
		f.measure = newMeasure(r.Measure)
	case *record.GraphEdge:
		f.edge = r
	case *record.GraphNode:
		f.setExpectedKind(r.RecordKind)
	case *record.ChangeEvent:
		f.setExpectedKind(r.RecordKind)
		if len(f.problems) == 0 { // otherwise the meaning is unclear
			f.written = newEvent(r)
		}
		if r.ChangeType == record.ChangeRemoved {
			f.removes = string(r.RecordID)
		}
	case *record.SourceObject:
		f.addSourceHistory(r)
	}
}

func (f *Facts) addStatistic(s *record.HealthcareStatistic, t *schema.Tree) {
	if isSuppressed(s) {
		f.suppressed = newCell(s)
	}
	if s.ReplacedBy == "" { // the replacing record may be the same figure under another ID
		f.statistic = newStatistic(s)
	}
	wrong := func(p schema.Problem) bool { return p.Severity() == codes.Error }
	if !slices.ContainsFunc(f.problems, wrong) { // otherwise the meaning is unclear
		f.compared = newCompared(s, t)
	}
}

// addSourceHistory adds the retractions and changes of the source that a record describes.
func (f *Facts) addSourceHistory(s *record.SourceObject) {
	withdrawn, partial, concern := s.Notices()
	day := func(is standing.Day, u *record.SourceUpdate) standing.Day {
		if is != 0 || u == nil {
			return is
		}
		return standing.DayOf(u.Date)
	}
	f.event.Retracted = day(f.event.Retracted, withdrawn)
	f.event.Partial = day(f.event.Partial, partial)
	f.event.Concern = day(f.event.Concern, concern)
	for _, u := range s.SourceUpdates {
		// a source that only moved, or is valid again, requires no new check
		day := standing.DayOf(u.Date)
		if !u.Withdrawn() && u.Type != record.UpdateReinstatement && u.Type != record.UpdateMoved &&
			day > f.event.Changed {
			f.event.Changed, f.event.Cause = day, standing.SourceUpdate
		}
	}
}

// setExpectedKind sets the kind that a record names for its record_id.
func (f *Facts) setExpectedKind(kind record.KindName) {
	for n := range f.refs {
		if f.refs[n].Path[0] == "record_id" {
			f.refs[n].want = kind
		}
	}
}
