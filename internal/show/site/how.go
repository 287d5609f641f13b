package site

import (
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the page about how the records are created.
var (
	howForm = markup.Parse(`
		{heading}
		<div class="how">
			{own}
			<section><h2>{=HowDecides}</h2><p>{publisher} {=HowDecidesText}</p>
				<p>{=Contact} <a href="{mail}">{contact}</a></p>{review}</section>
			<section><h2>{=HowLabels}</h2><p>{=HowLabelsText} <a href="/labels/">{=Labels}</a></p>
				<dl class="meanings">{labels}</dl></section>
			<section><h2>{=HowCorrected}</h2><p>{=HowCorrectedText}</p>
				<p><a href="/changes/">{=AllChanges}</a> · <a href="/in-question/">{=InQuestion}</a></p></section>
			<section><h2>{=HowSigned}</h2>
				<p>{?signed}{=SignedText} <a href="/signed/">{=Signed}</a>{/}{?unsigned}{=HowUnsigned}{/}</p>
				<p>{?signed}{=SignedHow}{/}{?unsigned}{=HowCheck}{/}</p><pre tabindex="0">{command}</pre></section>
			<section><h2>{=HowReuse}</h2><p>{=License} {license}</p><p>{=HowReuseText}</p><ul>{preserve}</ul></section>
		</div>`)
	ownWordsForm = markup.Parse(`<section{lang}>{paragraphs}</section>`)
	meaningForm  = markup.Parse(`<dt>{badge}</dt><dd>{means}</dd>`)
	reviewForm   = markup.Parse(`<p>{=HowReview}</p><ul>{kinds}</ul>`)
)

// writeHow writes the page about who decides, the meanings of labels, corrections, and signatures.
// It begins with the publisher's own text.
func (s *site) writeHow() error {
	return s.Put(layout.HowPage, func(p *page) {
		signed := len(p.Settings.SigningKeys) > 0
		command := "stele verify " + p.Service()
		if signed {
			command += " --key " + p.Settings.SigningKeys[0]
		}
		p.Open(frame.Head{Title: p.Words.How, Description: p.Words.HowText})
		p.Fill(howForm,
			markup.By("heading", func() { p.WriteHeading(p.Words.How, p.Words.HowText, nil) }),
			markup.By("own", func() { p.writeOwnText(p.Settings.About) }),
			markup.By("publisher", func() { p.WritePublisherText(p.Settings.Publisher) }),
			markup.With("contact", p.Settings.Contact), markup.With("mail", render.ContactURL(p.Settings.Contact)),
			markup.When(len(p.Settings.ReviewAfter) > 0, "review", p.writeReviewSpans),
			markup.Each("labels", words.EvidenceLabels.List, func(v schema.Value) {
				p.Fill(meaningForm, markup.By("badge", func() { p.WriteBadge(words.EvidenceLabels, v.Word) }),
					markup.With("means", words.Capital(p.Words.Meaning(words.EvidenceLabels, v.Word))))
			}),
			markup.ShowIf("signed", signed), markup.ShowIf("unsigned", !signed),
			markup.With("command", command), markup.By("license", func() { p.WriteLicense(p.Settings.License) }),
			markup.Each("preserve", p.Words.Preserve, func(text string) { p.WriteItem(p.Cell(words.Capital(text))) }))
		p.Close()
	})
}

// writeOwnText writes text by the publisher, in which empty lines separate paragraphs.
func (p *page) writeOwnText(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.Fill(ownWordsForm, markup.Each("paragraphs", strings.Split(strings.TrimSpace(text), "\n\n"), func(text string) {
		p.Fill(frame.SummaryForm, markup.With("text", text))
	}))
}

// writeReviewSpans writes how long records of each kind may go without verification.
func (p *page) writeReviewSpans() {
	p.Fill(reviewForm, markup.Each("kinds", p.Settings.ReviewAfter, func(t record.Term) {
		if k := record.KindNamed(t.Name); k != nil {
			p.WriteItem(p.Cell(p.Words.Name(k) + ": " + t.Text))
		}
	}))
}
