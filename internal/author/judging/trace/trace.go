// Package trace follows the links between records: what a record rests on, what rests on it, the
// effects of a retraction, and the records that need another check.
package trace

import (
	"cmp"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/base/suggest"
	"stele/internal/trust/standing"
	"stele/record"
)

// Folder contains the records of a folder with their links.
type Folder struct {
	files    fs.FS
	checker  *check.Checker
	graph    standing.Graph
	today    standing.Day
	resting  [][]int32 // by record: the records that rest on it, once for each link
	supports [][]int32 // by record: the records that it rests on
}

// Open reads a folder. Records with problems are traced too. HidingProblems returns the problems
// that may hide records.
func Open(files fs.FS, opt check.Options) (*Folder, error) {
	c, err := check.Index(files, opt)
	if err != nil {
		return nil, err
	}
	f := &Folder{files: files, checker: c, graph: c.Graph(), today: standing.DayOf(opt.Date)}
	f.resting, f.supports = make([][]int32, f.graph.Len()), make([][]int32, f.graph.Len())
	for i := range int32(f.graph.Links()) {
		l := f.graph.Link(i)
		bond := l.Bond.Bond()
		if l.To < 0 || l.To == l.From {
			continue
		}
		if bond.Rests != standing.NoGroup {
			f.resting[l.To] = append(f.resting[l.To], l.From)
		} else if !bond.IsListed() || !c.Standings().At(l.To).Standing.IsLost() {
			continue // lost evidence of any stance may make the claim unsupported
		}
		if !slices.Contains(f.supports[l.From], l.To) {
			f.supports[l.From] = append(f.supports[l.From], l.To)
		}
	}
	return f, nil
}

// HidingProblems returns the problems that may hide records.
func (f *Folder) HidingProblems() []schema.Problem {
	return hidingProblems(f.checker.Result().Problems)
}

func hidingProblems(problems []schema.Problem) []schema.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p schema.Problem) bool { return !p.Code.HidesRecords() })
}

// findNumber returns the number of the record with an ID.
func (f *Folder) findNumber(id string) (int32, error) {
	n := f.checker.Number(id)
	if n < 0 {
		var ids []string
		for i := range min(f.graph.Len(), 200_000) {
			ids = append(ids, f.checker.ID(int32(i)))
		}
		return n, fmt.Errorf("unknown record %q%s", id, suggest.DidYouMean(id, ids))
	}
	return n, nil
}

// Record describes a record briefly.
type Record struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind"`
	Title    string      `json:"title,omitempty"`
	Label    string      `json:"label,omitempty"` // evidence or decision label
	Limit    string      `json:"limit,omitempty"` // the reason why an evidence label is not higher
	Verified record.Date `json:"verification_date,omitempty"`
	By       string      `json:"verified_by,omitempty"`
	Standing string      `json:"standing"`
	Since    record.Date `json:"since,omitempty"`
	Cause    string      `json:"cause,omitempty"`
	Path     []string    `json:"path,omitempty"` // the path to the cause, without the record itself
}

// Support is a record that another rests on, with its own support.
type Support struct {
	Record
	// the quote of this record in the record that rests on it
	Quote   *record.Quote `json:"quote,omitempty"`
	Weakest bool          `json:"weakest,omitempty"`
	Again   bool          `json:"again,omitempty"` // the record appears above, with its support
	RestsOn []*Support    `json:"rests_on,omitempty"`
}

// Dependent is a record that rests on another, with the number of steps.
type Dependent struct {
	Record
	Steps int `json:"steps"`
}

// Trace contains the records that a record rests on, and those that rest on it.
type Trace struct {
	Support
	RestedOnBy []Dependent `json:"rested_on_by"`
	// the effects of a retraction, if requested
	Touched []Touched `json:"touched,omitempty"`
}

// Touched is a record whose standing a retraction would change.
type Touched struct {
	Record
	Was string `json:"was"`
}

