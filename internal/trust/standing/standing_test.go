package standing

import (
	"cmp"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// graph is a graph in plain slices.
type graph struct {
	verified, due []Day
	links         []Link
	said          []Day // by link
	events        []Event
	early         bool // by the rules from before lists decided
}

func (g *graph) Len() int                    { return len(g.verified) }
func (g *graph) Verified(n int32) Day        { return g.verified[n] }
func (g *graph) DueOn(n int32) Day           { return g.due[n] }
func (g *graph) Compare(a, b int32) int      { return cmp.Compare(a, b) }
func (g *graph) Links() int                  { return len(g.links) }
func (g *graph) Link(i int32) Link           { return g.links[i] }
func (g *graph) Acknowledged(link int32) Day { return g.said[link] }
func (g *graph) HasListRule() bool           { return !g.early }
func (g *graph) Events() iter.Seq[Event]     { return slices.Values(g.events) }

const today = 20261115

// days are few, so that they meet.
var days = rapid.Map(rapid.IntRange(1, 9), func(n int) Day { return 20260100 + Day(n) })

func drawGraph(t *rapid.T) *graph {
	size := rapid.IntRange(1, 9).Draw(t, "size")
	g := &graph{verified: make([]Day, size), due: make([]Day, size), early: rapid.Bool().Draw(t, "early")}
	for n := range size {
		g.verified[n] = days.Draw(t, "verified")
		g.due[n] = rapid.SampledFrom([]Day{0, 0, today - 1, today, today + 1}).Draw(t, "due")
		if rapid.IntRange(0, 2).Draw(t, "happened") == 0 {
			e := Event{Record: int32(n), Cause: Correction}
			for _, day := range []*Day{&e.Retracted, &e.Changed, &e.Noted, &e.Undecided, &e.Concern, &e.Partial} {
				if rapid.Bool().Draw(t, "this") {
					*day = days.Draw(t, "day")
				}
			}
			g.events = append(g.events, e)
		}
	}
	for range rapid.IntRange(0, 20).Draw(t, "links") {
		l := Link{
			From: rapid.Int32Range(0, int32(size)-1).Draw(t, "from"), To: rapid.Int32Range(-1, int32(size)-1).Draw(t, "to"),
			Bond: BondNumber(rapid.IntRange(0, len(Bonds)-1).Draw(t, "bond")),
		}
		said := Day(0)
		if rapid.IntRange(0, 3).Draw(t, "says") == 0 {
			said = days.Draw(t, "said")
		}
		g.links, g.said = append(g.links, l), append(g.said, said)
	}
	return g
}

// oracle says the same as Derive, slowly, from the words of docs/standing.md.
type oracle struct {
	*graph
	since map[int32]Day // of the records that are lost
}

// bears reports whether a loss reaches a record over a link, by a day.
func (o *oracle) bears(i int, by Day) bool {
	l := o.links[i]
	day, lost := o.since[l.To]
	return lost && day <= by && l.From != l.To && !(o.said[i] >= day && o.verified[l.From] >= day)
}

// bare reports whether the list of a record names evidence that is lost by a day, and nothing that
// bears on the record holds.
func (o *oracle) bare(n int32, by Day) bool {
	named := false
	for _, l := range o.links {
		if l.From != n || l.To == n {
			continue
		}
		day, lost := o.since[l.To]
		if lost = lost && day <= by; !lost && l.Bond.Bond().IsEvidence() {
			return false
		}
		named = named || lost && l.Bond.Bond().IsListed()
	}
	return named && !o.early
}

// explains reports whether a loss over a link is one that the standing of a record comes from.
func (o *oracle) explains(i int) bool {
	l := o.links[i]
	if bond := l.Bond.Bond(); bond.Rests != NoGroup && o.bears(i, today) {
		return true
	} else if !bond.IsListed() && !bond.IsEvidence() || l.From == l.To {
		return false
	}
	_, lost := o.since[l.To]
	return lost && o.bare(l.From, today)
}

// unsupported reports whether a record has lost all of a group, or all evidence, by a day.
func (o *oracle) unsupported(n int32, by Day) bool {
	if o.bare(n, by) {
		return true
	}
	have, lost := [groups]int{}, [groups]int{}
	for i, l := range o.links {
		if group := l.Bond.Bond().Rests; l.From == n && l.From != l.To && group != NoGroup {
			have[group]++
			if o.bears(i, by) {
				lost[group]++
			}
		}
	}
	argues := have[Evidence]+have[Opportunities]+have[Recommendations] > 0
	for group := Sources; group < groups; group++ {
		if have[group] > 0 && have[group] == lost[group] && (group != Sources || !argues) {
			return true
		}
	}
	return false
}

func (o *oracle) standings() []Entry {
	list := make([]Entry, o.Len())
	retracted := map[int32]bool{}
	for _, e := range o.events {
		if e.Retracted != 0 {
			retracted[e.Record] = true
		}
	}
	o.since = map[int32]Day{}
	for day := Day(20260101); day < 20260110; day++ {
		for _, e := range o.events {
			if e.Retracted == day {
				o.since[e.Record] = day
			}
		}
		for again := true; again; {
			again = false
			for n := range int32(o.Len()) {
				if _, lost := o.since[n]; !lost && !retracted[n] && o.unsupported(n, day) {
					o.since[n], again = day, true
				}
			}
		}
	}
	for n := range int32(o.Len()) {
		list[n] = o.standing(n, retracted)
	}
	return list
}

// steps is how far a lost record is from what was retracted, over what was lost on the same day.
func (o *oracle) steps(n int32, retracted map[int32]bool, most int) int {
	if retracted[n] {
		return 0
	}
	best := 1000
	for i, l := range o.links {
		if l.From == n && o.explains(i) && o.since[l.To] == o.since[n] &&
			most > 0 {
			best = min(best, 1+o.steps(l.To, retracted, most-1))
		}
	}
	return best
}

func (o *oracle) standing(n int32, retracted map[int32]bool) Entry {
	since, lost := o.since[n]
	if retracted[n] {
		return Entry{Retracted, Retraction, since, -1}
	}
	best, near := Entry{Because: -1}, 1000
	for i, l := range o.links {
		if l.From != n || !o.explains(i) || lost && o.since[l.To] != since {
			continue
		}
		if steps := o.steps(l.To, retracted, o.Len()); steps < near || steps == near && l.To < best.Because {
			best, near = Entry{Weakened, Retraction, o.since[l.To], l.To}, steps
		}
	}
	if lost {
		best.Standing = Unsupported
	}
	if own := o.changed(n); own.Standing > best.Standing {
		return own
	}
	return best
}

func (o *oracle) changed(n int32) Entry {
	verified := o.verified[n]
	candidates := []Entry{{Because: -1}}
	if o.due[n] != 0 && o.due[n] <= today {
		candidates = append(candidates, Entry{Due, WasVerified, verified, -1})
	}
	for _, e := range o.events {
		if e.Record == n && e.Noted > verified {
			candidates = append(candidates, Entry{SourceChanged, SourceUpdate, e.Noted, -1})
		}
		if e.Record == n && e.Undecided != 0 {
			candidates = append(candidates, Entry{Undecided, Publication, e.Undecided, -1})
		}
		if e.Record == n && e.Concern != 0 {
			candidates = append(candidates, Entry{InQuestion, Concern, e.Concern, -1})
		}
		if e.Record == n && e.Partial != 0 {
			candidates = append(candidates, Entry{PartlyRetracted, PartialRetraction, e.Partial, -1})
		}
		for _, l := range o.links {
			if l.From == n && l.To == e.Record && l.To != n && e.Changed > verified {
				candidates = append(candidates, Entry{l.Bond.Bond().Changes, e.Cause, e.Changed, l.To})
			}
		}
	}
	for _, l := range o.links {
		since, lost := o.since[l.To]
		if l.From == n && l.To != n && lost && since > verified && l.Bond.Bond().Rests == NoGroup {
			candidates = append(candidates, Entry{l.Bond.Bond().Changes, Retraction, since, l.To})
		}
	}
	candidates = slices.DeleteFunc(candidates, func(e Entry) bool { return e.Standing == Stands && e.Because >= 0 })
	return slices.MinFunc(candidates, func(a, b Entry) int {
		return cmp.Or(
			cmp.Compare(b.Standing, a.Standing), cmp.Compare(a.Since, b.Since),
			cmp.Compare(b.Cause, a.Cause), cmp.Compare(a.Because, b.Because),
		)
	})
}

func entries(l List) (all []Entry) {
	for _, e := range l.All() {
		all = append(all, e)
	}
	return all
}

// TestDeriveIsWhatTheTableSays: on any graph, circles too, Derive agrees with the slow oracle.
func TestDeriveIsWhatTheTableSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		got, want := Derive(g, today), (&oracle{graph: g}).standings()
		if !slices.Equal(entries(got), want) {
			t.Fatalf("%+v\n has %v,\nand is %v", g, entries(got), want)
		}
		for n, is := range got.All() {
			path := slices.Collect(got.Path(n))
			if len(path) > g.Len() || path[0] != n {
				t.Fatalf("the path of %d is %v", n, path)
			}
			end := got.At(path[len(path)-1])
			if is.Cause == Retraction && (end.Standing != Retracted || end.Since != is.Since) {
				t.Fatalf("%v is explained by %v, which ends at %v", is, path, end)
			}
		}
	})
}

