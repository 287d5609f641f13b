// Package site makes the pages of a release: what people open in a browser, from the same records
// and in the same build as the JSON.
//
// A page of a record depends on the record, what it is linked with and its events alone, so that it
// keeps its bytes from release to release while those do not change. Everything works without
// JavaScript but for what is interactive; nothing is requested from another site.
package site

import (
	"net/url"
	"strings"
	"sync"

	"stele/internal/build/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/record"
)

// site is what all pages share.
type site struct {
	*frame.Room[*page]
	downloads []render.Download
	plans     map[*record.Kind]*plan
	finder    *finder
	// the versions that are not the newest any more and have a page
	superseded map[*record.Kind][]render.Superseded
	tallies    map[*record.Kind]*frame.Tally // of records by their standing
	sparkMu    sync.Mutex
	sparks     map[*lookup.Indicator]*spark // of the indicators whose pages were made
}

// page is a page in the making, and what those of the site know.
type page struct {
	*frame.Page
	of     *site
	groups []group // of the page before; their memory is used again
	json   string  // where its record is published, from the root of the site
}

// Write makes all pages. It is a render.Renderer.
func (o Options) Write(e render.Records, out render.Output) error {
	index, err := lookup.New(e)
	if err != nil {
		return err
	}
	c, err := frame.NewCommon(e.Settings(), out)
	if err != nil {
		return err
	}
	s := &site{downloads: o.Downloads.Of(e.Release()), plans: map[*record.Kind]*plan{}}
	s.Room = frame.NewRoom(&frame.Press{Common: c, Index: index, Out: out},
		func(p *frame.Page) *page { return &page{Page: p, of: s} })
	for _, k := range record.Kinds {
		s.plans[k] = newPlan(k)
	}
	for _, step := range []func() error{
		s.gatherFinder, s.gatherVersions,
		s.writeKinds, s.writeVersions, s.writeRemoved, s.writeIndicators, s.writeHome, s.writeSearch,
		s.writeChanges, s.writeGraph, s.writeDevelopers, s.writeLabels, s.writeSigned, s.writeForHosts,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeRecords makes the page of each record of a kind.
func (s *site) writeRecords(k *record.Kind, search *searchFile) error {
	return s.Each(s.Records.Len(k), func(i int) string { return render.Page(k, s.Records.ID(k, i)) },
		func(p *page, i int) error { return p.record(k, i, search) })
}

// rootPath is the path of the base address, for pages that are shown at any address.
func (s *site) rootPath() string {
	u, err := url.Parse(s.Base)
	if err != nil {
		return "/"
	}
	return strings.TrimSuffix(u.EscapedPath(), "/") + "/"
}
