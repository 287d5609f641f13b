package standing

import (
	"cmp"
	"iter"
	"slices"
)

// Graph is what standings follow from: records, which are numbers from 0 on, and the links between
// them.
type Graph interface {
	// Len returns how many records there are.
	Len() int
	// Verified returns the day on which a record was last verified, or 0.
	Verified(n int32) Day
	// DueOn returns the day from which a record is due for review, or 0.
	DueOn(n int32) Day
	// Compare orders records, for where two paths are of one length.
	Compare(a, b int32) int
	// Links returns how many links there are.
	Links() int
	// Link returns a link by its number.
	Link(i int32) Link
	// Said returns the newest day on which the record that refers says what became of the other, in
	// a correction or source update; 0 for never.
	Said(link int32) Day
	// Lists reports whether a claim is unsupported if its list names lost evidence and nothing that
	// bears on the claim still holds. Releases of earlier versions of the rules do without.
	Lists() bool
	// Events returns what happened to records, each at most once, in any order.
	Events() iter.Seq[Event]
}

// Link is a reference from one record to another.
type Link struct {
	From int32
	To   int32 // -1 for something that is not known here, and so cannot be lost
	Bond BondNumber
}

// Event is what happened to a record.
type Event struct {
	Record    int32
	Retracted Day // when it was retracted, and not reinstated since; 0 for never
	Changed   Day // when it last changed in a way that concerns others
	Cause     Cause
	Noted     Day // when its sources last changed, by its own word
	Undecided Day // since when it is a question that is not decided; 0 for never
	Concern   Day // when concerns about it were raised that are not resolved; 0 for never
	Partial   Day // when a part of it was retracted, and not reinstated since; 0 for never
}

// Entry is the standing of a record.
type Entry struct {
	Standing Standing
	Cause    Cause
	Since    Day   // when what it comes from happened
	Because  int32 // the record that it comes from, in one step; -1 for the record itself
}

// List is the standings of all records, by their numbers. Nearly all records stand, so it keeps
// those that do not, and their neighbours.
type List struct {
	blocks []*[listBlock]Entry // nil where all stand
	n      int
}

const listBlock = 1 << 10

// stands is the standing of a record to which nothing happened.
var stands = Entry{Because: -1}

func newList(n int) List { return List{make([]*[listBlock]Entry, (n+listBlock-1)/listBlock), n} }

// Len returns how many records there are.
func (l List) Len() int { return l.n }

// At returns the standing of a record.
func (l List) At(n int32) Entry {
	if b := l.blocks[n/listBlock]; b != nil {
		return b[n%listBlock]
	}
	return stands
}

// All yields the standings in the order of the records' numbers.
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
			(*b)[i] = stands
		}
	}
	(*b)[n%listBlock] = e
}

// Path yields the records that explain the standing of a record, from the record itself to the one
// at which the cause happened.
func (l List) Path(n int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for yield(n) && l.At(n).Because >= 0 {
			is := l.At(n)
			// what changed below goes no further, unless it is that the other was lost
			last := !is.Standing.Lost() && is.Standing != Weakened && is.Cause != Retraction
			if n = is.Because; last {
				yield(n)
				return
			}
		}
	}
}

// Derive returns the standing of every record on a day, which is that of the release.
//
// It takes time in proportion to records and links. Loss spreads from the records that were
// retracted, in the order of time, to those that have lost all of a group, so that records that
// rest on one another in a circle are lost only if something else is. Then, step by step, each is
// given the next record on the shortest way to the cause.
func Derive(g Graph, today Day) List {
	d := deriver{Graph: g, list: newList(g.Len())}
	var events []Event
	for e := range g.Events() {
		events = append(events, e)
	}
	if roots := retractions(events); len(roots) > 0 {
		d.index()
		d.lose(roots)
		d.explain(roots)
	}
	d.change(events)
	d.review(today)
	return d.list
}

// retractions are the events that retract, in the order of time.
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
	// By record: where in resting the links begin of those that rest on it.
	start   []int32
	resting []int32 // numbers of links
	// By record: how many supports of each group it has left.
	left [][groups]int32
	// By record: how many pieces of evidence that bear on it still hold, whether its list names one
	// that is lost, and whether it is unsupported because of that. Nil if lists do not decide.
	bearing []int32
	named   []bool
	bare    []bool
}

// rests reports whether a link is one that a record rests on.
func rests(l *Link) bool { return l.Bond.Bond().Rests != NoGroup && l.From != l.To }

// follows reports whether a loss may pass over a link.
func (d *deriver) follows(l *Link) bool {
	return rests(l) || d.bare != nil && l.From != l.To && (l.Bond.Bond().Listed() || l.Bond.Bond().Bears())
}