// TestTakingBack: where a retraction is taken back, all is as it was before.
func TestTakingBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		before := Derive(g, today)
		events := g.events
		g.events = slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return e.Record == 0 })
		g.events = append(g.events, Event{Record: 0, Retracted: days.Draw(t, "retracted")})
		if after := Derive(g, today); after.At(0).Standing != Retracted {
			t.Fatalf("retracted, and %v", after.At(0))
		}
		g.events = events
		if after := Derive(g, today); !slices.Equal(entries(before), entries(after)) {
			t.Fatalf("%v became %v", entries(before), entries(after))
		}
	})
}

// TestOrderDoesNotMatter: in whichever order links and events come, the standings are the same.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		before := Derive(g, today)
		order := rapid.Permutation(slices.Collect(numbers(len(g.links)))).Draw(t, "links")
		links, said := slices.Clone(g.links), slices.Clone(g.said)
		for i, from := range order {
			links[i], said[i] = g.links[from], g.said[from]
		}
		g.links, g.said = links, said
		g.events = rapid.Permutation(g.events).Draw(t, "events")
		if after := Derive(g, today); !slices.Equal(entries(before), entries(after)) {
			t.Fatalf("%v became %v", entries(before), entries(after))
		}
	})
}

func numbers(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func TestDay(t *testing.T) {
	if d := DayOf("2026-01-09"); d != 20260109 || d.Date() != "2026-01-09" {
		t.Errorf("%d, %s", d, d.Date())
	}
	if d := DayOf("2026-02-30"); d != 0 {
		t.Errorf("%d for no day", d)
	}
}
