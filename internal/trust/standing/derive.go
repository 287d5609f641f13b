package standing

import (
	"cmp"
	"iter"
	"slices"
)

// Graph is the input for deriving standings: records, numbered from 0, and the links between them.
type Graph interface {
	// Len returns the number of records.
	Len() int
	// Verified returns the day on which record n was last verified, or 0.
	Verified(n int32) Day
	// DueOn returns the day from which record n is due for review, or 0.
	DueOn(n int32) Day
	// Compare orders records, to choose between paths of equal length.
	Compare(a, b int32) int
	// Links returns the number of links.
	Links() int
	// Link returns link i.
	Link(i int32) Link
	// Acknowledged returns the latest day on which the referring record acknowledges a loss of the
	// other, in a correction or source update; 0 for never.
	Acknowledged(link int32) Day
	// HasListRule reports whether a claim becomes unsupported if it lists lost evidence and all its
	// evidence is lost. Earlier editions of the rules lack this rule.
	HasListRule() bool
	// Events yields the events of records, at most one per record, in any order.
	Events() iter.Seq[Event]
}

// Link is a reference from one record to another.
type Link struct {
	From int32
	To   int32 // -1 for an unknown record, which cannot be lost
	Bond BondNumber
}

// Event is an event in the life of a record.
type Event struct {
	Record    int32
	Retracted Day // when it was retracted, unless it was reinstated since; 0 for never
	Changed   Day // when it last changed in a way that affects others
	Cause     Cause
	Noted     Day // when its sources last changed, according to the record
	Undecided Day // since when it is an open question; 0 for never
	Concern   Day // when unresolved concerns about it were raised; 0 for never
	Partial   Day // when a part of it was retracted, unless reinstated since; 0 for never
}

// Entry is the standing of a record.
type Entry struct {
	Standing Standing
	Cause    Cause
	Since    Day   // day of the cause
	Because  int32 // the next record on the path to the cause; -1 for the record itself
}

// List contains the standings of all records, by number. Nearly all records are valid, so List
// stores only blocks with other standings.
type List struct {
	blocks []*[listBlock]Entry // nil if all records of the block stand
	n      int
}

const listBlock = 1 << 10

// defaultEntry is the standing of a record without events.
var defaultEntry = Entry{Because: -1}

func newList(n int) List { return List{make([]*[listBlock]Entry, (n+listBlock-1)/listBlock), n} }

// Len returns the number of records.
func (l List) Len() int { return l.n }

// At returns the standing of record n.
func (l List) At(n int32) Entry {
	if b := l.blocks[n/listBlock]; b != nil {
		return b[n%listBlock]
	}
	return defaultEntry
}

// All yields the standings in the order of record numbers.
func (l List) All() iter.Seq2[int32, Entry] {
	return func(yield func(int32, Entry) bool) {
		for n := range int32(l.n) {
			if !yield(n, l.At(n)) {
				return
			}
		}
	}
}

func (l List) set(n int32, e Entry) {
	b := &l.blocks[n/listBlock]
	if *b == nil {
		*b = new([listBlock]Entry)
		for i := range *b {
			(*b)[i] = defaultEntry
		}
	}
	(*b)[n%listBlock] = e
}

// Path yields the records that explain the standing of record n, from itself to the record with the
// cause.
func (l List) Path(n int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for yield(n) && l.At(n).Because >= 0 {
			is := l.At(n)
			// Changes do not spread further, unlike losses.
			last := !is.Standing.IsLost() && is.Standing != Weakened && is.Cause != Retraction
			if n = is.Because; last {
				yield(n)
				return
			}
		}
	}
}

// Derive returns the standing of every record on the day of the release.
//
// It takes time proportional to the number of records and links. Loss spreads from retracted
// records, in the order of time, to records that have lost all of a group. Therefore records that
// rest on each other in a circle are lost only if another record is. Then each affected record gets
// the next record on its shortest path to the cause.
func Derive(g Graph, today Day) List {
	d := deriver{Graph: g, list: newList(g.Len())}
	var events []Event
	for e := range g.Events() {
		events = append(events, e)
	}
	if roots := retractions(events); len(roots) > 0 {
		d.indexLinks()
		d.spreadLoss(roots)
		d.findPaths(roots)
	}
	d.markChanges(events)
	d.markDue(today)
	return d.list
}

// retractions returns the events with retractions, sorted by time.
func retractions(events []Event) []Event {
	var list []Event
	for _, e := range events {
		if e.Retracted != 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Retracted, b.Retracted), cmp.Compare(a.Record, b.Record))
	})
	return list
}

