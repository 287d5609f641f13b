package site

import (
	"encoding/json"
	"strings"

	"stele/record"
)

// citation is what a reader needs to cite a record.
type citation struct {
	id, title, publisher, container, version, address string
	kind                                              string
	updated, verified                                 record.Date
	retracted                                         bool
}

func (p *page) citation(k *record.Kind, e *record.Envelope) citation {
	return citation{
		id: string(e.ID), title: p.name(e), publisher: p.settings.Publisher, container: p.settings.Title, version: itoa(e.Version), kind: k.One,
		address: p.base + "/" + k.Folder() + "/" + string(e.ID) + "/", updated: max(e.UpdatedDate, e.PublishedDate), verified: e.VerificationDate, retracted: e.Retracted(),
	}
}

// text is the citation as a sentence.
func (c *citation) text() string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(c.publisher, "."))
	if c.updated != "" {
		b.WriteString(" (" + string(c.updated[:4]) + ")")
	}
	b.WriteString(". " + strings.TrimSuffix(c.title, ".") + ".")
	if c.retracted {
		b.WriteString(" [Retracted.]")
	}
	b.WriteString(" " + strings.TrimSuffix(c.container, ".") + ", " + c.kind + " " + c.id + ", version " + c.version)
	if c.verified != "" {
		b.WriteString(", verified " + string(c.verified))
	}
	return b.String() + ". " + c.address
}

// bibTeX is the citation for LaTeX.
func (c *citation) bibTeX() string {
	var b strings.Builder
	b.WriteString("@misc{" + c.id + ",\n")
	member := func(name, value string) {
		if value != "" {
			b.WriteString("  " + name + " = {" + value + "},\n")
		}
	}
	member("author", "{"+bibTeXText(c.publisher)+"}")
	member("title", "{"+bibTeXText(c.title)+"}")
	if c.updated != "" {
		member("year", string(c.updated[:4]))
	}
	member("howpublished", bibTeXText(c.container))
	note := "Version " + c.version
	if c.verified != "" {
		note += ", verified " + string(c.verified)
	}
	if c.retracted {
		note += ", retracted"
	}
	member("note", note)
	member("url", c.address)
	return b.String() + "}\n"
}

// bibTeXSpecial escapes what LaTeX would take for a command.
var bibTeXSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "\n", " ",
)

func bibTeXText(s string) string { return bibTeXSpecial.Replace(s) }

// csl is a citation in the JSON of the Citation Style Language.
type csl struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Title     string    `json:"title"`
	Author    []cslName `json:"author"`
	Container string    `json:"container-title"`
	Publisher string    `json:"publisher"`
	Issued    *cslDate  `json:"issued,omitempty"`
	Version   string    `json:"version"`
	Genre     string    `json:"genre"`
	URL       string    `json:"URL"`
	Note      string    `json:"note,omitempty"`
}

type cslName struct {
	Literal string `json:"literal"`
}

type cslDate struct {
	Parts [][]json.Number `json:"date-parts"`
}

// cslJSON is the citation for reference managers: a list of one.
func (c *citation) cslJSON() string {
	item := csl{
		ID: c.id, Type: "webpage", Title: c.title, Author: []cslName{{c.publisher}}, Container: c.container, Publisher: c.publisher,
		Version: c.version, Genre: c.kind, URL: c.address,
	}
	if c.updated != "" {
		var parts []json.Number
		for part := range strings.SplitSeq(string(c.updated), "-") {
			parts = append(parts, json.Number(strings.TrimLeft(part, "0")))
		}
		item.Issued = &cslDate{[][]json.Number{parts}}
	}
	if c.verified != "" {
		item.Note = "Verified " + string(c.verified)
	}
	if c.retracted {
		item.Note += "; retracted"
	}
	return string(encode([]csl{item}))
}
