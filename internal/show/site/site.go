// Package site writes the pages of a release from the same records and in the same build as the
// JSON.
//
// The page of a record depends only on the record, its links and its events, so that it keeps its
// bytes from release to release while these do not change. Pages work without JavaScript, except
// interactive parts, and request nothing from other sites.
package site

import (
	"stele/internal/compile/render"
	"stele/internal/show/series"
	"stele/internal/show/site/explore"
	"stele/internal/show/site/figures"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/records"
	"stele/record"
)

// site writes the pages that belong to no kind.
type site struct {
	*frame.Section[*page]
	downloads []render.Download
	figures   *figures.Section
	explore   *explore.Section
}

// page is a page that belongs to no kind.
type page struct {
	*frame.Page
	of  *site
	led record.ID // the claim at the top of the start page
}

// Write writes all pages to out. It implements render.Renderer.
func (o Options) Write(e render.Records, out render.Output) error {
	index, err := o.Series.Index(e)
	if err != nil {
		return err
	}
	shared, err := frame.NewSite(index, out)
	if err != nil {
		return err
	}
	figures := figures.New(shared)
	if o.Series != nil && o.Series.Choice.Indicators() {
		figures.Files.Formats, figures.Files.Areas = series.Formats, o.Series.Choice.Areas(shared.Pairs())
	}
	records, err := records.New(shared, figures)
	if err != nil {
		return err
	}
	figures.About = records
	downloads := o.Downloads.Of(e.Release())
	explore := explore.New(shared, records, figures, downloads)
	s := &site{downloads: downloads, figures: figures, explore: explore}
	s.Section = frame.NewSection(shared, func(p *frame.Page) *page { return &page{Page: p, of: s} })
	for _, step := range []func() error{
		explore.WriteKinds, records.WriteVersions, records.WriteRemoved, figures.Write,
		explore.WriteStatistics, records.WritePlaces, figures.WriteAreas,
		s.writeHome, explore.WriteSearch,
		explore.WriteChanges, explore.WriteReleases, explore.WriteGraph,
		s.writeDevelopers, s.writeLabels, s.writeSigned, s.writeHow,
		records.WriteInQuestion, s.writeCalendar,
		s.writeForHosts, s.writeCards,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