type deriver struct {
	Graph
	list List
	// By record: the index in resting of the first link from a record that rests on it.
	start   []int32
	resting []int32 // link numbers
	// By record: the number of remaining supports in each group.
	remaining [][groups]int32
	// By record: the number of pieces of its evidence that are not lost, whether its list names
	// lost evidence, and whether it is unsupported because of that. Nil for editions without this
	// rule.
	evidence    []int32
	listsLost   []bool
	unsupported []bool
}

// restsOnTarget reports whether the record that contains l rests on the target of l.
func restsOnTarget(l *Link) bool { return l.Bond.Bond().Rests != NoGroup && l.From != l.To }

// mayLoseSupport reports whether a loss may spread over a link.
func (d *deriver) mayLoseSupport(l *Link) bool {
	return restsOnTarget(l) ||
		d.unsupported != nil && l.From != l.To && (l.Bond.Bond().IsListed() || l.Bond.Bond().IsEvidence())
}

// indexLinks finds, for each record, the links over which its loss may spread.
func (d *deriver) indexLinks() {
	d.remaining = make([][groups]int32, d.list.n)
	if d.HasListRule() {
		d.evidence, d.listsLost, d.unsupported = make([]int32, d.list.n), make([]bool, d.list.n), make([]bool, d.list.n)
	}
	d.start = make([]int32, d.list.n+1)
	for i := range int32(d.Links()) {
		if l := d.Link(i); d.mayLoseSupport(&l) {
			d.remaining[l.From][l.Bond.Bond().Rests]++ // also for NoGroup, which is never read
			if d.unsupported != nil && l.Bond.Bond().IsEvidence() {
				d.evidence[l.From]++
			}
			if l.To >= 0 {
				d.start[l.To+1]++
			}
		}
	}
	for i := range d.list.n {
		d.start[i+1] += d.start[i]
	}
	d.resting = make([]int32, d.start[d.list.n])
	next := slices.Clone(d.start)
	for i := range int32(d.Links()) {
		if l := d.Link(i); l.To >= 0 && d.mayLoseSupport(&l) {
			d.resting[next[l.To]] = i
			next[l.To]++
		}
	}
}

// unacknowledged reports whether the referring record of link i rests on a lost one without
// acknowledging the loss. Verifying it later does not count, because the loss may have been
// overlooked.
func (d *deriver) unacknowledged(i int32, l *Link) bool {
	since := d.list.At(l.To).Since
	return restsOnTarget(l) && !(d.Acknowledged(i) >= since && d.Verified(l.From) >= since)
}

// lostLinks yields the links over which the loss of record n affects others.
func (d *deriver) lostLinks(n int32) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		for _, i := range d.resting[d.start[n]:d.start[n+1]] {
			l := d.Link(i)
			if (d.unacknowledged(i, &l) || d.unsupported != nil && d.unsupported[l.From]) && !yield(l) {
				return
			}
		}
	}
}

// loseSupport applies a loss over link i. It returns true if the referring record has now lost
// everything that it rests on.
func (d *deriver) loseSupport(i int32, l *Link) (lost bool) {
	bond := l.Bond.Bond()
	if d.unacknowledged(i, l) {
		left := &d.remaining[l.From]
		left[bond.Rests]--
		lost = left[bond.Rests] == 0 && (bond.Rests != Sources || !d.hasEvidence(l.From))
	}
	if d.unsupported == nil {
		return lost
	}
	if bond.IsEvidence() {
		d.evidence[l.From]--
	}
	d.listsLost[l.From] = d.listsLost[l.From] || bond.IsListed()
	d.unsupported[l.From] = d.listsLost[l.From] && d.evidence[l.From] == 0
	return lost || d.unsupported[l.From]
}

// spreadLoss marks retracted records and those that become unsupported.
func (d *deriver) spreadLoss(roots []Event) {
	for _, e := range roots {
		d.list.set(e.Record, Entry{Standing: Retracted, Cause: Retraction, Since: e.Retracted, Because: -1})
	}
	var queue []int32
	for _, root := range roots {
		queue = append(queue[:0], root.Record)
		for len(queue) > 0 {
			n := queue[0]
			queue = queue[1:]
			for _, i := range d.resting[d.start[n]:d.start[n+1]] {
				l := d.Link(i)
				if all := d.loseSupport(i, &l); !all || d.list.At(l.From).Standing.IsLost() {
					continue
				}
				d.list.set(l.From, Entry{Standing: Unsupported, Cause: Retraction, Since: root.Retracted, Because: -1})
				queue = append(queue, l.From)
			}
		}
	}
}