// index finds the links over which a loss may pass to each record.
func (d *deriver) index() {
	d.left = make([][groups]int32, d.list.n)
	if d.Lists() {
		d.bearing, d.named, d.bare = make([]int32, d.list.n), make([]bool, d.list.n), make([]bool, d.list.n)
	}
	d.start = make([]int32, d.list.n+1)
	for i := range int32(d.Links()) {
		if l := d.Link(i); d.follows(&l) {
			d.left[l.From][l.Bond.Bond().Rests]++ // also of NoGroup, which nobody asks for
			if d.bare != nil && l.Bond.Bond().Bears() {
				d.bearing[l.From]++
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
		if l := d.Link(i); l.To >= 0 && d.follows(&l) {
			d.resting[next[l.To]] = i
			next[l.To]++
		}
	}
}

// unsaid reports whether a record rests on one that is lost, over link i, and does not say that it
// knows. A record that was verified later and says nothing may not have seen the loss.
func (d *deriver) unsaid(i int32, l *Link) bool {
	since := d.list.At(l.To).Since
	return rests(l) && !(d.Said(i) >= since && d.Verified(l.From) >= since)
}

// on yields the links over which the loss of record n reaches others.
func (d *deriver) on(n int32) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		for _, i := range d.resting[d.start[n]:d.start[n+1]] {
			l := d.Link(i)
			if (d.unsaid(i, &l) || d.bare != nil && d.bare[l.From]) && !yield(l) {
				return
			}
		}
	}
}

// lost takes a loss over link i into account, and reports whether the record that refers has lost
// all that it rests on.
func (d *deriver) lost(i int32, l *Link) (all bool) {
	bond := l.Bond.Bond()
	if d.unsaid(i, l) {
		left := &d.left[l.From]
		left[bond.Rests]--
		all = left[bond.Rests] == 0 && (bond.Rests != Sources || !d.argues(l.From))
	}
	if d.bare == nil {
		return all
	}
	if bond.Bears() {
		d.bearing[l.From]--
	}
	d.named[l.From] = d.named[l.From] || bond.Listed()
	d.bare[l.From] = d.named[l.From] && d.bearing[l.From] == 0
	return all || d.bare[l.From]
}

// lose spreads loss.
func (d *deriver) lose(roots []Event) {
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
				if all := d.lost(i, &l); !all || d.list.At(l.From).Standing.Lost() {
					continue
				}
				d.list.set(l.From, Entry{Standing: Unsupported, Cause: Retraction, Since: root.Retracted, Because: -1})
				queue = append(queue, l.From)
			}
		}
	}
}

// argues reports whether a record rests on more than sources.
func (d *deriver) argues(n int32) bool {
	for _, left := range d.left[n][Sources+1:] {
		if left != 0 {
			return true
		}
	}
	return false
}

// explain finds the shortest way to a cause for each record that lost something: the next step,
// level by level. What is unsupported is explained by what it lost last.
func (d *deriver) explain(roots []Event) {
	steps := make([]int32, d.list.n) // how far it is, plus one
	var level, next []int32
	for _, e := range roots {
		steps[e.Record] = 1
		level = append(level, e.Record)
	}
	for depth := int32(2); len(level) > 0; depth++ {
		for _, n := range level {
			for l := range d.on(n) {
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

// change marks the records that say something against themselves, and those whose sources or
// supports changed since they were verified.
func (d *deriver) change(events []Event) {
	changed := make([]Event, 0)
	for _, e := range events {
		if e.Noted > d.Verified(e.Record) && d.Verified(e.Record) != 0 {
			d.worsen(e.Record, Entry{SourceChanged, SourceUpdate, e.Noted, -1})
		}
		if e.Undecided != 0 {
			d.worsen(e.Record, Entry{Undecided, Publication, e.Undecided, -1})
		}
		if e.Concern != 0 {
			d.worsen(e.Record, Entry{InQuestion, Concern, e.Concern, -1})
		}
		if e.Partial != 0 {
			d.worsen(e.Record, Entry{PartlyRetracted, PartialRetraction, e.Partial, -1})
		}
		if e.Changed != 0 {
			changed = append(changed, e)
		}
	}
	lost := d.resting != nil
	if len(changed) == 0 && !lost {
		return
	}
	when := make([]int32, d.list.n) // number in changed, plus one
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
			d.worsen(l.From, Entry{bond.Changes, changed[c-1].Cause, changed[c-1].Changed, l.To})
		}
		if to := d.list.At(l.To); lost && to.Standing.Lost() && bond.Rests == NoGroup && to.Since > d.Verified(l.From) {
			d.worsen(l.From, Entry{bond.Changes, Retraction, to.Since, l.To})
		}
	}
}

// review marks the records that were verified too long ago.
func (d *deriver) review(today Day) {
	for i := range int32(d.list.n) {
		if due := d.DueOn(i); due != 0 && due <= today {
			d.worsen(i, Entry{Due, WasVerified, d.Verified(i), -1})
		}
	}
}

// worsen gives a record a standing, unless it has one that is as bad and comes from something
// earlier.
func (d *deriver) worsen(n int32, to Entry) {
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
