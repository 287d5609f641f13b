package cards

import (
	"image"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// typeface is a font with the letters drawn so far, which all pictures share.
type typeface struct {
	data  []byte
	font  *sfnt.Font
	mu    sync.Mutex
	buf   sfnt.Buffer
	faces map[int]font.Face // by size
	drawn map[letter]*glyph
}

// The fonts: Latin, Greek and Cyrillic letters.
var (
	regular = &typeface{data: goregular.TTF}
	bold    = &typeface{data: gobold.TTF}
)

type letter struct {
	r    rune
	size int
}

// glyph is a drawn letter.
type glyph struct {
	advance fixed.Int26_6
	at      image.Rectangle // relative to the origin of the letter
	mask    []byte          // levels, by row
}

// glyph returns letter r in the given size, or nil if the font lacks it.
func (t *typeface) glyph(r rune, size int) *glyph {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.font == nil {
		t.open()
	}
	switch {
	case unicode.IsSpace(r):
		r = ' '
	case r == '\u2010', r == '\u2011': // hyphens
		r = '-'
	}
	key := letter{r, size}
	g, ok := t.drawn[key]
	if !ok {
		g = t.draw(key)
		t.drawn[key] = g
	}
	return g
}

func (t *typeface) open() {
	var err error
	if t.font, err = opentype.Parse(t.data); err != nil {
		panic("cards: " + err.Error()) // part of the program
	}
	t.faces, t.drawn = map[int]font.Face{}, map[letter]*glyph{}
}

func (t *typeface) draw(l letter) *glyph {
	if n, err := t.font.GlyphIndex(&t.buf, l.r); err != nil || n == 0 {
		return nil
	}
	face := t.faces[l.size]
	if face == nil {
		var err error
		if face, err = opentype.NewFace(t.font, &opentype.FaceOptions{Size: float64(l.size), DPI: 72}); err != nil {
			panic("cards: " + err.Error())
		}
		t.faces[l.size] = face
	}
	at, mask, from, advance, ok := face.Glyph(fixed.Point26_6{}, l.r)
	if !ok {
		return nil
	}
	g := &glyph{advance: advance, at: at}
	if alpha, ok := mask.(*image.Alpha); ok && !at.Empty() {
		for y := range at.Dy() {
			row := alpha.Pix[alpha.PixOffset(from.X, from.Y+y):][:at.Dx()]
			for _, a := range row {
				g.mask = append(g.mask, byte((int(a)*levels+127)/255))
			}
		}
	}
	return g
}

// canWrite reports whether t has all letters of text.
func canWrite(t *typeface, text string) bool {
	const size = 28 // any size
	for _, r := range text {
		if t.glyph(r, size) == nil {
			return false
		}
	}
	return text != ""
}

// measure returns the width of text, or 0 if t lacks one of its letters.
func measure(t *typeface, size int, text string) int {
	var wide fixed.Int26_6
	for _, r := range text {
		g := t.glyph(r, size)
		if g == nil {
			return 0
		}
		wide += g.advance
	}
	return wide.Ceil()
}

// wrap breaks text into at most most lines.
func wrap(t *typeface, size, wide, most int, text string) (lines []string) {
	line, used, space := "", 0, measure(t, size, " ")
	for word := range strings.FieldsSeq(text) {
		n := measure(t, size, word)
		if line != "" && used+space+n > wide {
			lines = append(lines, line)
			line = ""
		}
		if line == "" {
			line, used = cut(t, size, wide, word), n
		} else {
			line, used = line+" "+word, used+space+n
		}
	}
	if lines = append(lines, line); len(lines) <= most {
		return lines
	}
	if lines = lines[:max(0, most)]; most > 0 {
		lines[most-1] = cut(t, size, wide, lines[most-1]+"…")
	}
	return lines
}

// cut shortens text if it is wider than wide.
func cut(t *typeface, size, wide int, text string) string {
	runes := []rune(text)
	for measure(t, size, text) > wide && len(runes) > 2 {
		runes = append(runes[:len(runes)-2], '…')
		text = string(runes)
	}
	return text
}

// drawFitted draws text, shortened if it is wider than wide.
func (p *canvas) drawFitted(x, y, wide int, t *typeface, size int, r ramp, text string) {
	if canWrite(t, text) {
		p.drawText(x, y, t, size, r, cut(t, size, wide, text))
	}
}

// drawText draws text, if the font has its letters, and returns its width.
func (p *canvas) drawText(x, y int, t *typeface, size int, r ramp, text string) int {
	if !canWrite(t, text) {
		return 0
	}
	at := fixed.I(x)
	for _, c := range text {
		g := t.glyph(c, size)
		p.drawGlyph(g, at.Round(), y, r)
		at += g.advance
	}
	return at.Ceil() - x
}

func (p *canvas) drawGlyph(g *glyph, x, y int, r ramp) {
	if len(g.mask) == 0 {
		return
	}
	wide := g.at.Dx()
	for row := range g.at.Dy() {
		to := y + g.at.Min.Y + row
		if to < 0 || to >= Height {
			continue
		}
		left := x + g.at.Min.X
		for column, level := range g.mask[row*wide:][:wide] {
			if at := left + column; level > 0 && at >= 0 && at < Width {
				p.pix[to*Width+at] = r.shade(level)
			}
		}
	}
}
