package site

import (
	"strings"

	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// tagForm is a tag that reference managers look for.
var tagForm = markup.Parse(`<meta name="{name}" content="{content}">`)

// citation is what a reader needs to cite something: a record, an indicator, the release, or a
// source that a record describes.
type citation struct {
	words            *words.Set
	id               string
	title            string
	author           string // a body, never a person
	publisher        string
	container        string // what it is a part of
	kind             string
	version, release string
	address, doi     string
	issued, verified record.Date
	retracted        string // the day on which it was retracted, or "yes"; "" if it stands
	full             string // the citation as somebody wrote it already
	language         string
	form             citationForm
}

// citationForm is what the formats call something.
type citationForm struct{ bibTeX, ris, csl, dublinCore string }

var (
	webPage = citationForm{"misc", "ELEC", "webpage", "Text"}
	dataset = citationForm{"misc", "DATA", "dataset", "Dataset"}
	// sourceForms are those of sources, by their type.
	sourceForms = map[record.SourceType]citationForm{
		record.SourceDataset:     dataset,
		record.SourceArticle:     {"article", "JOUR", "article-journal", "Text"},
		record.SourceReview:      {"article", "JOUR", "article-journal", "Text"},
		record.SourceGuideline:   {"techreport", "RPRT", "report", "Text"},
		record.SourceReport:      {"techreport", "RPRT", "report", "Text"},
		record.SourceWebPage:     webPage,
		record.SourceLegislation: {"misc", "STAT", "legislation", "Text"},
	}
)

// citation is how to cite a record.
func (p *page) citation(k *record.Kind, e *record.Envelope) citation {
	c := citation{
		words: p.words, id: string(e.ID), title: p.name(e), author: p.settings.Publisher,
		publisher: p.settings.Publisher, container: p.settings.Title, version: itoa(e.Version),
		kind: k.One, address: p.own, issued: max(e.UpdatedDate, e.PublishedDate),
		verified: e.VerificationDate, language: p.settings.Language, form: webPage,
	}
	if day, retracted := e.RetractedOn(); retracted {
		c.retracted = string(day)
	}
	return c
}

// sourceCitation is how to cite the source that a record describes, and not the record.
func (p *page) sourceCitation(s *record.SourceObject) citation {
	c := citation{
		words: p.words, id: string(s.ID), title: p.name(&s.Envelope), publisher: s.Producer, address: string(s.URLMain),
		doi: s.Identifiers.Get("doi"), issued: s.DatePublished, full: s.CitationFull, version: s.VersionProducer,
		form: sourceForms[s.SourceType],
	}
	if c.form == (citationForm{}) {
		c.form = webPage
	}
	if withdrawn, _, _ := s.Notices(); withdrawn != nil {
		c.retracted = string(withdrawn.Date)
	}
	return c
}

// indicatorCitation is how to cite all values of an indicator, as they last changed.
func (p *page) indicatorCitation(x *indicator, name string, list []*series) citation {
	c := citation{
		words: p.words, id: x.name, title: name, author: p.settings.Publisher, publisher: p.settings.Publisher,
		container: p.settings.Title, address: p.own, language: p.settings.Language, form: dataset,
		kind: p.words.CiteIndicator,
	}
	for _, s := range list {
		for i := range s.values {
			c.issued = max(c.issued, s.values[i].UpdatedDate, s.values[i].PublishedDate)
		}
	}
	return c
}

// releaseCitation is how to cite the whole release.
func (p *page) releaseCitation() citation {
	m := p.e.Release()
	return citation{
		words: p.words, id: "release-" + m.Release, title: p.settings.Title, author: p.settings.Publisher,
		publisher: p.settings.Publisher, release: m.Release, address: p.base + "/", issued: record.Date(m.Date),
		language: p.settings.Language, form: dataset, kind: p.words.CiteDataset,
	}
}

// text is the citation as a sentence.
func (c *citation) text() string {
	if c.full != "" {
		text := strings.TrimSuffix(c.full, ".") + "."
		if c.retracted != "" && !strings.Contains(strings.ToLower(text), "retracted") {
			text += " [" + words.Capital(c.words.CiteRetracted) + " " + c.retracted + ".]"
		}
		if c.doi != "" && strings.Contains(text, c.doi) || strings.Contains(text, c.address) {
			return text
		}
		return text + " " + c.address
	}
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(c.author, "."))
	if c.issued != "" {
		b.WriteString(" (" + string(c.issued[:4]) + ")")
	}
	b.WriteString(". " + strings.TrimSuffix(c.title, ".") + ".")
	if c.retracted != "" {
		b.WriteString(" [" + words.Capital(c.words.CiteRetracted) + ".]")
	}
	parts := []string{}
	if c.container != "" {
		parts = append(parts, strings.TrimSuffix(c.container, "."))
	}
	switch {
	case c.release != "":
		parts = append(parts, c.kind)
	default:
		parts = append(parts, c.kind+" "+c.id)
	}
	parts = append(parts, c.details()...)
	b.WriteString(" " + words.Capital(strings.Join(parts, ", ")) + ". " + c.address)
	return b.String()
}

// details are the version, the release and the day of verification, as far as there are any.
func (c *citation) details() (list []string) {
	if c.version != "" {
		list = append(list, c.words.CiteVersion+" "+c.version)
	}
	if c.release != "" {
		list = append(list, c.words.CiteRelease+" "+c.release)
	}
	if c.verified != "" {
		list = append(list, c.words.CiteVerified+" "+string(c.verified))
	}
	return list
}

