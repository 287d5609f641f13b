package explore

import (
	"errors"

	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The list of indicators.
var (
	indicatorsForm = markup.Parse(`
		{crumbs}{opening}
		<table class="list">
			<thead><tr><th scope="col">{=Indicator}</th><th scope="col" class="num">{=Values}</th></tr></thead>
			<tbody>
			{rows}
			</tbody>
		</table>`)
	indicatorRowForm = markup.Parse(`
		<tr>
			<th scope="row"><a href="{address}"{lang}>{name}</a> <code>{code}</code><span class="quiet"{lang}>{summary}</span></th>
			<td class="num">{count}</td>
		</tr>`)
)

// writeStatistics makes the page of the kind: its indicators.
func (s *Room) writeStatistics(k *record.Kind) error {
	return s.Put(layout.KindPage(k.Folder()), func(p *page) error {
		p.Open(
			frame.Head{
				Title: p.Words.Name(k), Description: p.Words.Doc(k), Section: "/healthcare-statistics/",
				Alternate: k.Collection.Path, Data: p.Dataset(k), Wide: true, Feeds: k.Folder(),
				Picture: frame.CardAddress(layout.ListAddress(k.Folder(), 0)),
			},
		)
		var failed error
		p.Fill(indicatorsForm, markup.By("crumbs", func() { p.Crumbs(k, "") }),
			markup.By("opening", func() { p.kindOpening(k) }),
			markup.By("rows", func() {
				for _, x := range s.Indicators {
					failed = errors.Join(failed, p.indicatorRow(x))
				}
			}))
		p.Close()
		return failed
	})
}

func (p *page) indicatorRow(x *lookup.Indicator) error {
	name, summary, err := p.IndicatorName(x)
	p.Fill(indicatorRowForm, markup.With("address", x.Address()), markup.With("name", name),
		markup.With("code", x.Code), markup.With("summary", summary), markup.Number("count", len(x.Records)))
	return err
}
