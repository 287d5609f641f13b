package records

import (
	"cmp"
	"slices"

	"stele/internal/show/site/cards"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the records about a subject: figures, claims, signals and others.
var (
	aboutForm = markup.Parse(`<section id="about"><h2>{=AboutHead}</h2><div class="groups">{groups}</div></section>`)
)

// aboutKinds lists kinds in the order of sections on pages of subjects. Other kinds come last.
var aboutKinds = []string{
	record.KindProofClaim, record.KindSignal, record.KindEvidence, record.KindOpportunity, record.KindRecommendation,
	record.KindDecisionView, record.KindPublicReference, record.KindSourceObject, record.KindEntity,
}

// inAboutOrder returns all kinds in the order of pages of subjects.
func inAboutOrder() []*record.Kind {
	place := func(k *record.Kind) int {
		if i := slices.Index(aboutKinds, k.Name); i >= 0 {
			return i
		}
		return len(aboutKinds)
	}
	return slices.SortedStableFunc(slices.Values(record.Kinds), func(a, b *record.Kind) int {
		return cmp.Compare(place(a), place(b))
	})
}

// about collects the records about a subject.
type about struct {
	ids     map[string][]string // of records, by kind
	seen    map[string]bool
	figures []lookup.Figures
}

// Figures draws statistics on the pages of records.
type Figures interface {
	// Multiples shows indicators, each with its latest value and a small chart.
	Multiples(p *frame.Page, head string, list []lookup.Figures)
	// Cited draws the series of cited statistics, with their values.
	Cited(p *frame.Page, ids []record.ID)
	// Line writes the latest value of an indicator with a small chart, and its change.
	Line(p *frame.Page, x *lookup.Indicator)
	// Latest returns the latest value of an indicator in the area with an index, in words.
	Latest(p *frame.Page, x *lookup.Indicator, area int) string
	// LatestOfAll returns the value that represents all areas of an indicator.
	LatestOfAll(p *frame.Page, x *lookup.Indicator) string
	// Updates returns the updates of an indicator's figures in a release, of one type of change.
	Updates(p *frame.Page, x *lookup.Indicator, release, change string) []string
	// AreaFiles reports whether areas have files of their own.
	AreaFiles() bool
	// Card adds the first of these series to a picture.
	Card(p *frame.Page, ids []record.ID, c *cards.Card)
}

// writeEntity writes the records about rec, an entity: the figures of a place, an indicator or a
// topic, then claims, signals and others.
func (p *page) writeEntity(rec record.Record) {
	id := string(rec.Common().ID)
	k, i, _ := p.Records.Find(id)
	a := about{ids: map[string][]string{}, seen: map[string]bool{id: true}}
	place := p.PlaceBy(id)
	if place != nil {
		a.figures = place.Figures
		p.addCiting(&a, place.Figures)
	}
	p.addSubjectOf(&a, k, i, place == nil)
	p.writeAbout(&a)
	if place != nil {
		p.writePlaceValues(place)
	}
}

// addSubjectOf adds the records about record i of k.
func (p *page) addSubjectOf(a *about, k *record.Kind, i int, indicators bool) {
	for l := range p.Records.Edges(k, i) {
		if !l.Out && (l.Relation == record.RelationAbout || l.Relation == record.RelationClaimedBy) {
			p.addAbout(a, l.ID, indicators)
		}
	}
}

// sort returns the text above the title of rec: its kind or, for an entity, its type.
func (p *page) sort(k *record.Kind, rec record.Record) string {
	if e, ok := rec.(*record.Entity); ok {
		return p.Words.Written(words.EntityTypes, string(e.EntityType))
	}
	return p.Words.Singular(k)
}

// addAbout adds the record with the given ID, which is about the subject, and the claims that it is
// evidence for or against. If indicators is set, it adds the indicators that the record describes
// or cites as figures.
func (p *page) addAbout(a *about, id string, indicators bool) {
	k, i, ok := p.Records.Find(id)
	if !ok || a.seen[id] || !k.HasNode() {
		return
	}
	a.seen[id] = true
	x := p.IndicatorBy(id)
	switch {
	case x != nil && indicators:
		a.add(x)
		return
	case k.Name == record.KindHealthcareStatistic:
		return
	}
	a.ids[k.Name] = append(a.ids[k.Name], id)
	for l := range p.Records.Edges(k, i) {
		of, n, ok := p.Records.Find(l.ID)
		switch {
		case !ok || !l.Out:
		case k.Name == record.KindEvidence && of.Name == record.KindProofClaim && !a.seen[l.ID]:
			a.seen[l.ID] = true
			a.ids[of.Name] = append(a.ids[of.Name], l.ID)
		case indicators && k.Name == record.KindSignal && of.Name == record.KindHealthcareStatistic:
			if x := p.IndicatorOf(of, n); x != nil {
				a.add(x)
			}
		}
	}
}

// add adds an indicator, without duplicates.
func (a *about) add(x *lookup.Indicator) {
	if !slices.ContainsFunc(a.figures, func(f lookup.Figures) bool { return f.Indicator == x }) {
		a.figures = append(a.figures, lookup.Figures{Indicator: x, Records: x.Records})
	}
}

// addCiting adds the records that cite statistics in list.
func (p *page) addCiting(a *about, list []lookup.Figures) {
	k := record.KindNamed(record.KindHealthcareStatistic)
	for _, f := range list {
		for _, i := range f.Records {
			for l := range p.Records.Edges(k, int(i)) {
				if p.restsOn(k, l, true) {
					p.addAbout(a, l.ID, false)
				}
			}
		}
	}
}

// writeAbout writes the records collected in a.
func (p *page) writeAbout(a *about) {
	if len(a.figures) > 0 {
		p.of.figures.Multiples(p.Page, p.Words.FiguresHead, a.figures)
	}
	if len(a.ids) == 0 {
		return
	}
	p.Fill(aboutForm, markup.Each("groups", inAboutOrder(), func(k *record.Kind) { p.writeAboutKind(k, a.ids[k.Name]) }))
}

func (p *page) writeAboutKind(k *record.Kind, ids []string) {
	if len(ids) == 0 {
		return
	}
	slices.Sort(ids)
	p.writeLinkGroup(p.Words.Name(k), len(ids), ids[:min(len(ids), 2*perGroup)], p.writeLabelledLink)
}

// writeLabelledLink writes a link to a record with its label, standing and verification date.
func (p *page) writeLabelledLink(id string) {
	p.WriteLink(id)
	if d := p.Detail(id); d.Label != "" {
		p.HTML(" ")
		p.WritePlainBadge(d.List, d.Label)
	}
	p.WriteStandingBadge(p.StandingOf(id))
	p.writeStepVerified(id)
}