// note says what a citation should not leave out.
func (c *citation) note() string {
	parts := c.details()
	switch {
	case c.retracted != "" && c.full != "":
		parts = append(parts, c.words.CiteRetracted+" "+c.retracted)
	case c.retracted != "":
		parts = append(parts, c.words.CiteRetracted)
	}
	return words.Capital(strings.Join(parts, ", "))
}

// bibTeX is the citation for LaTeX.
func (c *citation) bibTeX() string {
	var b strings.Builder
	b.WriteString("@" + c.form.bibTeX + "{" + c.id + ",\n")
	member := func(name, value, open, end string) {
		if value != "" {
			b.WriteString("  " + name + " = " + open + bibTeXText(value) + end + ",\n")
		}
	}
	year := ""
	if c.issued != "" {
		year = string(c.issued[:4])
	}
	member("author", c.author, "{{", "}}")
	member("title", c.title, "{{", "}}")
	member("year", year, "{", "}")
	if c.full != "" {
		member("publisher", c.publisher, "{{", "}}")
		member("howpublished", c.full, "{", "}")
	} else {
		member("howpublished", c.container, "{", "}")
	}
	member("note", c.note(), "{", "}")
	// As they are: LaTeX reads both without commands.
	if c.doi != "" {
		b.WriteString("  doi = {" + plainTeX(c.doi) + "},\n")
	}
	b.WriteString("  url = {" + plainTeX(c.address) + "},\n}\n")
	return b.String()
}

// plainTeX leaves out what would end a member of BibTeX.
func plainTeX(s string) string {
	if !strings.ContainsAny(s, "{}\\\n") { // as nearly always
		return s
	}
	return strings.NewReplacer("{", "%7B", "}", "%7D", `\`, "%5C", "\n", "").Replace(s)
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

// ris is the citation for reference managers that read lines with tags.
func (c *citation) ris() string {
	var b strings.Builder
	line := func(tag, value string) {
		if value != "" {
			b.WriteString(tag + "  - " + strings.ReplaceAll(strings.ReplaceAll(value, "\r", " "), "\n", " ") + "\n")
		}
	}
	line("TY", c.form.ris)
	line("ID", c.id)
	line("AU", c.author)
	line("TI", c.title)
	line("T2", c.container)
	line("PB", c.publisher)
	if c.issued != "" {
		line("PY", string(c.issued[:4]))
		line("DA", strings.ReplaceAll(string(c.issued), "-", "/"))
	}
	line("ET", c.version+c.release)
	line("DO", c.doi)
	line("UR", c.address)
	line("LA", c.language)
	line("N1", c.full)
	line("N1", c.note())
	b.WriteString("ER  - \n")
	return b.String()
}

// csl writes the citation in the JSON of the Citation Style Language: a list of one.
func (p *page) csl(c *citation) {
	p.HTML(`[{"id":`)
	p.JSON(c.id)
	p.HTML(`,"type":`)
	p.JSON(c.form.csl)
	p.HTML(`,"title":`)
	p.JSON(c.title)
	if c.author != "" {
		p.HTML(`,"author":[{"literal":`)
		p.JSON(c.author)
		p.HTML(`}]`)
	}
	if d := c.issued; d != "" {
		p.HTML(`,"issued":{"date-parts":[[`)
		p.Text(string(d[:4]))
		p.HTML(",")
		p.Text(strings.TrimPrefix(string(d[5:7]), "0"))
		p.HTML(",")
		p.Text(strings.TrimPrefix(string(d[8:]), "0"))
		p.HTML("]]}")
	}
	note := c.note()
	if c.full != "" {
		note = strings.TrimSpace(c.full + " " + note)
	}
	for _, m := range [...]struct{ name, text string }{
		{"container-title", c.container},
		{"publisher", c.publisher},
		{"version", c.version + c.release},
		{"genre", c.kind},
		{"DOI", c.doi},
		{"URL", c.address},
		{"note", note},
	} {
		if m.text != "" {
			p.HTML(",")
			p.JSON(m.name)
			p.HTML(":")
			p.JSON(m.text)
		}
	}
	p.HTML("}]")
}

// citationTags writes the tags that reference managers look for in the head of a page.
func (p *page) citationTags(c *citation) {
	date := strings.ReplaceAll(string(c.issued), "-", "/")
	for _, m := range [...]struct{ name, text string }{
		{"citation_title", c.title},
		{"citation_author", c.author},
		{"citation_publication_date", date},
		{"citation_publisher", c.publisher},
		{"citation_doi", c.doi},
		{"citation_language", c.language},
		{"citation_public_url", c.address},
		{"DC.title", c.title},
		{"DC.creator", c.author},
		{"DC.date", string(c.issued)},
		{"DC.publisher", c.publisher},
		{"DC.identifier", c.address},
		{"DC.type", c.form.dublinCore},
		{"DC.description", c.note()},
		{"DC.isPartOf", c.container},
	} {
		if m.text != "" {
			p.Fill(tagForm, markup.With("name", m.name), markup.With("content", m.text))
		}
	}
	p.HTML("\n")
}

// cite writes a citation in all its forms, to copy.
func (p *page) cite(c *citation) {
	p.snippet("", c.text())
	p.snippet("BibTeX", c.bibTeX())
	p.snippet("RIS", c.ris())
	p.Fill(foldedForm, markup.With("name", "CSL-JSON"), markup.By("text", func() { p.csl(c) }))
}
