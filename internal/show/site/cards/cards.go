// Package cards draws the pictures that other sites show when a page is shared: its title, its
// certainty, a figure or a small chart, and whether it was retracted.
//
// It uses only integers, so that all machines draw the same.
package cards

import (
	"slices"

	"stele/internal/author/reading/settings/color"
)

// The size of the pictures, as social networks recommend.
const (
	Width  = 1200
	Height = 630
)

// Card is the content of a picture. Texts that the fonts cannot write are omitted, except Grave,
// which the word Retracted replaces.
type Card struct {
	Accent color.RGB
	Kicker string // the sort of page
	Title  string
	Lead   string // the subject, if there is no figure
	Labels []Label
	Grave  string // what must not be overlooked: that the record was retracted
	Figure string // a number, large
	Notes  []string
	Line   []Point // a chart of values in order
	Zero   float64 // height of zero in it, where a line is drawn
	Range  *Range  // an estimate with its interval
	Site   string  // the name of the site
	Host   string  // its host
	Latin  *Card   // texts in Latin letters, for those that the fonts cannot write; may be nil
}

// withLatinTexts returns the card with texts that the fonts can write: texts in Latin letters
// replace texts in other scripts.
func (c *Card) withLatinTexts() *Card {
	if c.Latin == nil {
		return c
	}
	own, latin := *c, c.Latin
	for _, text := range []struct{ own, latin *string }{
		{&own.Title, &latin.Title},
		{&own.Figure, &latin.Figure},
		{&own.Site, &latin.Site},
		{&own.Kicker, &latin.Kicker},
	} {
		if !canWrite(bold, *text.own) {
			*text.own = *text.latin
		}
	}
	if slices.ContainsFunc(c.Notes, func(note string) bool { return note != "" && !canWrite(regular, note) }) {
		own.Notes = latin.Notes
	}
	return &own
}

// Label is a word with the tone in which it is drawn.
type Label struct {
	Text string
	Tone Tone
}

// Tone is the look of a label.
type Tone byte

// The tones, by how labels look on pages.
const (
	Plain Tone = iota
	Strong
	Fair
	Good
	Doubt
	Against
)

// Point is a point of a chart. Its coordinates, from the bottom left, are between 0 and 1.
type Point struct {
	X, Y float64
	Gap  bool // whether nothing is known between it and the previous one
	// whether no line connects them, because they are not comparable
	Apart bool
}

// Range is an interval with the estimate and the null value, as positions on a line from 0 to 1.
type Range struct{ Lower, Value, Upper, Null float64 }

// Append appends the picture of c to b as PNG.
func Append(b []byte, c *Card) []byte {
	p := canvases.Get().(*canvas)
	defer canvases.Put(p)
	p.clear(c)
	p.drawCard(c.withLatinTexts())
	return p.appendPNG(b)
}

// The layout. Text is positioned by its baseline.
const (
	margin    = 72
	inner     = Width - 2*margin
	bandRows  = 20
	graveRows = 112
	footRule  = 540
	footLine  = 590
)

func (p *canvas) drawCard(c *Card) {
	top := bandRows
	if c.Grave != "" {
		top = graveRows
	}
	p.fill(0, 0, Width, top, accentRamp.full())
	if c.Grave != "" && p.drawText(margin, 75, bold, 52, accentRamp.reversed(), c.Grave) == 0 {
		p.drawText(margin, 75, bold, 52, accentRamp.reversed(), "Retracted")
	}
	y := top + 66
	if p.drawText(margin, y, regular, 30, accentRamp, c.Kicker) > 0 {
		y += 22
	}
	p.fill(margin, footRule, Width-margin, footRule+2, ruleShade)
	host := measure(regular, 26, c.Host)
	p.drawText(Width-margin-host, footLine, regular, 26, quietRamp, c.Host)
	p.drawFitted(margin, footLine, inner-host-40, bold, 28, inkRamp, c.Site)

	drawn := c.Figure != "" || len(c.Line) > 1 || c.Range != nil
	below := footRule - 30
	if len(c.Labels) > 0 {
		below -= 62
		p.drawLabels(below+4, c.Labels)
	}
	if drawn {
		y = p.drawTitle(c.Title, y, min(below-170, y+190))
		p.drawFigure(c, y, below)
		return
	}
	y = p.drawTitle(c.Title, y, below) + 30
	if canWrite(regular, c.Lead) {
		p.drawLines(margin, y, inner, 34, (below-y)/lineHeight(34), c.Lead)
	}
}

// drawLines draws text on at most most lines, and returns the number of lines.
func (p *canvas) drawLines(x, y, wide, size, most int, text string) int {
	list := wrap(regular, size, wide, most, text)
	for i, line := range list {
		p.drawText(x, y+(i+1)*lineHeight(size), regular, size, quietRamp, line)
	}
	return len(list)
}

