package describe

import (
	"bytes"
	"encoding/xml"
	"strings"

	"stele/internal/base/layout"
)

// atomFeed is an RFC 4287 feed with RFC 5005 archives.
type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	History  string      `xml:"xmlns:fh,attr"`
	Language string      `xml:"xml:lang,attr,omitempty"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle"`
	Updated  string      `xml:"updated"`
	Author   atomPerson  `xml:"author"`
	Rights   string      `xml:"rights"`
	Links    []atomLink  `xml:"link"`
	Archive  *struct{}   `xml:"fh:archive"`
	Entries  []atomEntry `xml:"entry"`
}

type atomPerson struct {
	Name string `xml:"name"`
	URI  string `xml:"uri,omitempty"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Published  string         `xml:"published"`
	Updated    string         `xml:"updated"`
	Links      []atomLink     `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Content    atomText       `xml:"content"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

func (p page) atom() []byte {
	const suffix = ".atom"
	f := atomFeed{
		History: "http://purl.org/syndication/history/1.0", ID: p.urlOf(p.path(suffix)), Title: p.title(), Subtitle: p.terms(), Updated: p.updated(),
		Author: atomPerson{
			Name: p.settings.Publisher, URI: p.urlOf(""),
		}, Rights: "Licence: " + p.settings.License + ". " + strings.TrimSpace(p.settings.Notice),
		Links: []atomLink{
			{"self", layout.TypeAtom, p.urlOf(p.ownURL(suffix))},
			{"alternate", layout.TypeHTML, p.homeURL()},
			{"via", layout.TypeJSON, p.urlOf(changeEventKind().Collection.Path)},
		},
	}
	if language.MatchString(p.settings.Language) {
		f.Language = p.settings.Language
	}
	if p.number > 0 {
		f.Archive = &struct{}{}
		f.Links = append(f.Links, atomLink{"current", layout.TypeAtom, p.urlOf(p.path(suffix))})
	}
	if before := p.earlierURL(suffix); before != "" {
		f.Links = append(f.Links, atomLink{"prev-archive", layout.TypeAtom, p.urlOf(before)})
	}
	for _, item := range p.items {
		entry := atomEntry{
			ID: item.ID, Title: item.Title, Published: item.DatePublished, Updated: item.DatePublished,
			Links: []atomLink{{"alternate", item.mediaType, item.URL}}, Content: atomText{"text", item.ContentText},
		}
		for _, tag := range item.Tags {
			entry.Categories = append(entry.Categories, atomCategory{tag})
		}
		f.Entries = append(f.Entries, entry)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	x := xml.NewEncoder(&b)
	x.Indent("", " ")
	if err := x.Encode(f); err != nil {
		panic("describe: " + err.Error()) // texts can be encoded, and memory does not fail
	}
	b.WriteByte('\n')
	return b.Bytes()
}
