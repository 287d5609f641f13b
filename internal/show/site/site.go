// Package site makes the pages of a release: what people open in a browser, from the same records
// and in the same build as the JSON.
//
// A page of a record depends on the record, what it is linked with and its events alone, so that it
// keeps its bytes from release to release while those do not change. Everything works without
// JavaScript but for what is interactive; nothing is requested from another site.
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

// site makes the pages that belong to no kind of records.
type site struct {
	*frame.Room[*page]
	downloads []render.Download
	figures   *figures.Room
}

// page is a page that belongs to no kind of records.
type page struct {
	*frame.Page
	of  *site
	led record.ID // the claim that leads the first page
}

// Write makes all pages. It is a render.Renderer.
func (o Options) Write(e render.Records, out render.Output) error {
	index, err := o.Series.Index(e)
	if err != nil {
		return err
	}
	press, err := frame.NewPress(index, out)
	if err != nil {
		return err
	}
	figures := figures.New(press)
	if o.Series != nil && o.Series.Choice.Indicators() {
		figures.Files.Formats, figures.Files.Areas = series.Formats, o.Series.Choice.Areas(press.Pairs())
	}
	records, err := records.New(press, figures)
	if err != nil {
		return err
	}
	figures.About = records
	downloads := o.Downloads.Of(e.Release())
	explore := explore.New(press, records, figures, downloads)
	s := &site{downloads: downloads, figures: figures}
	s.Room = frame.NewRoom(press, func(p *frame.Page) *page { return &page{Page: p, of: s} })
	for _, step := range []func() error{
		explore.WriteKinds, records.WriteVersions, records.WriteRemoved, figures.Write,
		explore.WriteStatistics, records.WritePlaces,
		s.writeHome, explore.WriteSearch,
		explore.WriteChanges, explore.WriteGraph, s.writeDevelopers, s.writeLabels, s.writeSigned, s.writeHow,
		records.WriteInQuestion, s.writeCalendar,
		s.writeForHosts, s.writeCards,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
