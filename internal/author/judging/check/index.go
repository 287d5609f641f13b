package check

import (
	"io/fs"
	"slices"

	"stele/internal/author/reading/input"
	"stele/internal/base/parallel/chunked"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/trust/standing"
	"stele/record"
)

// index holds what records say of one another, in few bytes for each.
type index struct {
	memory  *chunked.Memory     // of the lists of all records
	names   *names              // every ID that is defined or referred to
	defined chunked.List[int32] // by number: the record that has the ID, or -1
	files   []string
	named   []input.Named // the rows that files beside tables name
	fileNo  map[string]int32
	// lastFile is the file that was asked for last, or -1.
	lastFile int32
	decls    map[*schema.RefType]uint16
	declOf   []*schema.RefType
	bonds    [][]standing.BondNumber // by number of the declaration: what it may mean
	placeNo  map[refPlace]int32      // of the places that came last
	counts   []int                   // records by kind

	kept
	judged
	indicators indicators
	review     review
	texts      *Texts                // of sources, which the publisher has; nil for none
	standings  standing.List         // when all records are there
	held       map[string]heldRecord // by ID: what the release does not have
	folder     fs.FS                 // that the records are read from; nil for none
	threshold  float64               // of counts that nobody may compute; 0 for none
}

// kept are the facts of records that are read as long as there is an index, each in a list in the
// order of the records: those of the last records can be taken back.
type kept struct {
	entries     chunked.List[entry]
	traits      chunked.List[traits] // in the order of records, those in a row once
	refs        chunked.List[refEntry]
	events      chunked.List[standing.Event]
	says        chunked.List[said] // in the order of references
	places      chunked.List[refPlace]
	edges       []edge
	corrections []correction // those that a change event must tell of
	written     []event      // the change events of the publisher
}

// mark returns how long the lists are, and cut makes them as long as they were then.
func (k *kept) mark() [7]int {
	return [...]int{
		k.entries.Len(), k.refs.Len(), k.events.Len(), k.says.Len(), len(k.edges), len(k.corrections), len(k.written),
	}
}

func (k *kept) cut(to [7]int) {
	k.entries.Truncate(to[0])
	k.refs.Truncate(to[1])
	k.events.Truncate(to[2])
	k.says.Truncate(to[3])
	k.edges, k.corrections, k.written = k.edges[:to[4]], k.corrections[:to[5]], k.written[:to[6]]
}

// judged are the facts that only the rules across records need. They are gone when these have run.
type judged struct {
	keys     [16]chunked.List[keyed] // by the first bits
	figures  figures
	measures map[int32]*measure // by number of the entity's ID
	claims   []claim
	removed  map[int32]bool   // by number of the ID
	repeats  [][2]int32       // records whose ID is used already, and by which record
	misfits  []schema.Problem // members that are not as measured, at most MaxProblems
	// suppressed figures, at most mostCells
	suppressed []*cell
}

func newJudged() judged {
	return judged{
		figures:  figures{units: map[measured]*counted{}, series: map[uint64]*recent{}},
		measures: map[int32]*measure{}, removed: map[int32]bool{},
	}
}

// entry is what is kept of each record.
type entry struct {
	name   int32
	refs   int32 // number of its first reference
	traits int32
	at     schema.Pos
}

// traits are what those of a table mostly have alike.
type traits struct {
	file     int32
	verified standing.Day
	// when it was first published
	published standing.Day
	kind      uint8
	label     uint8 // rank of the evidence label
	flags     uint8
}

type whole struct {
	*entry
	*traits
}

const (
	stale         uint8 = 1 << iota
	elsewhere           // first published elsewhere
	unnamed             // rests on a source that no record describes
	sourceChanged       // has source updates
	example
)

// refEntry is what is kept of each reference: from one record to an ID.
type refEntry struct {
	from, to int32
	place    int32
}

// refPlace is where references stand, and what they mean. Those of a table come from its defaults,
// and have one for all rows.
type refPlace struct {
	file  int32
	at    schema.Pos
	index [2]int32
	decl  uint16
	want  uint8 // number of the expected kind, from 1; 0 for any
	bond  standing.BondNumber
}

