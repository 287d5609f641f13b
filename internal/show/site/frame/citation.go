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

// Texts to copy, and metadata for reference managers.
var (
	tagForm  = markup.Parse(`<meta name="{name}" content="{content}">`)
	citeForm = markup.Parse(`
		<section id="use" class="use" data-copy="{=Copy}" data-copied="{=Copied}"><h2>{=UseCite}</h2>{citation}</section>`)
	snippetForm = markup.Parse(`<pre tabindex="0" class="copy">{text}</pre>`)
	foldedForm  = markup.Parse(`<details><summary>{name}</summary><pre tabindex="0" class="copy">{text}</pre></details>`)
)

// Citation contains the data for citing a record, an indicator, the release, or a record's source.
type Citation struct {
	words            *words.Set
	id               string
	title            string
	author           string // an organization, never a person
	publisher        string
	container        string // what it is part of
	kind             string
	version, release string
	address, doi     string
	issued, verified record.Date
	retracted        string // the day on which it was retracted, or "yes"; otherwise ""
	full             string // a complete citation, if there is one
	language         string
	form             citationForm
}

// citationForm contains the types of a citation in different formats.
type citationForm struct{ bibTeX, ris, dublinCore string }

var (
	webPage = citationForm{"misc", "ELEC", "Text"}
	dataset = citationForm{"misc", "DATA", "Dataset"}
	// sourceForms are the types of sources.
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

func (p *Page) newCitation(id, title, kind string, issued record.Date) Citation {
	return Citation{
		words: p.cited, id: id, title: title, author: p.Settings.Publisher, publisher: p.Settings.Publisher,
		container: p.Settings.Title, kind: kind, address: p.Public(p.Own), issued: issued,
		language: p.Settings.Language, form: dataset,
	}
}

func (p *Page) CiteRecord(k *record.Kind, e *record.Envelope) Citation {
	c := p.newCitation(string(e.ID), lookup.Name(e), p.cited.Cited(k), max(e.UpdatedDate, e.PublishedDate))
	c.version, c.verified, c.form = strconv.FormatInt(e.Version, 10), e.VerificationDate, webPage
	if day, retracted := e.RetractedOn(); retracted {
		c.retracted = string(day)
	}
	return c
}

// CiteSource returns the citation of the source that s describes.
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

// CiteIndicator returns the citation of all values of an indicator. changed, the date of the last
// change, is their version; verified is the earliest verification date.
func (p *Page) CiteIndicator(id, name string, changed, verified record.Date) Citation {
	c := p.newCitation(id, name, p.cited.CiteIndicator, changed)
	c.version, c.verified = string(changed), verified
	return c
}

// CitePlace returns the citation of all figures of the place with the given key and name. changed
// is the date of the last change.
func (p *Page) CitePlace(key, name string, changed record.Date) Citation {
	c := p.newCitation(key, name, strings.ToLower(p.cited.Place), changed)
	c.version = string(changed)
	return c
}

// InRelease adds the release of the cited figures, and links to the figures in it.
func (c *Citation) InRelease(release string) {
	if release != "" {
		if c.release = release; c.address != "" {
			c.address += "?as-of=" + release
		}
	}
}

// CiteRelease returns the citation of the whole release.
func (p *Page) CiteRelease() Citation {
	m := p.Records.Release()
	c := p.newCitation("release-"+m.Release, p.Settings.Title, p.cited.CiteDataset, record.Date(m.Date))
	c.container, c.release, c.address = "", m.Release, p.Public(p.Base+"/")
	return c
}

// text returns the citation as a sentence.
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

// details returns the version, the release and the verification date, if they are known.
func (c *Citation) details() (list []string) {
	if c.version != "" {
		version := c.version
		if len(version) == len("2006-01-02") { // of an indicator: the day of the last change
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

// note returns a note with the facts that a citation should not omit.
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
	// Unchanged: LaTeX reads both without commands.
	if c.doi != "" {
		b.WriteString("  doi = {" + plainTeX.Replace(c.doi) + "},\n")
	}
	b.WriteString("  url = {" + plainTeX.Replace(c.address) + "},\n}\n")
	return b.String()
}

// plainTeX escapes characters that would end a BibTeX member.
var plainTeX = strings.NewReplacer("{", "%7B", "}", "%7D", `\`, "%5C", "\n", "")

// bibTeXSpecial escapes LaTeX commands.
var bibTeXSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "\n", " ",
)

// ris returns the citation in the RIS format of reference managers.
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

// writeCitationTags writes c as metadata for reference managers.
func (p *Page) writeCitationTags(c *Citation) {
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

// WriteCitation writes c in all formats, to copy.
func (p *Page) WriteCitation(c *Citation) {
	p.WriteSnippet("", c.text())
	p.WriteSnippet("BibTeX", c.bibTeX())
	p.WriteSnippet("RIS", c.ris())
}

// WriteCitationSection writes the citation of a page that is not about a record.
func (p *Page) WriteCitationSection(c *Citation) {
	p.Fill(citeForm, markup.By("citation", func() { p.WriteCitation(c) }))
}

// WriteSnippet writes a text to copy. If name is not "", the text is folded under it.
func (p *Page) WriteSnippet(name, text string) {
	if name == "" {
		p.Fill(snippetForm, markup.With("text", text))
		return
	}
	p.Fill(foldedForm, markup.With("name", name), markup.With("text", text))
}
