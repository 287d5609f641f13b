package frame

import (
	"cmp"
	"strconv"
	"strings"

	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// What is there to be copied, and what reference managers look for.
var (
	tagForm  = markup.Parse(`<meta name="{name}" content="{content}">`)
	citeForm = markup.Parse(`
		<section id="use" class="use" data-copy="{=Copy}" data-copied="{=Copied}"><h2>{=UseCite}</h2>{citation}</section>`)
	snippetForm = markup.Parse(`<pre tabindex="0" class="copy">{text}</pre>`)
	foldedForm  = markup.Parse(`<details><summary>{name}</summary><pre tabindex="0" class="copy">{text}</pre></details>`)
)

// Citation is what a reader needs to cite something: a record, an indicator, the release, or a
// source that a record describes.
type Citation struct {
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
type citationForm struct{ bibTeX, ris, dublinCore string }

var (
	webPage = citationForm{"misc", "ELEC", "Text"}
	dataset = citationForm{"misc", "DATA", "Dataset"}
	// sourceForms are those of sources, by their type.
	sourceForms = map[record.SourceType]citationForm{
		record.SourceDataset:     dataset,
		record.SourceArticle:     {"article", "JOUR", "Text"},
		record.SourceReview:      {"article", "JOUR", "Text"},
		record.SourceGuideline:   {"techreport", "RPRT", "Text"},
		record.SourceReport:      {"techreport", "RPRT", "Text"},
		record.SourceWebPage:     webPage,
		record.SourceLegislation: {"misc", "STAT", "Text"},
	}
)

// ownCitation is how to cite what the publisher publishes: the page that is being made.
func (p *Page) ownCitation(id, title, kind string, issued record.Date) Citation {
	return Citation{
		words: p.cited, id: id, title: title, author: p.Settings.Publisher, publisher: p.Settings.Publisher,
		container: p.Settings.Title, kind: kind, address: p.Public(p.Own), issued: issued,
		language: p.Settings.Language, form: dataset,
	}
}

// CiteRecord is how to cite a record.
func (p *Page) CiteRecord(k *record.Kind, e *record.Envelope) Citation {
	c := p.ownCitation(string(e.ID), lookup.Name(e), p.cited.Cited(k), max(e.UpdatedDate, e.PublishedDate))
	c.version, c.verified, c.form = strconv.FormatInt(e.Version, 10), e.VerificationDate, webPage
	if day, retracted := e.RetractedOn(); retracted {
		c.retracted = string(day)
	}
	return c
}

// CiteSource is how to cite the source that a record describes, and not the record.
func (p *Page) CiteSource(s *record.SourceObject) Citation {
	c := Citation{
		words: p.cited, id: string(s.ID), title: lookup.Name(&s.Envelope), publisher: s.Producer,
		address: string(s.URLMain), doi: s.Identifiers.Get("doi"), issued: s.DatePublished,
		full: s.CitationFull, version: s.VersionProducer, form: sourceForms[s.SourceType],
	}
	if c.form == (citationForm{}) {
		c.form = webPage
	}
	if withdrawn, _, _ := s.Notices(); withdrawn != nil {
		c.retracted = string(withdrawn.Date)
	}
	return c
}

// CiteIndicator is how to cite all values of an indicator. The day on which they last changed is
// their version; verified is the day before which none was verified last.
func (p *Page) CiteIndicator(id, name string, changed, verified record.Date) Citation {
	c := p.ownCitation(id, name, p.cited.CiteIndicator, changed)
	c.version, c.verified = string(changed), verified
	return c
}

// CitePlace is how to cite all figures of a place.
func (p *Page) CitePlace(key, name string, changed record.Date) Citation {
	c := p.ownCitation(key, name, strings.ToLower(p.cited.Place), changed)
	c.version = string(changed)
	return c
}

// InRelease names the release whose figures are cited, and leads to them.
func (c *Citation) InRelease(release string) {
	if release != "" {
		if c.release = release; c.address != "" {
			c.address += "?as-of=" + release
		}
	}
}

// CiteRelease is how to cite the whole release.
func (p *Page) CiteRelease() Citation {
	m := p.Records.Release()
	c := p.ownCitation("release-"+m.Release, p.Settings.Title, p.cited.CiteDataset, record.Date(m.Date))
	c.container, c.release, c.address = "", m.Release, p.Public(p.Base+"/")
	return c
}

// text is the citation as a sentence.
func (c *Citation) text() string {
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
	if c.container == "" {
		parts = append(parts, c.kind)
	} else {
		parts = append(parts, strings.TrimSuffix(c.container, "."), c.kind+" "+c.id)
	}
	parts = append(parts, c.details()...)
	b.WriteString(" " + words.Capital(strings.Join(parts, c.words.Comma)) + ". " + c.address)
	return strings.TrimSuffix(b.String(), " ")
}

// details are the version, the release and the day of verification, as far as there are any.
func (c *Citation) details() (list []string) {
	if c.version != "" {
		version := c.version
		if len(version) == len("2006-01-02") { // of an indicator, the day on which it changed
			version = c.words.Day(record.Date(version))
		}
		list = append(list, c.words.CiteVersion+" "+version)
	}
	if c.release != "" {
		list = append(list, c.words.CiteRelease+" "+c.release)
	}
	if c.verified != "" {
		list = append(list, c.words.CiteVerified+" "+c.words.Day(c.verified))
	}
	return list
}

// note says what a citation should not leave out.
func (c *Citation) note() string {
	parts := c.details()
	switch {
	case c.retracted != "" && c.full != "":
		parts = append(parts, c.words.CiteRetracted+" "+c.retracted)
	case c.retracted != "":
		parts = append(parts, c.words.CiteRetracted)
	}
	return words.Capital(strings.Join(parts, c.words.Comma))
}

// bibTeX is the citation for LaTeX.
func (c *Citation) bibTeX() string {
	var b strings.Builder
	b.WriteString("@" + c.form.bibTeX + "{" + c.id + ",\n")
	member := func(name, value, open, end string) {
		if value != "" {
			b.WriteString("  " + name + " = " + open + bibTeXSpecial.Replace(value) + end + ",\n")
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
		b.WriteString("  doi = {" + plainTeX.Replace(c.doi) + "},\n")
	}
	b.WriteString("  url = {" + plainTeX.Replace(c.address) + "},\n}\n")
	return b.String()
}

// plainTeX leaves out what would end a member of BibTeX.
var plainTeX = strings.NewReplacer("{", "%7B", "}", "%7D", `\`, "%5C", "\n", "")

// bibTeXSpecial escapes what LaTeX would take for a command.
var bibTeXSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "\n", " ",
)

// ris is the citation for reference managers that read lines with tags.
func (c *Citation) ris() string {
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
	line("ET", cmp.Or(c.version, c.release))
	line("DO", c.doi)
	line("UR", c.address)
	line("LA", c.language)
	line("N1", c.full)
	line("N1", c.note())
	b.WriteString("ER  - \n")
	return b.String()
}

// citationTags writes the tags that reference managers look for in the head of a page.
func (p *Page) citationTags(c *Citation) {
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

// Cite writes a citation in all its forms, to copy.
func (p *Page) Cite(c *Citation) {
	p.Snippet("", c.text())
	p.Snippet("BibTeX", c.bibTeX())
	p.Snippet("RIS", c.ris())
}

// CiteSection writes how to cite what a page shows that is no record.
func (p *Page) CiteSection(c *Citation) {
	p.Fill(citeForm, markup.By("citation", func() { p.Cite(c) }))
}

// Snippet writes a text to copy; with a name it can be unfolded.
func (p *Page) Snippet(name, text string) {
	if name == "" {
		p.Fill(snippetForm, markup.With("text", text))
		return
	}
	p.Fill(foldedForm, markup.With("name", name), markup.With("text", text))
}