// said is the day on which a record last said what became of one that it refers to.
type said struct {
	ref int32
	day standing.Day
}

type claim struct {
	entry int32
	at    position
	label record.EvidenceLabel
}

func newIndex() *index {
	return &index{
		lastFile: -1, placeNo: map[refPlace]int32{},
		names: newNames(), fileNo: map[string]int32{}, decls: map[*schema.RefType]uint16{},
		counts: make([]int, len(record.Kinds)), judged: newJudged(), indicators: indicators{number: map[string]int32{}},
	}
}

// Within lets what is kept of each record share a memory. There are none yet.
func (x *index) Within(m *chunked.Memory) {
	x.memory = m
	x.names.texts.UseMemory(m)
	x.defined.UseMemory(m)
	x.entries.UseMemory(m)
	x.traits.UseMemory(m)
	x.refs.UseMemory(m)
	x.events.UseMemory(m)
	x.says.UseMemory(m)
	x.places.UseMemory(m)
	x.indicators.of.UseMemory(m)
	for i := range x.keys {
		x.keys[i].UseMemory(m)
	}
}

// add puts a record into the index and answers with its number, or -1 if it has no ID: nothing can
// refer to it then.
func (x *index) add(f *Facts) int32 {
	kind := slices.Index(record.Kinds, f.kind)
	x.counts[kind]++
	if f.id == "" { // which is a problem already
		return -1
	}
	n := int32(x.entries.Len())
	t := traits{
		file:     x.file(f.file),
		verified: f.verified, published: f.published, kind: uint8(kind), label: f.label.Rank(),
	}
	for i, is := range [...]bool{f.stale, f.elsewhere, f.unnamed, f.sourced, f.example} { // in the order of the flags
		if is {
			t.flags |= 1 << i
		}
	}
	if last := x.traits.Len() - 1; last < 0 || *x.traits.At(last) != t {
		x.traits.Add(t)
	}
	e := entry{name: x.name(f.id), refs: int32(x.refs.Len()), traits: int32(x.traits.Len() - 1), at: f.at}
	x.entries.Add(e)
	if first := x.definedBy(e.name); first >= 0 {
		x.repeats = append(x.repeats, [2]int32{n, first})
	} else {
		x.defined.Set(int(e.name), n)
	}
	for i := range f.refs {
		if day := f.refs[i].said; day != 0 {
			x.says.Add(said{int32(x.refs.Len()), day})
		}
		x.refs.Add(x.refEntry(n, &f.refs[i]))
	}
	if f.event != (standing.Event{}) {
		f.event.Record = n
		x.events.Add(f.event)
	}
	x.addSome(n, f)
	x.addEvents(n, f)
	return n
}

// addSome keeps what only some kinds have.
func (x *index) addSome(n int32, f *Facts) {
	if f.statistic != nil {
		x.figures.add(n, f.statistic)
		x.indicators.note(n, f.statistic.indicator)
		x.keys[f.statistic.key[0]>>4].Add(keyed{f.statistic.key, n})
	}
	if f.suppressed != nil && len(x.suppressed) < mostCells {
		c := *f.suppressed
		c.entry = n
		x.suppressed = append(x.suppressed, &c)
	}
	if f.compared != nil {
		x.holdToMeasure(n, f.compared)
	}
	if f.measure != nil && x.definedBy(x.entry(n).name) == n {
		x.measures[x.entry(n).name] = f.measure
	}
	if f.edge != nil && f.edge.Source != "" && f.edge.Target != "" {
		source, target := x.name(string(f.edge.Source)), x.name(string(f.edge.Target))
		x.edges = append(x.edges, edge{n, source, target, f.edge.Relation, f.edge.Directed})
	}
	if f.label != "" && f.kind.Name == record.KindProofClaim {
		x.claims = append(x.claims, claim{n, f.labelAt, f.label})
	}
	if f.removes != "" {
		x.removed[x.name(f.removes)] = true
	}
}

// name numbers an ID.
func (x *index) name(id string) int32 {
	n, isNew := x.names.add(id)
	if isNew {
		x.defined.Add(-1)
	}
	return n
}

// definedBy returns the record that has the ID with a number, or -1.
func (x *index) definedBy(name int32) int32 { return *x.defined.At(int(name)) }

