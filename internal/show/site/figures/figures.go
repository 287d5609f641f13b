package figures

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the values of an indicator.
var (
	figuresForm = markup.Parse(`<section id="figures"><h2>{=FiguresHead}</h2>{narrow}{series}{more}</section>`)
	seriesForm  = markup.Parse(`
		<details class="series"{?open} open{/}>
			<summary>{name} <span class="count">{count}</span></summary>
			{table}
		</details>`)
	intervalKindForm = markup.Parse(` <span class="quiet">({kind})</span>`)
	remarksForm      = markup.Parse(`<tr class="remarks"><td colspan="{columns}"><ul>{list}</ul></td></tr>`)
)

// manyAreas is the minimum number of areas that readers can filter.
const manyAreas = 12

// mostFigures is the maximum number of values in the table of an indicator. The JSON contains all.
const mostFigures = 20_000

// writeFigures writes the values of the series in list as foldable tables, one for each series.
func (p *page) writeFigures(list []*series) {
	total, left := 0, mostFigures
	for _, s := range list {
		total += len(s.values)
	}
	p.Fill(figuresForm, markup.When(len(list) >= manyAreas, "narrow", func() { p.WriteFilterBox("findArea") }),
		markup.By("series", func() {
			for _, s := range list {
				if left <= 0 {
					break
				}
				p.Fill(seriesForm, markup.ShowIf("open", total <= 60 || len(list) <= 2),
					markup.By("name", func() { p.WritePublisherText(s.name()) }), markup.Number("count", len(s.values)),
					markup.By("table", func() { p.writeSeriesTable(s, s.values[max(0, len(s.values)-left):]) }))
				left -= len(s.values)
			}
		}),
		markup.By("more", func() { p.WriteAndMore(total - mostFigures) }))
}

func (p *page) writeSeriesTable(s *series, values []observation) {
	banded := false
	for i := range values {
		banded = banded || values[i].Lower != "" || values[i].Upper != ""
	}
	columns := []frame.Column{
		{Name: p.Words.Period, Head: true},
		{Name: words.Capital(s.label), Number: true, Label: true},
		{Name: p.Words.Status},
		{Name: p.Words.Verified},
		{Name: p.Words.Version},
	}
	if banded {
		columns = slices.Insert(columns, 2, frame.Column{Name: words.Capital(p.Words.Interval), Number: true})
	}
	p.Table(frame.Table{Class: "figures", Columns: columns, Caption: func() {
		p.WritePublisherText(s.name() + ", " + s.label)
		if links := values[0].SourceLinks; len(links) > 0 && links[0].SourceID != "" {
			p.HTML(" · ")
			p.WriteLink(string(links[0].SourceID))
		}
	}}, func(t *frame.Table) {
		for i := range slices.Backward(values) { // the latest first
			p.writeFigureRow(t, &values[i], banded)
		}
	})
}

func (p *page) writeFigureRow(t *frame.Table, o *observation, banded bool) {
	cells := []func(){
		func() { p.WriteAnchor("#"+string(o.ID), p.Words.When(o.TimePeriod)) }, func() { p.writeDigits(o) },
		func() { p.writeFigureStatus(o) }, p.DateCell(o.VerificationDate), func() { p.Int(o.version()) },
	}
	if banded {
		cells = slices.Insert(cells, 2, func() { p.writeInterval(o) })
	}
	t.Row(string(o.ID), cells...)
	p.writeRemarks(o, len(cells))
}

// writeDigits writes a value with all its digits, even if it is very small.
func (p *page) writeDigits(o *observation) {
	if o.text != "" || o.Value == "" {
		p.writeFigure(o)
		return
	}
	p.Text(p.Words.Figure(o.Value, o.Decimals))
}

// writeFigureStatus writes the status and the standing of a value.
func (p *page) writeFigureStatus(o *observation) {
	if o.standing.IsLost() { // not a normal value, whatever its status
		p.WritePlainBadge(words.Standings, o.standing.String())
		return
	}
	if o.ObsStatus != record.StatusNormal {
		p.WritePlainBadge(words.ObsStatuses, string(o.ObsStatus))
	}
	p.WriteStandingBadge(o.standing)
}

// intervalText returns both limits of an interval with a dash, which has spaces before a minus.
func (p *page) intervalText(o *observation) string {
	dash := "–"
	if strings.HasPrefix(string(o.Upper), "-") {
		dash = " – "
	}
	return p.Words.Brief(o.Lower, o.Decimals) + dash + p.Words.Brief(o.Upper, o.Decimals)
}

func (p *page) writeInterval(o *observation) {
	if o.Lower != "" || o.Upper != "" {
		p.Text(p.intervalText(o))
	}
	if o.Interval != "" {
		kind := p.Words.IntervalKind(string(o.Interval))
		if o.Level != "" {
			kind = p.Words.Per(o.Level) + p.Words.Comma + kind
		}
		p.Fill(intervalKindForm, markup.With("kind", kind))
	}
}

// writeRemarks writes the note and the history of a value in a cell across all columns.
func (p *page) writeRemarks(o *observation, columns int) {
	if o.happened == nil {
		return
	}
	p.Fill(remarksForm, markup.With("columns", strconv.Itoa(columns)), markup.By("list", func() {
		if o.Note != "" {
			p.WriteItem(func() { p.WritePublisherText(o.Note) })
		}
		p.of.About.WriteHistory(p.Page, o.happened)
	}))
}
