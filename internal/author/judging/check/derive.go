package check

import (
	"cmp"
	"iter"
	"sort"
	"strings"
	"time"

	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/trust/standing"
	"stele/record"
)

// review says when records must be verified again.
type review struct {
	today standing.Day
	after []settings.Span // by kind; the zero Span means never
	zone  *time.Location  // the publisher's time zone
}

// Review sets the release date, and the time after which records of each kind must be verified
// again.
func (c *Checker) Review(today record.Date, s *settings.Settings) {
	c.review.today, c.review.zone = standing.DayOf(today), s.Zone()
	if len(s.ReviewAfter) > 0 {
		c.review.after = make([]settings.Span, len(record.Kinds))
		for i, k := range record.Kinds {
			c.review.after[i] = s.ReviewSpan(k)
		}
	}
}

// Derive computes all standings by the given edition of the rules. It runs no other rule.
func (c *Checker) Derive(rules standing.Edition) {
	c.standings = standing.Derive(&graph{c.index, c.primarySourceBond(), rules}, c.review.today)
}

// Standings returns the standings of all records, by record number, after CheckReferences or
// Derive.
func (c *Checker) Standings() standing.List { return c.standings }

// Graph returns the graph that standings are computed from, after all records are added.
func (c *Checker) Graph() standing.Graph {
	return &graph{c.index, c.primarySourceBond(), standing.Latest}
}

// graph presents the index as the graph that standings are computed from. Its links are the
// references, then the edges that publishers wrote, then one link for each record whose sources
// have no record.
type graph struct {
	*index
	primary standing.BondNumber
	rules   standing.Edition
}

func (x *index) deriveStandings() standing.List {
	return standing.Derive(&graph{x, x.primarySourceBond(), standing.Latest}, x.review.today)
}

// primarySourceBond returns the bond between a record and its primary source.
func (x *index) primarySourceBond() standing.BondNumber {
	for i := range standing.Bonds {
		if b := &standing.Bonds[i]; b.Member == "source_links.source_id" && b.Word == string(record.RolePrimary) {
			return standing.BondNumber(i)
		}
	}
	panic("check: the table of bonds lacks the primary source")
}

func (g *graph) Len() int                      { return g.entries.Len() }
func (g *graph) Verified(n int32) standing.Day { return g.entry(n).verified }
func (g *graph) Compare(a, b int32) int        { return strings.Compare(g.ID(a), g.ID(b)) }
func (g *graph) Links() int                    { return g.refs.Len() + len(g.edges) + g.Len() }

func (g *graph) HasListRule() bool { return g.rules >= standing.Lists }

func (g *graph) DueOn(n int32) standing.Day {
	e := g.entry(n)
	if g.review.after == nil || e.verified == 0 {
		return 0
	}
	return standing.DayOf(g.review.after[e.kind].After(e.verified.Date()))
}

func (g *graph) Link(i int32) standing.Link {
	if int(i) < g.refs.Len() {
		l := g.refs.At(int(i))
		return standing.Link{From: l.from, To: g.definerOf(l.to), Bond: g.positionOf(l).bond}
	}
	i -= int32(g.refs.Len())
	if int(i) < len(g.edges) {
		return g.writtenLink(&g.edges[i])
	}
	i -= int32(len(g.edges))
	if g.entry(i).flags&unnamed == 0 {
		return standing.Link{From: i, To: -1}
	}
	return standing.Link{From: i, To: -1, Bond: g.primary}
}

// writtenLink returns an edge that a publisher wrote as a link, from the record that rests on the
// other.
func (g *graph) writtenLink(e *edge) standing.Link {
	from, to := g.recordAtNode(e.source), g.recordAtNode(e.target)
	if !e.directed || from < 0 || to < 0 {
		return standing.Link{From: e.entry, To: -1}
	}
	bond := standing.EdgeBond(e.relation)
	if bond.Bond().Backward {
		from, to = to, from
	}
	return standing.Link{From: from, To: to, Bond: bond}
}

// recordAtNode returns the record at an end of an edge. A graph node that a publisher wrote
// represents another record.
func (x *index) recordAtNode(name int32) int32 {
	n := x.definerOf(name)
	if n < 0 || x.kindOf(n).Name != record.KindGraphNode {
		return n
	}
	for i, to := x.referenceRange(n); i < to; i++ {
		if l := x.refs.At(int(i)); x.declarationOf(l).Path[0] == "record_id" {
			return x.definerOf(l.to)
		}
	}
	return -1
}

func (g *graph) Acknowledged(link int32) standing.Day {
	i := sort.Search(g.says.Len(), func(i int) bool { return g.says.At(i).ref >= link })
	if i < g.says.Len() && g.says.At(i).ref == link {
		return g.says.At(i).day
	}
	return 0
}

// Events returns the events in the records themselves, and the replacements of records.
func (g *graph) Events() iter.Seq[standing.Event] {
	return func(yield func(standing.Event) bool) {
		replaced := g.replacedRecords()
		for e := range g.events.All {
			event := *e
			if day := replaced[e.Record]; day > event.Changed {
				event.Changed, event.Cause = day, standing.Replacement
			}
			delete(replaced, e.Record)
			if g.rules < standing.Concerns {
				event.Undecided, event.Concern, event.Partial = 0, 0, 0
			}
			if !yield(event) {
				return
			}
		}
		for n, day := range replaced { // in any order
			if !yield(standing.Event{Record: n, Changed: day, Cause: standing.Replacement}) {
				return
			}
		}
	}
}

