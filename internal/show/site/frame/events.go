package frame

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/internal/compile/render"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The versions before and after an event.
var (
	fromToForm       = markup.Parse(` · {=FromVersion} {from} {=Arrow} {to}`)
	figureChangeForm = markup.Parse(` <strong>{figure}</strong>`)
	onlyVersionForm  = markup.Parse(` · {=FromVersion} {number}`)
)

// WriteSubject writes a link to the subject of an event, and the figure before and after it.
func (p *Page) WriteSubject(e *record.ChangeEvent, c *lookup.Changed) {
	title, address := p.SubjectOf(e)
	if e.ChangeType.OfKind() {
		p.WriteAnchor(address, title)
		return
	}
	p.Fill(ReferenceForm, markup.With("address", address), markup.With("title", title))
	if c.Figure != "" {
		p.Fill(figureChangeForm, markup.With("figure", c.Figure))
	}
}

// SubjectOf returns the title and URL of the subject of an event: a record, all records of a kind,
// or an area scheme.
func (p *Page) SubjectOf(e *record.ChangeEvent) (title, address string) {
	if scheme, ok := strings.CutPrefix(string(e.RecordID), layout.AreaEvent); ok && e.ChangeType == record.ChangeAreas {
		if address = layout.ListAddress("healthcare-statistics", 0); p.hasScheme(scheme) {
			address = "/" + layout.AreaFolder + scheme + "/"
		}
		return e.Title, address
	}
	if k := record.KindNamed(string(e.RecordKind)); k != nil && e.ChangeType.OfKind() {
		return p.Words.Name(k), layout.ListAddress(k.Folder(), 0)
	}
	r := p.Refer(string(e.RecordID))
	address = p.removedAddress(e)
	if address == "" || r.Address != "" {
		return r.Title, cmp.Or(p.ChangedAddress(e), r.Address)
	}
	title = r.Title
	versions := p.Records.Versions(record.KindNamed(string(e.RecordKind)), string(e.RecordID))
	for v := range lookup.All(p.Reader, versions) {
		title = cmp.Or(lookup.WholeTextOf(v.Record, `"title":`), title)
	}
	return title, address
}

// hasScheme reports whether the release has a page about the area scheme with the given name.
func (p *Page) hasScheme(name string) bool {
	return areas.Named(p.Records.Areas(), name) != nil
}

// WriteEventVersions writes the versions before and after an event.
func (p *Page) WriteEventVersions(e *record.ChangeEvent) {
	switch {
	case e.Before != nil && e.After != nil && e.Before.Version != e.After.Version:
		p.Fill(fromToForm, markup.Number("from", e.Before.Version), markup.Number("to", e.After.Version))
	case e.After != nil:
		p.Fill(onlyVersionForm, markup.Number("number", e.After.Version))
	}
}

// VersionOf returns the version of r, a record before or after an event, or 0 if r is nil.
func VersionOf(r *record.RecordDigest) int64 {
	if r == nil {
		return 0
	}
	return r.Version
}

// WriteChangedMembers writes the names of changed members. fields contains names or JSON Pointers.
func (p *Page) WriteChangedMembers(fields []string) {
	if names := p.Words.Changed(fields); len(names) > 0 {
		p.Text(p.Words.ChangedFields + ": " + strings.Join(names, p.Words.Comma) + ".")
	}
}

// removedAddress returns the URL of the page of a removed record, or "".
func (p *Page) removedAddress(e *record.ChangeEvent) string {
	k := record.KindNamed(string(e.RecordKind))
	if k == nil || !k.HasPage() || e.ChangeType != record.ChangeRemoved || e.After != nil {
		return ""
	}
	return layout.PageAddress(k.Folder(), string(e.RecordID))
}

// WriteGroupSubject writes the subject of a group of events, with a link to the indicator or the
// events.
func (p *Page) WriteGroupSubject(g *render.Group) { p.WriteAnchor(p.GroupAddress(g), p.GroupText(g)) }

// GroupAddress returns the URL for the subject of a group of events.
func (p *Page) GroupAddress(g *render.Group) string {
	if x := p.IndicatorCalled(g.Indicator); x != nil {
		return x.Address()
	}
	return "/" + p.EventsOf(g)
}

// GroupText returns the subject of a group of events with its count.
func (p *Page) GroupText(g *render.Group) string {
	if x := p.IndicatorCalled(g.Indicator); x != nil {
		return x.Title + p.Words.Comma + p.Words.Counted(p.Words.CountedFigures, g.Count)
	}
	if k := record.KindNamed(g.Kind); k != nil {
		return p.Words.RecordCount(k, g.Count)
	}
	return strconv.Itoa(g.Count) + " " + g.Kind
}

// EventsOf returns the path of the file with the events of a group: the collection, or an archive.
func (p *Page) EventsOf(g *render.Group) string {
	m := p.Records.Release()
	for _, a := range m.Archives() {
		if g.Date <= fmt.Sprintf("%04d-12-31", a.Year) {
			return a.Path
		}
	}
	return m.Kind(record.KindChangeEvent).Collection
}

// IntroducedBy returns the ID and date of the release that introduced e.
func IntroducedBy(e render.Entry) (id string, date record.Date) {
	if e.Group != nil {
		return e.Group.Release, record.Date(e.Group.Date)
	}
	return e.Event.Release, e.Event.PublishedDate
}
