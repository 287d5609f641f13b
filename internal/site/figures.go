package site

import "stele/record"

// mostFigures is how many values the table of an indicator shows. The JSON has all.
const mostFigures = 20_000

// figures writes the values of an indicator as tables, one for each series, which can be folded.
func (p *page) figures(list []*series) {
	p.HTML(`<section id="figures"><h2>`)
	p.Text(p.words.FiguresHead)
	p.HTML("</h2>")
	total, left := 0, mostFigures
	for _, s := range list {
		total += len(s.values)
	}
	for _, s := range list {
		if left <= 0 {
			break
		}
		p.HTML("<details")
		if total <= 60 || len(list) <= 2 {
			p.HTML(" open")
		}
		p.HTML("><summary>")
		p.Text(s.name())
		p.HTML(` <span class="count">`)
		p.Int(int64(len(s.values)))
		p.HTML("</span></summary>")
		p.seriesTable(s, s.values[:min(len(s.values), left)])
		left -= len(s.values)
		p.HTML("</details>")
	}
	if total > mostFigures {
		p.HTML(`<p class="quiet">`)
		p.Int(int64(total - mostFigures))
		p.HTML(" ")
		p.Text(p.words.AndMore)
		p.HTML("</p>")
	}
	p.HTML("</section>\n")
}

func (p *page) seriesTable(s *series, values []observation) {
	p.HTML(`<table class="figures"><caption class="sr">`)
	p.Text(s.name() + ", " + s.label)
	p.HTML(`</caption><thead><tr><th scope="col">`)
	p.Text(p.words.Period)
	p.HTML(`</th><th scope="col" class="num">`)
	p.Text(capital(s.label))
	p.HTML("</th>")
	banded := false
	for i := range values {
		banded = banded || values[i].Lower != "" || values[i].Upper != ""
	}
	if banded {
		p.HTML(`<th scope="col" class="num">`)
		p.Text(capital(p.words.Interval))
		p.HTML("</th>")
	}
	for _, name := range []string{p.words.Status, p.words.Verified, p.words.Version} {
		p.HTML(`<th scope="col">`)
		p.Text(name)
		p.HTML("</th>")
	}
	p.HTML("</tr></thead><tbody>\n")
	for i := range values {
		p.figureRow(&values[i], banded)
	}
	p.HTML("</tbody></table>")
}

func (p *page) figureRow(o *observation, banded bool) {
	p.HTML("<tr")
	p.Attr("id", string(o.ID))
	p.HTML(`><th scope="row">`)
	p.Text(string(o.TimePeriod))
	p.HTML(`</th><td class="num">`)
	if o.Value == "" {
		p.HTML("–")
	} else {
		p.Text(figures(o.Value, o.Decimals))
	}
	p.HTML("</td>")
	if banded {
		p.HTML(`<td class="num">`)
		if o.Lower != "" || o.Upper != "" {
			p.Text(figures(o.Lower, o.Decimals))
			p.HTML("–")
			p.Text(figures(o.Upper, o.Decimals))
		}
		p.HTML("</td>")
	}
	p.HTML("<td>")
	if o.standing.Lost() { // it is no normal value, whatever it was
		p.plainBadge(standings, o.standing.String())
	} else {
		p.plainBadge(obsStatuses, string(o.ObsStatus))
		p.standingBadge(o.standing)
	}
	p.HTML("</td><td>")
	p.date(o.VerificationDate)
	p.HTML("</td><td>")
	p.Int(o.Version)
	p.HTML("</td></tr>\n")
	p.remarks(o, banded)
}

// remarks writes what happened to a value, corrections and source updates, across all columns.
func (p *page) remarks(o *observation, banded bool) {
	if len(o.Corrections)+len(o.SourceUpdates) == 0 {
		return
	}
	p.HTML(`<tr class="remarks"><td colspan="`)
	if banded {
		p.HTML("6")
	} else {
		p.HTML("5")
	}
	p.HTML(`"><ul>`)
	for _, c := range o.Corrections[:min(len(o.Corrections), shown)] {
		p.remark(c.Date, correctionTypes, string(c.Type), c.Summary)
	}
	for _, u := range o.SourceUpdates[:min(len(o.SourceUpdates), shown)] {
		p.remark(u.Date, updateTypes, string(u.Type), u.Summary)
	}
	p.HTML("</ul></td></tr>\n")
}

func (p *page) remark(date record.Date, list *record.Shape, word, summary string) {
	p.HTML("<li>")
	p.date(date)
	p.HTML(" ")
	p.plainBadge(list, word)
	p.HTML(" ")
	p.Text(summary)
	p.HTML("</li>")
}
