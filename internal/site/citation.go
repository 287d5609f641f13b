package site

import (
	"strings"

	"stele/record"
)

// citation is what a reader needs to cite a record.
type citation struct {
	words                                             *words
	id, title, publisher, container, version, address string
	kind                                              string
	updated, verified                                 record.Date
	retracted                                         bool
}

func (p *page) citation(k *record.Kind, e *record.Envelope) citation {
	return citation{
		words: p.words,
		id: string(
			e.ID,
		), title: p.name(e), publisher: p.settings.Publisher, container: p.settings.Title, version: itoa(e.Version),
		kind:    k.One,
		address: p.own, updated: max(e.UpdatedDate, e.PublishedDate), verified: e.VerificationDate,
		retracted: e.Retracted(),
	}
}

// text is the citation as a sentence.
func (c *citation) text() string {
	year, retracted, verified := "", "", ""
	if c.updated != "" {
		year = " (" + string(c.updated[:4]) + ")"
	}
	if c.retracted {
		retracted = " [" + capital(c.words.CiteRetracted) + ".]"
	}
	if c.verified != "" {
		verified = ", " + c.words.CiteVerified + " " + string(c.verified)
	}
	return strings.TrimSuffix(
		c.publisher,
		".",
	) + year + ". " + strings.TrimSuffix(
		c.title,
		".",
	) + "." + retracted + " " + strings.TrimSuffix(
		c.container,
		".",
	) + ", " + c.kind + " " + c.id +
		", " + c.words.CiteVersion + " " + c.version + verified + ". " + c.address
}

// bibTeX is the citation for LaTeX.
func (c *citation) bibTeX() string {
	year, container := "", ""
	if c.updated != "" {
		year = "},\n  year = {" + string(c.updated[:4])
	}
	if c.container != "" {
		container = "},\n  howpublished = {" + bibTeXText(c.container)
	}
	return "@misc{" + c.id + ",\n  author = {{" + bibTeXText(c.publisher) + "}},\n  title = {{" + bibTeXText(c.title) + "}" + year + container +
		"},\n  note = {" + c.note() + "},\n  url = {" + c.address + "},\n}\n"
}

// bibTeXSpecial escapes what LaTeX would take for a command.
var bibTeXSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "\n", " ",
)

func bibTeXText(s string) string {
	if !strings.ContainsAny(s, "\\{}$&#_%~^\n") { // as nearly always
		return s
	}
	return bibTeXSpecial.Replace(s)
}

// csl writes the citation in the JSON of the Citation Style Language, for reference managers: a
// list of one.
func (p *page) csl(c *citation) {
	p.HTML(`[{"id":`)
	p.JSON(c.id)
	p.HTML(`,"type":"webpage","title":`)
	p.JSON(c.title)
	p.HTML(`,"author":[{"literal":`)
	p.JSON(c.publisher)
	p.HTML(`}],"container-title":`)
	p.JSON(c.container)
	p.HTML(`,"publisher":`)
	p.JSON(c.publisher)
	if d := c.updated; d != "" {
		p.HTML(`,"issued":{"date-parts":[[`)
		p.Text(string(d[:4]))
		p.HTML(",")
		p.Text(strings.TrimPrefix(string(d[5:7]), "0"))
		p.HTML(",")
		p.Text(strings.TrimPrefix(string(d[8:]), "0"))
		p.HTML("]]}")
	}
	p.HTML(`,"version":`)
	p.JSON(c.version)
	p.HTML(`,"genre":`)
	p.JSON(c.kind)
	p.HTML(`,"URL":`)
	p.JSON(c.address)
	p.HTML(`,"note":`)
	p.JSON(c.note())
	p.HTML("}]")
}

// note says what a citation should not leave out.
func (c *citation) note() string {
	note := capital(c.words.CiteVersion) + " " + c.version
	if c.verified != "" {
		note += ", " + c.words.CiteVerified + " " + string(c.verified)
	}
	if c.retracted {
		note += ", " + c.words.CiteRetracted
	}
	return note
}
