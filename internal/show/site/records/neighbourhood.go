package records

import (
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The measurements of the picture of a record's links. Records that refer to the record are on the
// left, and records to which it refers are on the right.
const (
	rowHeight    = 24
	perSide      = 8  // records on each side
	labelLetters = 35 // of a title
)

// sideForms contains the forms for one side of the picture: a line that ends in a dot, and a text.
type sideForms struct{ edge, text *markup.Form }

var (
	leftForms = sideForms{
		markup.Parse(`<path d="M360 {y}C315 {y} 315 {y} 265 {y}"/><circle r="5" cx="265" cy="{y}"`),
		markup.Parse(`/><text x="255" y="{y}" class="end">`),
	}
	rightForms = sideForms{
		markup.Parse(`<path d="M360 {y}C405 {y} 405 {y} 455 {y}"/><circle r="5" cx="455" cy="{y}"`),
		markup.Parse(`/><text x="465" y="{y}">`),
	}
)

// fewest is the minimum number of links for a picture. The lists below it contain the same links.
const fewest = 3

// drawNeighbourhood draws the links in list as a static picture. For screen readers, it is one
// image with a short name.
func (p *page) drawNeighbourhood(k *record.Kind, e *record.Envelope, list []group) {
	var room [2][perSide]string
	in, out := linkedOnSide(room[0][:0], list, false), linkedOnSide(room[1][:0], list, true)
	if len(in)+len(out) < fewest {
		return
	}
	rows := max(len(in), len(out), 2)
	height := rows*rowHeight + 8
	if len(in) > 0 {
		p.HTML(`<svg class="neighbourhood" role="img" viewBox="0 0 720 `)
	} else { // the left half is empty
		p.HTML(`<svg class="neighbourhood half" role="img" viewBox="340 0 380 `)
	}
	p.Float(float64(height))
	p.HTML(`"`)
	p.Attr("aria-label", p.Words.ConnectionsPicture)
	p.HTML(">")
	middle := float64(height) / 2
	p.drawColumn(in, middle, &leftForms)
	p.drawColumn(out, middle, &rightForms)
	p.HTML(`<circle cx="360" cy="`)
	p.Float(middle)
	p.HTML(`" r="9" class="self `)
	p.Text(p.of.plans[k].Class)
	p.HTML(`"/></svg>`)
}

// linkedOnSide returns the records for one side of the picture. It takes the records of the
// relations in turn, so that no relation displaces others.
func linkedOnSide(ids []string, list []group, out bool) []string {
	count := 0
	for i := range list {
		if list[i].out == out {
			count++
		}
	}
	for i := range list {
		if g := &list[i]; g.out == out {
			most := max(1, perSide/count)
			ids = append(ids, g.ids[:min(len(g.ids), most, perSide-len(ids))]...)
		}
	}
	return ids
}

// drawColumn draws the records of one side with lines to the record in the middle.
func (p *page) drawColumn(ids []string, middle float64, forms *sideForms) {
	top := middle - float64(len(ids)-1)*rowHeight/2
	for i, id := range ids {
		y := top + float64(i)*rowHeight
		p.Draw(forms.edge, middle, middle, y, y, y)
		r := p.Refer(id)
		if r.Kind != nil {
			p.Attr("class", p.of.plans[r.Kind].Class)
		}
		p.Draw(forms.text, y+4)
		p.Text(words.Letters(r.Title, labelLetters))
		p.HTML("</text>")
	}
}