// replacedRecords returns the replaced records, with the day of the replacement.
func (g *graph) replacedRecords() map[int32]standing.Day {
	list := map[int32]standing.Day{}
	for i := range g.edges {
		if e := &g.edges[i]; e.relation == record.RelationReplaces && e.directed {
			if from, to := g.recordAtNode(e.source), g.recordAtNode(e.target); from >= 0 && to >= 0 && from != to {
				list[to] = max(list[to], g.entry(from).published)
			}
		}
	}
	for l := range g.replacements() {
		if by := g.definerOf(l.to); by >= 0 && by != l.from {
			list[l.from] = max(list[l.from], g.entry(by).published)
		}
	}
	return list
}

// checkStandings reports records that are no longer valid, with the cause. Retracted records are
// not reported.
func (x *index) checkStandings(report func(...schema.Problem)) {
	for n := range x.standings.All() {
		if p, ok := x.standingProblem(n); ok {
			report(p)
		}
	}
}

// standingCause returns the cause of a standing: sig-a → sta-b, retracted 2026-03-01.
func (x *index) standingCause(n int32) string {
	var names []string
	for at := range x.standings.Path(n) {
		names = append(names, x.ID(at))
	}
	return joinChain(names) + ": " + x.standings.At(n).Cause.String() + " " + x.standings.At(n).Since.String()
}

func (x *index) standingProblem(n int32) (p schema.Problem, ok bool) {
	s := x.standings.At(n)
	verified := "verified on " + x.entry(n).verified.String()
	var code codes.Code
	var message, fix string
	switch s.Standing {
	case standing.Unsupported:
		if unsaid, all := x.unacknowledgedLoss(n); !all {
			return x.unsupportedProblem(n, unsaid), unsaid != nil
		} else if unsaid != nil {
			fix = x.unsupportedFix(n, unsaid)
		}
		code, message = codes.RetractedSupport, "everything that the record rests on was retracted: "+x.standingCause(n)
		fix = cmp.Or(fix, "name its remaining support, or retract the record; if it is valid anyway, say so in "+x.acknowledgingMember(s.Because)+", and verify it again")
	case standing.Weakened:
		code, message = codes.RetractionUnsaid, "a record that this one rests on was retracted: "+x.standingCause(n)
		fix = "remove the reference, or explain in " + x.acknowledgingMember(s.Because) + " what this means for the record, and verify it again"
	case standing.SourceChanged, standing.SupportChanged:
		if s.Because < 0 && x.entry(n).flags&stale != 0 { // already reported at its dates
			return p, false
		}
		code, message = codes.VerifiedBeforeUpdate, verified+", but "+x.standingCause(n)
		fix = "compare the record with its sources again, and set verification_date to the day of the comparison"
	case standing.Due:
		code, message = codes.ReviewDue, verified+", longer ago than review_after allows"
		fix = "compare the record with its sources, then run stele reverify " + x.ID(n)
	default:
		return p, false
	}
	if l := x.findReference(n, s.Because); l != nil {
		return x.refProblem(code, l, message, fix), true
	}
	return x.newProblem(code, n, "", schema.Pos{}, message, fix), true
}

// unacknowledgedLoss returns the first lost evidence of a claim that the claim does not
// acknowledge. all is false if the claim has other support, or acknowledges some lost evidence.
func (x *index) unacknowledgedLoss(n int32) (first *refEntry, all bool) {
	lost, supports, held := 0, 0, 0
	g := &graph{x, 0, standing.Latest}
	for i, end := x.referenceRange(n); i < end; i++ {
		l := x.refs.At(int(i))
		bond, to := x.positionOf(l).bond.Bond(), x.definerOf(l.to)
		if !bond.IsListed() {
			continue
		}
		known := to < 0 || !x.standings.At(to).Standing.IsLost()
		if !known {
			lost++
			since := x.standings.At(to).Since
			known = g.Acknowledged(i) >= since && x.entry(n).verified >= since
		}
		if bond.Rests != standing.NoGroup {
			supports++
			if known {
				held++
			}
		}
		if !known && first == nil {
			first = l
		}
	}
	return first, lost == 0 || supports > 0 && held == 0
}

// unsupportedProblem returns the problem of a claim whose evidence is lost, so that no evidence
// bears on the claim any more.
func (x *index) unsupportedProblem(n int32, l *refEntry) schema.Problem {
	if l == nil {
		return schema.Problem{}
	}
	return x.refProblem(codes.RetractionUnsaid, l,
		"the claim is unsupported, because all evidence that supports, qualifies or disputes it was retracted: "+x.standingCause(n),
		x.unsupportedFix(n, l))
}

// unsupportedFix returns the remedy for a claim whose evidence is lost.
func (x *index) unsupportedFix(n int32, l *refEntry) string {
	return "name valid evidence, or retract the claim (stele retract " + x.ID(n) + "); or leave it unsupported, say so in " + x.acknowledgingMember(x.definerOf(l.to)) + ", and verify it again"
}

// acknowledgingMember returns the member in which a record acknowledges that another record was
// lost.
func (x *index) acknowledgingMember(other int32) string {
	if x.kindOf(other).Name == record.KindSourceObject {
		return "a source update with source_id: " + x.ID(other)
	}
	return "a correction with because_of: [" + x.ID(other) + "] (stele correct --because-of)"
}

// findReference returns the reference from record n to record to, or nil.
func (x *index) findReference(n, to int32) *refEntry {
	if to < 0 {
		return nil
	}
	for i, end := x.referenceRange(n); i < end; i++ {
		l := x.refs.At(int(i))
		bond := x.positionOf(l).bond.Bond()
		if x.definerOf(l.to) == to && (bond.Changes != standing.Stands || bond.IsListed()) {
			return l
		}
	}
	return nil
}