// Trace follows the record with an ID in both directions. If retract is set, it adds the effects of
// a retraction.
func (f *Folder) Trace(id string, retract bool) (*Trace, error) {
	n, err := f.findNumber(id)
	if err != nil {
		return nil, err
	}
	var after standing.List
	needed := map[int32]bool{n: true}
	above := f.dependentSteps(n)
	supports := standing.Reachable(n, func(n int32) []int32 { return f.supports[n] }, f.graph.Compare)
	for _, s := range slices.Concat(above, supports) {
		needed[s.Record] = true
	}
	if retract {
		after = standing.Derive(&retracting{f.graph, n, f.today}, f.today)
		for i, is := range after.All() {
			if is != f.checker.Standings().At(i) {
				needed[i] = true
			}
		}
	}
	details, err := f.readDetails(needed)
	if err != nil {
		return nil, err
	}
	t := &Trace{Support: *f.supportTree(n, details, map[int32]bool{}), RestedOnBy: []Dependent{}}
	markWeakest(&t.Support)
	for _, s := range above {
		t.RestedOnBy = append(t.RestedOnBy, Dependent{f.newRecord(s.Record, details), s.Steps})
	}
	if retract {
		t.Touched = f.touchedRecords(n, after, details)
	}
	return t, nil
}

func (f *Folder) dependentSteps(n int32) []standing.Step[int32] {
	return standing.Reachable(n, func(n int32) []int32 { return f.resting[n] }, f.graph.Compare)
}

// supportTree returns record n with all its support. A record that appears again is not expanded
// again.
func (f *Folder) supportTree(n int32, details map[string]detail, seen map[int32]bool) *Support {
	s := &Support{Record: f.newRecord(n, details)}
	if seen[n] {
		s.Again = len(f.supports[n]) > 0
		return s
	}
	seen[n] = true
	for _, to := range f.supports[n] {
		below := f.supportTree(to, details, seen)
		below.Quote = details[s.ID].quotes[below.ID]
		s.RestsOn = append(s.RestsOn, below)
	}
	return s
}

// markWeakest marks the weakest record: the one with the worst standing or, if all are valid, the
// evidence with the lowest label.
func markWeakest(root *Support) {
	weakness := func(s *Support) int {
		low := 0
		if s.Kind == record.KindEvidence {
			low = int(record.LabelHigh.Rank()) - int(record.EvidenceLabel(s.Label).Rank())
		}
		return int(standing.Parse(s.Standing))*10 + low
	}
	var weakest *Support
	var walk func(s *Support)
	walk = func(s *Support) {
		for _, below := range s.RestsOn {
			if weakest == nil || weakness(below) > weakness(weakest) {
				weakest = below
			}
			walk(below)
		}
	}
	if walk(root); weakest != nil && weakness(weakest) > 0 {
		weakest.Weakest = true
	}
}

// retracting is a graph in which a record is retracted.
type retracting struct {
	standing.Graph
	record int32
	day    standing.Day
}

func (r *retracting) Events() iter.Seq[standing.Event] {
	return func(yield func(standing.Event) bool) {
		for e := range r.Graph.Events() {
			if e.Record != r.record && !yield(e) {
				return
			}
		}
		yield(standing.Event{Record: r.record, Retracted: r.day})
	}
}

// touchedRecords returns the records whose standing changes, the worst first.
func (f *Folder) touchedRecords(n int32, after standing.List, details map[string]detail) []Touched {
	list := []Touched{}
	for i, is := range after.All() {
		was := f.checker.Standings().At(i)
		if i == n || is.Standing == was.Standing {
			continue
		}
		list = append(list, Touched{f.describeRecord(i, after, details), was.Standing.String()})
	}
	slices.SortFunc(list, func(a, b Touched) int { return a.Record.compare(&b.Record) })
	return list
}

// compare orders records by standing, the worst first, and then by distance from the cause.
func (r *Record) compare(other *Record) int {
	return cmp.Or(
		compareStandings(other, r), cmp.Compare(len(r.Path), len(other.Path)), strings.Compare(r.ID, other.ID),
	)
}

// compareStandings orders records from the best standing to the worst.
func compareStandings(a, b *Record) int {
	return cmp.Compare(standing.Parse(a.Standing), standing.Parse(b.Standing))
}

func (f *Folder) newRecord(n int32, details map[string]detail) Record {
	return f.describeRecord(n, f.checker.Standings(), details)
}

