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

// index contains the relations between records, in few bytes for each.
type index struct {
	memory  *chunked.Memory     // shared by the lists of all records
	names   *names              // all IDs that are defined or referred to
	defined chunked.List[int32] // by ID number: the record with the ID, or -1
	files   []string
	named   []input.Named // rows named in files next to tables
	fileNo  map[string]int32
	// lastFile is the index of the latest file, or -1.
	lastFile int32
	decls    map[*schema.RefType]uint16
	declOf   []*schema.RefType
	bonds    [][]standing.BondNumber // by number of the declaration: its possible bonds
	placeNo  map[refPlace]int32      // recent places
	counts   []int                   // records by kind

	storedFacts
	ruleFacts
	indicators indicators
	review     review
	texts      *Texts                // texts of sources; nil for none
	standings  standing.List         // set after all records are added
	held       map[string]heldRecord // by ID: records that are not in the release
	folder     fs.FS                 // the folder of the records; nil for none
	threshold  float64               // below which counts are suppressed; 0 for none
}

// storedFacts contains the facts that are needed as long as the index. Each list is sorted by
// record, so that the facts of the last records can be removed again.
type storedFacts struct {
	entries     chunked.List[entry]
	traits      chunked.List[traits] // by record; equal neighbors are stored once
	refs        chunked.List[refEntry]
	events      chunked.List[standing.Event]
	says        chunked.List[said] // by reference
	places      chunked.List[refPlace]
	edges       []edge
	corrections []correction // corrections that need a change event
	written     []event      // the publisher's change events
}

// lengths returns the lengths of the lists. truncate truncates the lists to these lengths.
func (k *storedFacts) lengths() [7]int {
	return [...]int{
		k.entries.Len(), k.refs.Len(), k.events.Len(), k.says.Len(), len(k.edges), len(k.corrections), len(k.written),
	}
}

func (k *storedFacts) truncate(to [7]int) {
	k.entries.Truncate(to[0])
	k.refs.Truncate(to[1])
	k.events.Truncate(to[2])
	k.says.Truncate(to[3])
	k.edges, k.corrections, k.written = k.edges[:to[4]], k.corrections[:to[5]], k.written[:to[6]]
}

// ruleFacts contains the facts that only the rules across records need. They are deleted later.
type ruleFacts struct {
	keys     [16]chunked.List[keyedStatistic] // by their first bits
	figures  figures
	measures map[int32]*measure // by ID number of the entity
	editions map[editionKey]*edition
	claims   []claim
	removed  map[int32]bool   // by ID number
	repeats  [][2]int32       // records with a duplicate ID, and the first record with that ID
	misfits  []schema.Problem // members that contradict the measure, at most MaxProblems
	// cells of suppressed figures, at most mostCells
	suppressed []*cell
}

func newRuleFacts() ruleFacts {
	return ruleFacts{
		figures:  figures{units: map[measuredIn]*firstAndCount{}, series: map[uint64]*latestValues{}},
		measures: map[int32]*measure{}, editions: map[editionKey]*edition{}, removed: map[int32]bool{},
	}
}

// entry contains the facts of one record.
type entry struct {
	name   int32
	refs   int32 // number of the first reference
	traits int32
	at     schema.Pos
}

// traits are the facts that are mostly equal in a table.
type traits struct {
	file     int32
	verified standing.Day
	// the day of the first publication
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
	unnamed             // rests on a source without a record
	sourceChanged       // has source updates
	example
)

// refEntry is a reference from a record to an ID.
type refEntry struct {
	from, to int32
	place    int32
}

// refPlace is the position and meaning of a reference. References from the defaults of a table
// share one refPlace for all rows.
type refPlace struct {
	file  int32
	at    schema.Pos
	index [2]int32
	decl  uint16
	want  uint8 // number of the expected kind, from 1; 0 for any
	bond  standing.BondNumber
}

// said is the day on which a record last acknowledged a change of a record that it refers to.
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
		counts: make([]int, len(record.Kinds)), ruleFacts: newRuleFacts(),
		indicators: indicators{number: map[string]int32{}},
	}
}

