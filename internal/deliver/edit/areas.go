package edit

import (
	"strings"

	"stele/internal/base/fold"
	"stele/internal/base/schema"
	"stele/internal/base/sheet/areas"
	"stele/internal/deliver/fields"
	"stele/record"
)

// areaMark separates a scheme from a period in the data-find attribute of a field.
const areaMark = "@"

// isArea writes the field for the scheme or code of a statistic's area, and reports whether m is
// one of these. The user finds a code by its name in the edition of the statistic's period.
func (p *page) isArea(m *schema.Member, n, parent *fields.Node, path string) bool {
	switch scheme := parent.Find("ref_area_scheme").Shown(); {
	case path == "ref_area_scheme" && len(p.x.areas) > 0:
		p.writeField(fieldsForm, m, n, path, func() {
			for _, s := range p.x.areas {
				p.writeRadio(path, s.Name, s.Title, "", n.Shown())
			}
			text := n.Shown()
			if areas.Named(p.x.areas, text) != nil {
				text = ""
			}
			p.writeChoice(m, m.Shape, text, path)
		})
	case path == "ref_area" && areas.Named(p.x.areas, scheme) != nil:
		p.writeField(fieldForm, m, n, path, func() {
			p.finder(scheme+areaMark+parent.Find("time_period").Shown(), n.Shown(), path)
		})
	default:
		return false
	}
	return true
}

// areaChoices shows the area whose code is text, or the areas whose code or name contains text.
// Areas that are valid in the period come first.
func (p *page) areaChoices(path, text, name string, period record.Period) {
	s := areas.Named(p.x.areas, name)
	if s == nil {
		return
	}
	first, last := string(period.Start()), string(period.End())
	is := func(c *areas.Code) bool { return period == "" || !period.Valid() || c.Overlaps(first, last) }
	if c := s.Code(text); c != nil {
		p.Fill(chosenForm, with("path", path), with("text", areas.Describe(c)))
		if !is(c) {
			message, fix := s.OutsideProblem(c, string(period), first, last)
			p.fillLine(quietForm, message+"; "+fix)
		}
		return
	}
	const most = 12
	var now, other []*areas.Code
	for i := range s.Codes {
		c := &s.Codes[i]
		switch names := c.Code + "\n" + c.Name; {
		case !strings.Contains(fold.Accents(names), fold.Accents(strings.TrimSpace(text))):
		case is(c):
			now = append(now, c)
		default:
			other = append(other, c)
		}
	}
	list := append(now, other...)
	for _, c := range list[:min(len(list), most)] {
		p.Fill(takeForm, with("path", path), with("id", c.Code), with("title", c.Name), with("about", areas.Describe(c)))
	}
	if len(list) == 0 {
		p.fillLine(quietForm, p.say("found_no_area", "words", text))
	}
}
