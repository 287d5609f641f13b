package tables

import (
	"strings"

	"stele/internal/base/sheet"
)

// areaHeadings is the key under which readings of a map say how areas in headings are read.
const areaHeadings = "ref_area"

// findAreaHeadings finds areas in headings, if the table has a column of figures for each area. It
// returns a column with these headings as cells, or nil.
func (p *proposal) findAreaHeadings() *column {
	heads, others, digits := newColumn(-1, areaHeadings, p.own...), 0, true
	heads.area.codes = true
	for _, c := range p.columns {
		if !c.hasFigures() || c.isMost(c.periods) && timeHead.MatchString(c.name) || !c.isUnused() {
			continue
		}
		if text := p.areaIn(c.name); text != "" {
			heads.addCell(sheet.Cell{Text: text}, p.header[0])
			digits = digits && isDigits(text)
		} else if !totals.MatchString(c.name) {
			others++
		}
	}
	own := heads.area.ownReading()
	if len(heads.known) < 2 || heads.filled <= others {
		return nil
	}
	if texts := sortedTexts(heads.known); digits {
		if p.askChoice("area headings", say("area headings", texts[0], texts[1], readingWords(own.String())), "yes", "no") == "no" {
			return nil
		}
	}
	return heads
}

// areaIn returns the part of a heading that names a country or an area of a publisher's scheme, or
// "".
func (p *proposal) areaIn(heading string) string {
	for part := range strings.SplitSeq(heading, " / ") {
		for _, r := range p.own {
			if len(r.find(part)) > 0 {
				return part
			}
		}
		if _, way := parseArea(part); way == areaNames || way == areaLetters {
			return part
		}
	}
	return ""
}

// hasAreaHeadings reports whether headings name the areas.
func (p *proposal) hasAreaHeadings() bool { return p.area != nil && p.area.at < 0 }

// areaHeadings returns a column with the areas in headings as cells, or nil.
func (c *converter) areaHeadings() *column {
	heads := newColumn(-1, areaHeadings, c.ownReadings...)
	heads.area.codes = true
	for _, s := range c.series {
		for _, m := range s.found {
			for _, g := range m.groups {
				if _, stated := c.Areas[g.text]; g.member == "ref_area" && !stated {
					heads.addCell(sheet.Cell{Text: g.text}, c.last)
				}
			}
		}
	}
	if heads.filled == 0 {
		return nil
	}
	return heads
}

func (c *converter) areaColumn() string {
	if c.area < 0 {
		return areaHeadings
	}
	return c.names[c.area]
}
