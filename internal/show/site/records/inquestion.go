package records

import (
	"cmp"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the page of all records that are in question.
var (
	questionForm = markup.Parse(`
		{heading}
		{?none}<p>{=InQuestionNone}</p>{/}
		{groups}
		<p class="quiet">{=InQuestionData} <a href="/` + layout.StandingPath + `"><code>/` + layout.StandingPath + `</code></a></p>`)
	questionGroupForm = markup.Parse(`
		<section id="{id}"><h2>{badge} <span class="count">{count}</span></h2>{?means}<p class="quiet">{means}</p>{/}
			<ul class="questions">{list}</ul>{more}
		</section>`)
	questionedForm = markup.Parse(`<li>{link} <span class="quiet">{kind}</span><p>{why}</p></li>`)
)

// questioned is a record that is in question.
type questioned struct {
	kind *record.Kind
	i    int
	is   standing.Entry
}

// isQuestioned reports whether a record with the standing is is in question. An open question, or a
// verification that is due, does not put it in question.
func isQuestioned(is standing.Standing) bool { return is > standing.Due }

// WriteInQuestion writes the page that lists all records that were retracted, lost their support or
// raise concerns, with the reasons. The worst standing comes first, and then the newest.
func (s *Section) WriteInQuestion() error {
	var list []questioned
	for _, k := range inAboutOrder() {
		for i := range s.Records.Len(k) {
			if is := s.Records.Standing(k, i); k.HasNode() && isQuestioned(is.Standing) {
				list = append(list, questioned{k, i, is})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b questioned) int {
		return cmp.Or(cmp.Compare(b.is.Standing, a.is.Standing), cmp.Compare(b.is.Since, a.is.Since))
	})
	return s.Put(layout.InQuestionPage, func(p *page) {
		p.Open(frame.Head{Title: p.Words.InQuestion, Description: p.Words.InQuestionText})
		p.Fill(questionForm,
			markup.By("heading", func() { p.WriteHeading(p.Words.InQuestion, p.Words.InQuestionText, nil) }),
			markup.ShowIf("none", len(list) == 0),
			markup.By("groups", func() {
				for rest := list; len(rest) > 0; {
					n := slices.IndexFunc(rest, func(q questioned) bool { return q.is.Standing != rest[0].is.Standing })
					if n < 0 {
						n = len(rest)
					}
					p.writeQuestionGroup(rest[:n])
					rest = rest[n:]
				}
			}))
		p.Close()
	})
}

// writeQuestionGroup writes a list of the records with one standing.
func (p *page) writeQuestionGroup(list []questioned) {
	is := list[0].is.Standing
	word, means := is.String(), words.Capital(p.Words.Meaning(words.Standings, is.String()))
	if is == standing.Retracted || is == standing.PartlyRetracted {
		means = "" // the badge says the same
	}
	p.Fill(questionGroupForm, markup.With("id", word), markup.Number("count", len(list)),
		markup.By("badge", func() { p.WritePlainBadge(words.Standings, word) }),
		markup.With("means", means),
		markup.Each("list", list[:min(len(list), frame.Shown)], p.writeQuestionedRecord),
		markup.By("more", func() { p.WriteAndMore(len(list) - frame.Shown) }))
}

func (p *page) writeQuestionedRecord(q questioned) {
	p.Fill(questionedForm, markup.By("link", func() { p.WriteLink(p.Records.ID(q.kind, q.i)) }),
		markup.With("kind", p.Words.Singular(q.kind)), markup.By("why", func() {
			if !q.is.Standing.IsSelfReported() {
				p.writeCause(q.kind, q.i, q.is)
				return
			}
			p.WriteDate(q.is.Since.Date())
			if text := reasonOf(p.Read(q.kind, q.i)); text != "" {
				p.HTML(": ")
				p.WritePublisherText(text)
			}
		}))
}

// reasonOf returns the reason that a record itself gives for its standing.
func reasonOf(rec record.Record) string {
	for _, c := range slices.Backward(rec.Common().InForce()) {
		return c.Summary
	}
	if s, ok := rec.(*record.SourceObject); ok {
		withdrawn, partial, concern := s.Notices()
		if u := cmp.Or(withdrawn, partial, concern); u != nil {
			return u.Summary
		}
	}
	return ""
}