// hasEvidence reports whether a record rests on other records than sources.
func (d *deriver) hasEvidence(n int32) bool {
	for _, left := range d.remaining[n][Sources+1:] {
		if left != 0 {
			return true
		}
	}
	return false
}

// findPaths sets the next step on the shortest path to a cause for each affected record, level by
// level. An unsupported record is explained by its last loss.
func (d *deriver) findPaths(roots []Event) {
	steps := make([]int32, d.list.n) // distance plus one
	var level, next []int32
	for _, e := range roots {
		steps[e.Record] = 1
		level = append(level, e.Record)
	}
	for depth := int32(2); len(level) > 0; depth++ {
		for _, n := range level {
			for l := range d.lostLinks(n) {
				is, since := d.list.At(l.From), d.list.At(n).Since
				switch {
				case steps[l.From] != 0 && steps[l.From] < depth,
					is.Standing == Unsupported && is.Since != since:
					continue
				case steps[l.From] == 0:
					steps[l.From] = depth
					if is.Standing == Unsupported {
						next = append(next, l.From)
					} else {
						is = Entry{Standing: Weakened, Cause: Retraction}
					}
				case d.Compare(is.Because, n) <= 0:
					continue
				}
				is.Because, is.Since = n, since
				d.list.set(l.From, is)
			}
		}
		level, next = next, level[:0]
	}
}

// markChanges marks records with concerns, partial retractions or open questions, and those whose
// sources or supports changed after they were verified.
func (d *deriver) markChanges(events []Event) {
	changed := make([]Event, 0)
	for _, e := range events {
		if e.Noted > d.Verified(e.Record) && d.Verified(e.Record) != 0 {
			d.setIfWorse(e.Record, Entry{SourceChanged, SourceUpdate, e.Noted, -1})
		}
		if e.Undecided != 0 {
			d.setIfWorse(e.Record, Entry{Undecided, Publication, e.Undecided, -1})
		}
		if e.Concern != 0 {
			d.setIfWorse(e.Record, Entry{InQuestion, Concern, e.Concern, -1})
		}
		if e.Partial != 0 {
			d.setIfWorse(e.Record, Entry{PartlyRetracted, PartialRetraction, e.Partial, -1})
		}
		if e.Changed != 0 {
			changed = append(changed, e)
		}
	}
	lost := d.resting != nil
	if len(changed) == 0 && !lost {
		return
	}
	when := make([]int32, d.list.n) // index in changed, plus one
	for i, e := range changed {
		when[e.Record] = int32(i) + 1
	}
	for i := range int32(d.Links()) {
		l := d.Link(i)
		bond := l.Bond.Bond()
		if bond.Changes == Stands || l.To < 0 || l.From == l.To || d.Verified(l.From) == 0 {
			continue
		}
		if c := when[l.To]; c != 0 && changed[c-1].Changed > d.Verified(l.From) {
			d.setIfWorse(l.From, Entry{bond.Changes, changed[c-1].Cause, changed[c-1].Changed, l.To})
		}
		to := d.list.At(l.To)
		if lost && to.Standing.IsLost() && bond.Rests == NoGroup && to.Since > d.Verified(l.From) {
			d.setIfWorse(l.From, Entry{bond.Changes, Retraction, to.Since, l.To})
		}
	}
}

// markDue marks the records that were verified too long ago.
func (d *deriver) markDue(today Day) {
	for i := range int32(d.list.n) {
		if due := d.DueOn(i); due != 0 && due <= today {
			d.setIfWorse(i, Entry{Due, WasVerified, d.Verified(i), -1})
		}
	}
}

// setIfWorse sets the standing of record n to entry to, unless its current standing is worse, or is
// as bad with an earlier cause.
func (d *deriver) setIfWorse(n int32, to Entry) {
	is := d.list.At(n)
	switch {
	case is.Standing > to.Standing:
		return
	case is.Standing == to.Standing:
		order := cmp.Or(cmp.Compare(is.Since, to.Since), cmp.Compare(to.Cause, is.Cause))
		if order == 0 && is.Because >= 0 && to.Because >= 0 {
			order = d.Compare(is.Because, to.Because)
		} else if order == 0 {
			order = cmp.Compare(is.Because, to.Because)
		}
		if order <= 0 {
			return
		}
	}
	d.list.set(n, to)
}
