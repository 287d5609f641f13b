package records

import (
	"slices"

	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of a record's trace: the records that it rests on, and the records that rest on it.
var (
	traceForm = markup.Parse(`
		<section id="{id}" class="trace"><details{open}>
			<summary><h2>{title} <span class="count">{count}</span></h2></summary>
			<p class="quiet">{text}</p>
			{steps}
		</details></section>`)
	stepsForm = markup.Parse(`<ul>{steps}{?more}<li class="quiet">{count}</li>{/}</ul>`)
	stepForm  = markup.Parse(`<li><div class="step">{?kind}<span class="kind">{kind}</span> {/}{title}{label}{standing}{verified}{?weakest} <strong class="weakest">{=TraceWeakest}</strong>{/}</div>{below}</li>`)
	alikeForm = markup.Parse(`
		<li><div class="step"><span class="kind">{kind}</span> <ul class="alike">{links}</ul>{verified}</div>{below}</li>`)
	belowForm = markup.Parse(`
		<details{open}>
			<summary>{further} <span class="count">{count}</span></summary>
			{steps}
		</details>`)
	stepValueForm    = markup.Parse(` <strong>{value}</strong> {unit}`)
	stepVerifiedForm = markup.Parse(` <span class="quiet">{=CiteVerified} {date}</span>`)
)

// The limits on how far a page follows the links of a trace.
const (
	traceDepth = 5  // from a decision down to the sources
	traceMost  = 40 // records in total; the others are on the pages of these
	traceEach  = 12 // records under one
)

// step is a record in a trace with the steps below it.
type step struct {
	id    string
	ref   *lookup.Reference
	below []step
	more  int // number of steps not shown
}

// restsOn reports whether the link l of a record of kind k means that the record rests on the
// linked record or, if up is set, that the linked record rests on it.
func (p *page) restsOn(k *record.Kind, l standing.Neighbor, up bool) bool {
	down := l.Out != up
	switch l.Relation {
	case record.RelationSupports:
		return !down
	case record.RelationDerivedFrom, record.RelationRespondsTo, record.RelationRecommends:
		return down
	case record.RelationCites: // citing a source does not mean resting on it
		if down && !up {
			k = p.Refer(l.ID).Kind
		}
		return down && (k == nil || k.Name != record.KindSourceObject)
	}
	return false
}

// followLinks returns the steps for ids with the steps below them, in the direction up. It does not
// follow the same record twice. more is the number of records omitted.
func (p *page) followLinks(ids []string, up bool, depth int, seen map[string]bool) (list []step, more int) {
	for _, id := range ids {
		if len(list) == traceEach || len(seen) >= traceMost {
			more = len(ids) - len(list)
			break
		}
		s := step{id: id, ref: p.Refer(id)}
		known := seen[id]
		seen[id] = true
		if k, i, ok := p.Records.Find(id); ok && !known && depth > 1 && k.HasNode() {
			s.below, s.more = p.followLinks(p.cachedNextRecords(s.ref, k, i, up), up, depth-1, seen)
		}
		list = append(list, s)
	}
	return slices.DeleteFunc(list, func(s step) bool { return len(s.below) == 0 && standsBelow(list, s.id) }), more
}

// standsBelow reports whether the record with the given ID is below a step in list, so that it need
// not be next to the steps.
func standsBelow(list []step, id string) bool {
	return slices.ContainsFunc(list, func(s step) bool {
		return slices.ContainsFunc(s.below, func(b step) bool { return b.id == id }) || standsBelow(s.below, id)
	})
}

// cachedNextRecords is like nextRecords, but caches the result. Each of a hundred thousand records
// may rest on the same source, and following its edges each time would take quadratic time.
func (p *page) cachedNextRecords(r *lookup.Reference, k *record.Kind, i int, up bool) []string {
	ids := &r.Below
	if up {
		ids = &r.Above
	}
	if *ids == nil {
		*ids = p.nextRecords(k, i, up)
	}
	return *ids
}

// nextRecords returns the records that record i of k rests on or, if up is set, those that rest on
// it.
func (p *page) nextRecords(k *record.Kind, i int, up bool) []string {
	ids := []string{}
	for l := range p.Records.Edges(k, i) {
		if p.restsOn(k, l, up) {
			if !slices.Contains(ids, l.ID) {
				ids = append(ids, l.ID)
			}
			if len(ids) > 4*traceEach { // enough to count that there are more
				break
			}
		}
	}
	return ids
}

// writeTrace writes the records that a record rests on, down to the sources, with the weakest step
// marked, and the records that rest on it.
func (p *page) writeTrace(k *record.Kind, i int) {
	for _, h := range []struct {
		id, title, text string
		further         string // heading above the steps below a step
		up              bool
	}{
		{"rests-on", p.Words.TraceDown, p.Words.TraceDownText, p.Words.TraceBelow, false},
		{"bears", p.Words.TraceUp, p.Words.TraceUpText, p.Words.TraceAbove, true},
	} {
		seen := map[string]bool{p.Records.ID(k, i): true}
		list, more := p.followLinks(p.nextRecords(k, i, h.up), h.up, traceDepth, seen)
		if len(list) == 0 {
			continue
		}
		weakest, open := "", h.up && k.Name == record.KindSourceObject // for a source, that is what readers look for
		if !h.up {
			weakest = p.weakestStep(list)
		}
		p.Fill(traceForm, markup.With("id", h.id), markup.By("open", func() { p.Either(open, " open", "") }),
			markup.With("title", h.title), markup.Number("count", len(list)+more), markup.With("text", h.text),
			markup.By("steps", func() { p.writeSteps(list, more, weakest, h.further, true) }))
	}
}

// mostOpen is the maximum number of steps next to each other that are unfolded.
const mostOpen = 3

// writeSteps writes list, which readers can unfold. It groups figures that differ only in values.
func (p *page) writeSteps(list []step, more int, weakest, further string, open bool) {
	var groups [][]step
	for rest := list; len(rest) > 0; rest = rest[len(groups[len(groups)-1]):] {
		groups = append(groups, p.splitAlike(rest, weakest))
	}
	open = open && len(groups) <= mostOpen
	p.Fill(stepsForm,
		markup.By("steps", func() {
			for _, g := range groups {
				if len(g) == 1 {
					p.writeStep(&g[0], weakest, further, open)
				} else {
					p.writeGroup(g, weakest, further, open)
				}
			}
		}),
		markup.ShowIf("more", more > 0), markup.With("count", p.Words.Counted(p.Words.AndMore, more)))
}

// splitAlike returns the first step of list with the following steps that differ from it only in
// their values: they have no pages, rest on the same records, and were verified on the same day.
func (p *page) splitAlike(list []step, weakest string) []step {
	first := &list[0]
	if first.ref.Kind == nil || first.ref.Kind.HasPage() {
		return list[:1]
	}
	plain := func(s *step) bool {
		return s.id != weakest && p.Detail(s.id).Label == "" && p.StandingOf(s.id) == standing.Stands
	}
	same := func(s *step) bool {
		return s.ref.Kind == first.ref.Kind && plain(s) && p.Detail(s.id).Verified == p.Detail(first.id).Verified &&
			s.more == first.more && slices.EqualFunc(s.below, first.below, func(a, b step) bool { return a.id == b.id })
	}
	n := 1
	for plain(first) && n < len(list) && same(&list[n]) {
		n++
	}
	return list[:n]
}

// writeGroup writes a group of similar steps, and the records that all of them rest on.
func (p *page) writeGroup(list []step, weakest, further string, open bool) {
	first := &list[0]
	p.Fill(alikeForm,
		markup.With("kind", p.Words.RecordCount(first.ref.Kind, len(list))),
		markup.Each("links", list, func(s step) {
			p.WriteItem(func() {
				p.WriteLink(s.id)
				p.writeStepValue(s.id)
			})
		}),
		markup.By("verified", func() { p.writeStepVerified(first.id) }),
		markup.By("below", func() { p.writeStepsBelow(first, weakest, further, open) }))
}

// writeStep writes a record and the steps below it, open or folded.
func (p *page) writeStep(s *step, weakest, further string, open bool) {
	d := p.Detail(s.id)
	p.Fill(stepForm,
		markup.When(s.ref.Kind != nil, "kind", func() { p.Text(p.Words.Singular(s.ref.Kind)) }),
		markup.By("title", func() { p.WriteLink(s.id) }),
		markup.By("label", func() {
			p.writeStepValue(s.id)
			if d.Label != "" {
				p.HTML(" ")
				p.WritePlainBadge(d.List, d.Label)
			}
		}),
		markup.By("standing", func() { p.WriteStandingBadge(p.StandingOf(s.id)) }),
		markup.By("verified", func() { p.writeStepVerified(s.id) }), markup.ShowIf("weakest", s.id == weakest),
		markup.By("below", func() { p.writeStepsBelow(s, weakest, further, open) }))
}

func (p *page) writeStepValue(id string) {
	if d := p.Detail(id); d.Value != "" {
		p.Fill(stepValueForm, markup.By("unit", func() { p.WritePublisherText(d.Unit) }), markup.By("value", func() {
			if d.Unit == "" { // the meaning of a code
				p.WritePublisherText(d.Value)
				return
			}
			p.Text(d.Value)
		}))
	}
}

// writeStepVerified writes the date on which a record was verified.
func (p *page) writeStepVerified(id string) {
	if date := p.Detail(id).Verified; date != "" {
		p.Fill(stepVerifiedForm, markup.By("date", func() { p.WriteDate(date) }))
	}
}

func (p *page) writeStepsBelow(s *step, weakest, further string, open bool) {
	if len(s.below) > 0 {
		p.Fill(belowForm, markup.By("open", func() { p.Either(open, " open", "") }),
			markup.With("further", further), markup.Number("count", len(s.below)+s.more),
			markup.By("steps", func() { p.writeSteps(s.below, s.more, weakest, further, open) }))
	}
}

// weakestStep returns the ID of the least reliable record in list: the record with the worst
// standing or, if all stand, the evidence with the lowest certainty of several.
func (p *page) weakestStep(list []step) string {
	worst, found, rated := 0, "", 0
	var walk func(list []step)
	walk = func(list []step) {
		for i := range list {
			weak := int(p.StandingOf(list[i].id)) * 10
			if d := p.Detail(list[i].id); d.List == words.EvidenceLabels {
				rated++
				weak += int(record.LabelHigh.Rank()) - int(record.EvidenceLabel(d.Label).Rank())
			}
			if weak > worst {
				worst, found = weak, list[i].id
			}
			walk(list[i].below)
		}
	}
	walk(list)
	if rated < 2 && worst < 10 {
		return ""
	}
	return found
}