// drawTitle draws the title between y and below in the largest size that fits, and returns its end.
func (p *canvas) drawTitle(text string, y, below int) int {
	if !canWrite(bold, text) {
		return y
	}
	var lines []string
	size := 0
	for _, size = range []int{68, 60, 52, 46, 40} {
		lines = wrap(bold, size, inner, len(text), text)
		if y+len(lines)*lineHeight(size) <= below && (len(lines) <= 2 || size <= 60) {
			break
		}
	}
	for _, line := range wrap(bold, size, inner, max(1, (below-y)/lineHeight(size)), text) {
		y += lineHeight(size)
		p.drawText(margin, y-lineHeight(size)/8, bold, size, inkRamp, line)
	}
	return y
}

func lineHeight(size int) int { return size * 6 / 5 }

// drawFigure draws the number of c with its notes, and the chart next to it.
func (p *canvas) drawFigure(c *Card, y, below int) {
	const wide = 460
	left, right := margin, Width-margin
	if c.Figure != "" && canWrite(bold, c.Figure) {
		size, rows := 104, 0
		for _, note := range c.Notes {
			if canWrite(regular, note) {
				rows += len(wrap(regular, 28, wide, 2, note))
			}
		}
		for size > 40 && (measure(bold, size, c.Figure) > wide || size+16+rows*lineHeight(28) > below-y) {
			size -= 8
		}
		at := y + (below-y-size-16-rows*lineHeight(28))/2 + size
		p.drawText(left, at, bold, size, accentRamp, c.Figure)
		at += 10
		for _, note := range c.Notes {
			if canWrite(regular, note) {
				at += p.drawLines(left, at, wide, 28, 2, note) * lineHeight(28)
			}
		}
		left += wide + 40
	}
	if len(c.Line) > 1 {
		p.drawLine(c.Line, c.Zero, left, y+24, right, below-12)
	}
	if c.Range != nil {
		p.drawInterval(c.Range, left, right, (y+below)/2)
	}
}

// drawLine draws a chart of points over time, and a line at the height zero.
func (p *canvas) drawLine(points []Point, zero float64, left, top, right, below int) {
	at := func(q Point) (x, y int) {
		const room = 10 // for the dot
		x, y = int(q.X*float64((right-left-room)*16)), int(q.Y*float64((below-top-2*room)*16))
		return left*16 + x, (below-room)*16 - y
	}
	_, ground := at(Point{Y: zero})
	p.fill(left, ground/16-1, right, ground/16+1, ruleShade)
	for i := 1; i < len(points); i++ {
		x0, y0 := at(points[i-1])
		x1, y1 := at(points[i])
		if points[i].Gap {
			if !points[i].Apart {
				p.drawStroke(x0, y0, x1, y1, 16, accentRamp)
			}
			p.drawStroke(x0, y0, x0, y0, 6*16, accentRamp)
			p.drawStroke(x1, y1, x1, y1, 6*16, accentRamp)
		} else {
			p.drawStroke(x0, y0, x1, y1, 3*16, accentRamp)
		}
	}
	x, y := at(points[len(points)-1])
	p.drawStroke(x, y, x, y, 10*16, accentRamp)
}

// drawInterval draws r at height y, as in a forest plot.
func (p *canvas) drawInterval(r *Range, left, right, y int) {
	at := func(v float64) int { return left*16 + int(v*float64((right-left)*16)) }
	p.fill(left, y+56, right, y+58, ruleShade)
	null := at(r.Null) / 16
	for row := y - 60; row < y+58; row += 14 { // dashed, because no effect is not a found value
		p.fill(null-1, row, null+1, row+8, quietRamp.full())
	}
	p.drawStroke(at(r.Lower), y*16, at(r.Upper), y*16, 4*16, accentRamp)
	p.drawStroke(at(r.Value), y*16, at(r.Value), y*16, 16*16, accentRamp)
}

// drawLabels draws labels next to each other, each with its own background.
func (p *canvas) drawLabels(y int, list []Label) {
	const size, high = 30, 52
	x := margin
	for i, l := range list[:min(len(list), len(labelRamps))] {
		if l.Text == "" || !canWrite(regular, l.Text) {
			continue
		}
		wide := measure(regular, size, l.Text) + 44
		if x+wide > Width-margin {
			return
		}
		p.setTone(i, l.Tone)
		ramp := labelRamps[i]
		for _, end := range []int{x + high/2, x + wide - high/2} {
			p.drawStroke(end*16, (y+high/2)*16, end*16, (y+high/2)*16, high/2*16, labelGrounds[i])
		}
		p.fill(x+high/2, y, x+wide-high/2, y+high, labelGrounds[i].full())
		p.drawText(x+22, y+36, regular, size, ramp, l.Text)
		x += wide + 16
	}
}