func (f *Folder) describeRecord(n int32, list standing.List, details map[string]detail) Record {
	d, is := details[f.checker.ID(n)], list.At(n)
	r := Record{
		ID: f.checker.ID(n), Kind: record.Kinds[f.checker.Kind(n)].Name, Title: d.title,
		Label: d.label, Limit: d.limit, By: d.by,
		Standing: is.Standing.String(), Cause: is.Cause.String(),
	}
	if v := f.graph.Verified(n); v != 0 {
		r.Verified = v.Date()
	}
	if is.Since != 0 {
		r.Since = is.Since.Date()
	}
	for at := range list.Path(n) {
		if at != n {
			r.Path = append(r.Path, f.checker.ID(at))
		}
	}
	return r
}

// detail contains the members of a record that the index lacks.
type detail struct {
	title, label, by string
	limit            string
	quotes           map[string]*record.Quote // by source ID
}

// readDetails reads the details of the needed records.
func (f *Folder) readDetails(needed map[int32]bool) (map[string]detail, error) {
	wanted := make(map[string]bool, len(needed))
	for n := range needed {
		wanted[f.checker.ID(n)] = true
	}
	delete(wanted, "") // records without an ID cannot be found
	details := make(map[string]detail, len(wanted))
	for r := range ReadRecords(f.files, func(id string) bool { return wanted[id] }) {
		if r.Record == nil {
			continue // HidingProblems returns its problem
		}
		e := r.Record.Common()
		d := detail{title: strings.Clone(e.Title), by: strings.Clone(e.VerifiedBy), quotes: map[string]*record.Quote{}}
		for _, l := range e.SourceLinks {
			if l.Quote != nil && l.SourceID != "" {
				d.quotes[string(l.SourceID)] = l.Quote
			}
		}
		switch r := r.Record.(type) {
		case *record.Evidence:
			d.label, d.limit = string(r.EvidenceLabel), r.LabelBasis.LimitedBy()
		case *record.ProofClaim:
			d.label = string(r.EvidenceLabel)
		case *record.DecisionView:
			d.label = string(r.DecisionLabel)
		}
		details[r.ID] = d
	}
	for id := range wanted {
		if _, ok := details[id]; !ok {
			return nil, fmt.Errorf("%s could not be read again: the records may have changed meanwhile. Run the command again", id)
		}
	}
	return details, nil
}

// RecordsLosingSupport returns the records that lost all or part of their support because of the
// records with ids.
func (f *Folder) RecordsLosingSupport(ids []string) ([]Record, error) {
	lost := map[int32]bool{}
	for n, is := range f.checker.Standings().All() {
		if is.Standing != standing.Unsupported && is.Standing != standing.Weakened {
			continue
		}
		for at := range f.checker.Standings().Path(n) {
			if at != n && slices.Contains(ids, f.checker.ID(at)) {
				lost[n] = true
			}
		}
	}
	details, err := f.readDetails(lost)
	if err != nil {
		return nil, err
	}
	list := make([]Record, 0, len(lost))
	for n := range lost {
		list = append(list, f.newRecord(n, details))
	}
	slices.SortFunc(list, func(a, b Record) int { return a.compare(&b) })
	return list, nil
}

// Reading is a record with its ID as written, or a problem.
type Reading struct {
	ID       string
	Record   record.Record // nil if there is none
	problems []schema.Problem
}

// ReadRecords yields the records whose IDs are wanted.
func ReadRecords(files fs.FS, wanted func(id string) bool) iter.Seq[Reading] {
	return func(yield func(Reading) bool) {
		for r := range input.Read(input.Batches(files, nil), 1, func() func(input.Item) Reading {
			return func(i input.Item) Reading {
				if i.Tree == nil {
					return Reading{problems: i.Problems}
				}
				if !wanted(i.Tree.Text("id")) {
					return Reading{}
				}
				// the record is kept, so it needs its own memory
				rec, _, _ := new(record.Parser).Decode(i.Kind, i.Tree)
				return Reading{ID: strings.Clone(i.Tree.Text("id")), Record: rec}
			}
		}) {
			if (r.Record != nil || r.problems != nil) && !yield(r) {
				return
			}
		}
	}
}
