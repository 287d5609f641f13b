package site

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/layout"
	"stele/internal/render"
	"stele/record"
)

// gatherVersions finds the versions that have a page.
func (s *site) gatherVersions() error {
	s.superseded = map[*record.Kind][]render.Superseded{}
	for _, k := range record.Kinds {
		list, err := s.e.Superseded(k)
		if err != nil {
			return err
		}
		s.superseded[k] = list
	}
	return nil
}

// versionAddress is the address of the page of a version; "" if it has none.
func (s *site) versionAddress(k *record.Kind, id string, version int64) string {
	_, found := slices.BinarySearchFunc(s.superseded[k], id, func(v render.Superseded, id string) int {
		return cmp.Or(strings.Compare(v.ID, id), cmp.Compare(v.Version, version))
	})
	if !found {
		return ""
	}
	return layout.Address(layout.VersionPath(k.Folder(), id, version))
}

// writeVersions makes a page for each version of a record that is not the newest any more. It
// depends on that version and the one that came after it alone, so that it keeps its bytes.
func (s *site) writeVersions() error {
	for _, k := range record.Kinds {
		list := s.superseded[k]
		path := func(i int) string { return layout.VersionPath(k.Folder(), list[i].ID, list[i].Version) }
		err := s.each(len(list), path, func(p *page, i int) error { return p.version(k, &list[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// version writes the page of an earlier version: that it is one, what it said, and what was changed
// in it then.
func (p *page) version(k *record.Kind, v *render.Superseded) error {
	var event *record.ChangeEvent
	for e, err := range p.e.Events(k).From(int(v.Event)) {
		if err != nil {
			return err
		}
		event = e
		break
	}
	was, is, err := p.beforeAndAfter(k, event)
	if err != nil {
		return err
	}
	rec, err := p.parser.Parse(k, was)
	if err != nil {
		return err
	}
	e := rec.Common()
	newest := layout.Address(layout.PagePath(k.Folder(), v.ID))
	_, _, there := p.e.Find(v.ID)
	h := head{
		title:       p.name(e) + " · " + p.words.FromVersion + " " + strconv.FormatInt(v.Version, 10),
		description: p.words.SupersededText, hidden: true,
	}
	if there {
		h.canonical = p.base + newest
	}
	p.begin(h)
	p.HTML("<article>")
	p.crumbs(k, v.ID)
	p.supersededBy(event, newest, there)
	p.opening(k, e)
	p.HTML("</header><div class=\"columns\"><div>\n")
	p.statement(p.plans[k], rec)
	p.sources(e)
	if is != nil {
		p.HTML(`<section id="after"><h2>`)
		p.Text(p.words.ChangedAfter)
		p.HTML("</h2>")
		if err := p.difference(was, is); err != nil {
			return err
		}
		p.HTML("</section>\n")
	}
	p.HTML("</div>\n<aside>")
	p.HTML(`<p class="quiet">`)
	p.Text(p.words.VersionData)
	p.HTML(" <code>")
	p.Text(k.HistoryPath())
	p.HTML("</code></p></aside></div>\n</article>")
	p.end()
	return nil
}

// supersededBy says plainly that the page is not the newest, what took its place, when and why.
func (p *page) supersededBy(e *record.ChangeEvent, newest string, there bool) {
	p.HTML(`<div class="warning grave" role="note"><p><strong>`)
	if e.After == nil {
		p.Text(p.words.RemovedRecord)
	} else {
		p.Text(p.words.Superseded)
	}
	p.HTML("</strong> ")
	p.Text(p.words.ThisIsVersion)
	p.HTML(" ")
	p.Int(e.Before.Version)
	p.HTML(". ")
	p.Text(p.words.SupersededText)
	p.HTML("</p><p>")
	p.date(e.PublishedDate)
	p.HTML(" ")
	p.plainBadge(changeTypes, string(e.ChangeType))
	p.versions(e)
	p.HTML(" · ")
	p.Text(p.words.EventInRelease)
	p.HTML(" <code>")
	p.Text(e.Release)
	p.HTML("</code></p>")
	if e.Summary != "" {
		p.HTML("<p>")
		p.Text(e.Summary)
		p.HTML("</p>")
	}
	if there {
		p.HTML("<p><a")
		p.Attr("href", newest)
		p.HTML(">")
		p.Text(p.words.ReadNewest)
		p.HTML("</a></p>")
	}
	p.HTML("</div>\n")
}

// beforeAndAfter reads the record that an event is about as it was before, and as it was after; nil
// where it was removed, or where nothing is kept.
func (p *page) beforeAndAfter(k *record.Kind, e *record.ChangeEvent) (was, is []byte, err error) {
	for v, err := range p.e.Versions(k, string(e.RecordID)) {
		if err != nil {
			return nil, nil, err
		}
		sum := record.SHA256(v.SHA256.String())
		if e.Before != nil && sum == e.Before.SHA256 {
			was = bytes.Clone(v.Record)
		}
		if e.After != nil && sum == e.After.SHA256 {
			is = bytes.Clone(v.Record)
		}
	}
	if e.After == nil || is != nil || was == nil {
		return was, is, nil
	}
	found, i, ok := p.e.Find(string(e.RecordID))
	if !ok {
		return was, nil, nil
	}
	now, err := p.records.Record(found, i)
	return was, slices.Clone(now), err
}