// text returns the ID with a number.
func (x *index) text(name int32) string { return x.names.text(name) }

// entry returns what is kept of a record.
func (x *index) entry(n int32) whole {
	e := x.entries.At(int(n))
	return whole{e, x.traits.At(int(e.traits))}
}

// file numbers a path.
func (x *index) file(path string) int32 {
	if x.lastFile >= 0 && x.files[x.lastFile] == path { // records come file by file
		return x.lastFile
	}
	n, ok := x.fileNo[path]
	if !ok {
		n = int32(len(x.files))
		x.fileNo[path] = n
		x.files = append(x.files, path)
	}
	x.lastFile = n
	return n
}

func (x *index) refEntry(from int32, r *refFacts) refEntry {
	decl, ok := x.decls[r.RefType]
	if !ok {
		decl = uint16(len(x.declOf))
		x.decls[r.RefType] = decl
		x.declOf = append(x.declOf, r.RefType)
		x.bonds = append(x.bonds, standing.MemberBonds(r.RefType))
	}
	p := refPlace{file: x.file(r.file), at: r.At, index: r.Index, decl: decl}
	if r.want != "" {
		p.want = uint8(1 + slices.Index(record.Kinds, record.KindNamed(string(r.want))))
	}
	for _, bond := range x.bonds[decl] {
		if word := bond.Bond().Word; word == "" || word == r.word {
			p.bond = bond
		}
	}
	return refEntry{from: from, to: x.name(r.To), place: x.placeNumber(p)}
}

// placeNumber numbers a place. One that does not come again soon is kept twice.
func (x *index) placeNumber(p refPlace) int32 {
	n, ok := x.placeNo[p]
	if !ok {
		const most = 1024
		if n = int32(x.places.Len()); len(x.placeNo) == most {
			clear(x.placeNo)
		}
		x.places.Add(p)
		x.placeNo[p] = n
	}
	return n
}

// place returns where a reference stands.
func (x *index) place(r *refEntry) *refPlace { return x.places.At(int(r.place)) }

// decl returns the member that a reference stands in.
func (x *index) decl(r *refEntry) *schema.RefType { return x.declOf[x.place(r).decl] }

func (x *index) kind(e int32) *record.Kind { return record.Kinds[x.entry(e).kind] }

// ID returns the ID of record n.
func (x *index) ID(n int32) string { return x.text(x.entries.At(int(n)).name) }

// Number finds a record by its ID, or -1.
func (x *index) Number(id string) int32 {
	if name := x.names.number(id); name >= 0 {
		return x.definedBy(name)
	}
	return -1
}

// where says in which file and line a record stands.
func (x *index) where(e int32) string {
	p := schema.Problem{File: x.files[x.entry(e).file], Line: int(x.entry(e).at.Line)}
	return p.Position()
}

// problem makes a problem with a record; at the zero position it stands where the record does.
func (x *index) problem(code codes.Code, e int32, pointer string, at schema.Pos, message, fix string) schema.Problem {
	if at == (schema.Pos{}) {
		at = x.entry(e).at
	}
	return schema.Problem{
		Code: code, File: x.files[x.entry(e).file], Line: int(at.Line), Column: int(at.Column),
		Record: x.ID(e), Pointer: pointer, Message: message, Fix: fix,
	}
}

// check runs the rules that concern several records. If some could not be read, nothing is said of
// what they may have referred to, and what refers to them waits.
func (x *index) check(report func(...schema.Problem), unread bool, waits func(kinds ...string) bool) {
	x.standings = x.derive()
	for _, r := range x.repeats {
		report(x.repeatedID(r[0], r[1]))
	}
	report(x.misfits...)
	x.checkCase(report)
	x.checkKeys(report)
	for i := range x.keys {
		x.keys[i].Truncate(0)
	}
	x.checkFigures(report)
	x.checkDisclosure(report)
	x.checkReferences(report, waits)
	x.checkNamed(report, waits)
	x.checkTexts(report)
	x.checkStandings(report)
	x.checkClaims(report)
	if !unread {
		x.checkUnused(report)
	}
	x.repeatedEdges(report)
	x.circles(report)
	x.judged = newJudged()
}