// UseMemory lets the lists of an empty index share memory.
func (x *index) UseMemory(m *chunked.Memory) {
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

// add adds the record in f and returns its number, or -1 if the record has no ID.
func (x *index) add(f *Facts) int32 {
	kind := slices.Index(record.Kinds, f.kind)
	x.counts[kind]++
	if f.id == "" { // already reported
		return -1
	}
	n := int32(x.entries.Len())
	t := traits{
		file:     x.fileNumber(f.file),
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
	e := entry{name: x.idNumber(f.id), refs: int32(x.refs.Len()), traits: int32(x.traits.Len() - 1), at: f.at}
	x.entries.Add(e)
	if first := x.definerOf(e.name); first >= 0 {
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
	x.addKindSpecific(n, f)
	x.addEvents(n, f)
	return n
}

// addKindSpecific adds the facts that only some kinds have.
func (x *index) addKindSpecific(n int32, f *Facts) {
	if f.statistic != nil {
		x.figures.add(n, f.statistic)
		x.indicators.set(n, f.statistic.indicator)
		x.keys[f.statistic.key[0]>>4].Add(keyedStatistic{f.statistic.key, n})
	}
	if f.area != nil {
		x.addEdition(n, f.area)
	}
	if f.suppressed != nil && len(x.suppressed) < mostCells {
		c := *f.suppressed
		c.entry = n
		x.suppressed = append(x.suppressed, &c)
	}
	if f.compared != nil {
		x.checkAgainstMeasure(n, f.compared)
	}
	if f.measure != nil && x.definerOf(x.entry(n).name) == n {
		x.measures[x.entry(n).name] = f.measure
	}
	if f.edge != nil && f.edge.Source != "" && f.edge.Target != "" {
		source, target := x.idNumber(string(f.edge.Source)), x.idNumber(string(f.edge.Target))
		x.edges = append(x.edges, edge{n, source, target, f.edge.Relation, f.edge.Directed})
	}
	if f.label != "" && f.kind.Name == record.KindProofClaim {
		x.claims = append(x.claims, claim{n, f.labelAt, f.label})
	}
	if f.removes != "" {
		x.removed[x.idNumber(f.removes)] = true
	}
}

// idNumber returns the number of id, and adds id if it is new.
func (x *index) idNumber(id string) int32 {
	n, isNew := x.names.add(id)
	if isNew {
		x.defined.Add(-1)
	}
	return n
}

// definerOf returns the record whose ID has number name, or -1.
func (x *index) definerOf(name int32) int32 { return *x.defined.At(int(name)) }

func (x *index) idText(name int32) string { return x.names.idOf(name) }

// entry returns the facts of record n.
func (x *index) entry(n int32) whole {
	e := x.entries.At(int(n))
	return whole{e, x.traits.At(int(e.traits))}
}

// fileNumber returns the number of path, and adds path if it is new.
func (x *index) fileNumber(path string) int32 {
	if x.lastFile >= 0 && x.files[x.lastFile] == path { // records are read file by file
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
	p := refPlace{file: x.fileNumber(r.file), at: r.At, index: r.Index, decl: decl}
	if r.want != "" {
		p.want = uint8(1 + slices.Index(record.Kinds, record.KindNamed(string(r.want))))
	}
	for _, bond := range x.bonds[decl] {
		if word := bond.Bond().Word; word == "" || word == r.word {
			p.bond = bond
		}
	}
	return refEntry{from: from, to: x.idNumber(r.To), place: x.positionNumber(p)}
}

// positionNumber returns the number of p. It finds only recent places, so others may be stored
// twice.
func (x *index) positionNumber(p refPlace) int32 {
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

// positionOf returns the position and meaning of reference r.
func (x *index) positionOf(r *refEntry) *refPlace { return x.places.At(int(r.place)) }

// declarationOf returns the declaration of the member that contains reference r.
func (x *index) declarationOf(r *refEntry) *schema.RefType { return x.declOf[x.positionOf(r).decl] }

func (x *index) kindOf(e int32) *record.Kind { return record.Kinds[x.entry(e).kind] }

// ID returns the ID of record n.
func (x *index) ID(n int32) string { return x.idText(x.entries.At(int(n)).name) }

// Number returns the number of the record with the ID, or -1.
func (x *index) Number(id string) int32 {
	if name := x.names.numberOf(id); name >= 0 {
		return x.definerOf(name)
	}
	return -1
}

// locationOf returns the file and line of record e.
func (x *index) locationOf(e int32) string {
	p := schema.Problem{File: x.files[x.entry(e).file], Line: int(x.entry(e).at.Line)}
	return p.Position()
}

// newProblem returns a problem of record e, at the record's position if at is zero.
func (x *index) newProblem(
	code codes.Code, e int32, pointer string, at schema.Pos, message, fix string,
) schema.Problem {
	if at == (schema.Pos{}) {
		at = x.entry(e).at
	}
	return schema.Problem{
		Code: code, File: x.files[x.entry(e).file], Line: int(at.Line), Column: int(at.Column),
		Record: x.ID(e), Pointer: pointer, Message: message, Fix: fix,
	}
}

// checkAll runs the rules that concern several records. If unread is set, some records could not be
// read. Then rules about unused records are skipped, and waits decides about missing ones.
func (x *index) checkAll(report func(...schema.Problem), unread bool, waits func(kinds ...string) bool) {
	x.standings = x.deriveStandings()
	for _, r := range x.repeats {
		report(x.duplicateIDProblem(r[0], r[1]))
	}
	report(x.misfits...)
	x.checkCase(report)
	x.checkKeys(report)
	for i := range x.keys {
		x.keys[i].Truncate(0)
	}
	x.checkFigures(report)
	x.checkEditions(report)
	x.checkDisclosure(report)
	x.checkReferences(report, waits)
	x.checkRowCorrections(report, waits)
	x.checkTexts(report)
	x.checkStandings(report)
	x.checkClaims(report)
	if !unread {
		x.checkUnused(report)
	}
	x.checkRepeatedEdges(report)
	x.checkCircles(report)
	x.ruleFacts = newRuleFacts()
}
