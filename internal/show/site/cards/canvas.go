package cards

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/flate"

	"stele/internal/author/reading/settings/color"
	"stele/internal/base/compress"
)

// levels is the number of shades from one colour to another, not counting the first.
const levels = 8

// ramp is a range of shades between two colours: the index of the first shade, and whether the
// range is reversed.
type ramp struct {
	first byte
	back  bool
}

func (r ramp) full() byte     { return r.shade(levels) }
func (r ramp) reversed() ramp { return ramp{r.first, !r.back} }

func (r ramp) shade(level byte) byte {
	if r.back {
		level = levels - level
	}
	return r.first + level
}

// The shades of a picture: mixtures of each colour with the background, the shades of the labels,
// and one for rules.
var (
	inkRamp      = ramp{first: 0}
	quietRamp    = ramp{first: 1 * (levels + 1)}
	accentRamp   = ramp{first: 2 * (levels + 1)}
	labelGrounds = [2]ramp{{first: 3 * (levels + 1)}, {first: 4 * (levels + 1)}}
	labelRamps   = [2]ramp{{first: 5 * (levels + 1)}, {first: 6 * (levels + 1)}}
)

const (
	ruleShade = 7 * (levels + 1)
	shades    = ruleShade + 1
)

// The colours of light pages: see colors.css in the assets.
var (
	ground = color.RGB{R: 0xfd, G: 0xfd, B: 0xfb}
	ink    = color.RGB{R: 0x1c, G: 0x20, B: 0x24}
	quiet  = color.RGB{R: 0x56, G: 0x5e, B: 0x66}
	rule   = color.RGB{R: 0xdb, G: 0xd8, B: 0xd0}
	grave  = color.RGB{R: 0x8a, G: 0x21, B: 0x14}
	tones  = [...]struct{ ground, ink color.RGB }{
		Plain:   {color.RGB{R: 0xe9, G: 0xe8, B: 0xe4}, color.RGB{R: 0x3d, G: 0x44, B: 0x4b}},
		Strong:  {color.RGB{R: 0x13, G: 0x4e, B: 0x5c}, ground},
		Fair:    {color.RGB{R: 0xdc, G: 0xed, B: 0xf0}, color.RGB{R: 0x13, G: 0x4e, B: 0x5c}},
		Good:    {color.RGB{R: 0xe0, G: 0xef, B: 0xe2}, color.RGB{R: 0x1c, G: 0x54, B: 0x28}},
		Doubt:   {color.RGB{R: 0xf8, G: 0xec, B: 0xd0}, color.RGB{R: 0x6d, G: 0x48, B: 0x00}},
		Against: {color.RGB{R: 0xec, G: 0xe6, B: 0xf7}, color.RGB{R: 0x4d, G: 0x2d, B: 0x86}},
	}
)

// canvas draws a picture in memory.
type canvas struct {
	pix     []byte // index of the shade of each pixel
	palette [shades]color.RGB
	rows    []byte // in the form of PNG: each minus the one above, after a filter byte
	deflate *flate.Writer
}

var canvases = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return &canvas{pix: make([]byte, Width*Height), rows: make([]byte, (Width+1)*Height), deflate: w}
}}

// clear starts the picture of c.
func (p *canvas) clear(c *Card) {
	clear(p.pix)
	accent := c.Accent
	if c.Grave != "" {
		accent = grave
	}
	p.computeShades(inkRamp, ground, ink)
	p.computeShades(quietRamp, ground, quiet)
	p.computeShades(accentRamp, ground, accent)
	for i := range labelRamps {
		p.setTone(i, Plain)
	}
	p.palette[ruleShade] = rule
}

// setTone sets the colours of the label with the given index to those of t.
func (p *canvas) setTone(label int, t Tone) {
	p.computeShades(labelGrounds[label], ground, tones[t].ground)
	p.computeShades(labelRamps[label], tones[t].ground, tones[t].ink)
}

// computeShades stores the shades between two colours as the range r.
func (p *canvas) computeShades(r ramp, from, to color.RGB) {
	for level := range levels + 1 {
		mixed := func(a, b uint8) uint8 { return uint8((int(a)*(levels-level) + int(b)*level) / levels) }
		c := color.RGB{R: mixed(from.R, to.R), G: mixed(from.G, to.G), B: mixed(from.B, to.B)}
		p.palette[int(r.first)+level] = c
	}
}

func (p *canvas) fill(left, top, right, below int, shade byte) {
	for y := max(0, top); y < min(below, Height); y++ {
		row := p.pix[y*Width:][max(0, left):max(0, min(right, Width))]
		for i := range row {
			row[i] = shade
		}
	}
}

// drawStroke draws a line with round ends, or a dot if both ends are the same. The coordinates, and
// wide, which is half the width, are in sixteenths of a pixel.
func (p *canvas) drawStroke(x0, y0, x1, y1, wide int, r ramp) {
	left, right := max(0, (min(x0, x1)-wide)/16), min(Width-1, (max(x0, x1)+wide)/16)
	top, below := max(0, (min(y0, y1)-wide)/16), min(Height-1, (max(y0, y1)+wide)/16)
	for y := top; y <= below; y++ {
		row := p.pix[y*Width:][:Width]
		for x := left; x <= right; x++ {
			level, half := byte(0), [2]int{x*16 + 8, y*16 + 8}
			if !isNear(half[0], half[1], x0, y0, x1, y1, wide+16) {
				continue
			}
			if isNear(half[0], half[1], x0, y0, x1, y1, wide-16) {
				row[x] = r.full()
				continue
			}
			for n := range levels { // points distributed over the pixel, one in each row and column of it
				if isNear(x*16+2*n+1, y*16+(6*n+1)%16, x0, y0, x1, y1, wide) {
					level++
				}
			}
			// keep darker parts of the same line
			if before := row[x]; level > 0 && (before < r.first || before > r.full() || before < r.shade(level)) {
				row[x] = r.shade(level)
			}
		}
	}
}

// isNear reports whether the point at x and y is at most wide away from the line.
func isNear(x, y, x0, y0, x1, y1, wide int) bool {
	dx, dy, px, py := x1-x0, y1-y0, x-x0, y-y0
	length, along := dx*dx+dy*dy, px*dx+py*dy
	switch {
	case along <= 0:
		return px*px+py*py <= wide*wide
	case along >= length:
		return (x-x1)*(x-x1)+(y-y1)*(y-y1) <= wide*wide
	}
	across := px*dy - py*dx
	return across*across <= wide*wide*length
}

// appendPNG appends the picture as PNG. It encodes each row as the difference from the row above,
// which is mostly zero, and is much faster than image/png.
func (p *canvas) appendPNG(b []byte) []byte {
	var palette [3 * shades]byte
	for i, c := range p.palette {
		copy(palette[3*i:], []byte{c.R, c.G, c.B})
	}
	above := make([]byte, Width)
	clear(p.rows)
	for y := range Height {
		row, to := p.pix[y*Width:][:Width], p.rows[y*(Width+1):][:Width+1]
		to[0] = 2 // filter: minus the row above
		if !bytes.Equal(row, above) {
			for x, v := range row {
				to[x+1] = v - above[x]
			}
		}
		above = row
	}
	const fastest = 0x01
	return compress.AppendPNG(b, Width, Height, palette[:], p.rows, p.deflate, fastest)
}
