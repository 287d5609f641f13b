// Package figures writes the pages of indicators: charts, tables of values, and the files for
// interactive charts.
package figures

import (
	"sync"
	"sync/atomic"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/records"
)

// Section writes the pages of indicators.
type Section struct {
	*frame.Section[*page]
	Files     Files
	About     *records.Section // writes the description of an indicator
	held      atomic.Pointer[map[*lookup.Indicator]*heldSeries]
	sparkMu   sync.Mutex
	sparks    map[*lookup.Indicator]*spark // of the indicators whose pages were made
	kept      map[int32]*keptLine          // of their areas, by the first statistic of each
	keptBytes atomic.Int64
	updates   map[*lookup.Indicator][]Updated // of their figures
}

// page is the page of an indicator.
type page struct {
	*frame.Page
	of *Section
}

func New(shared *frame.Site) *Section {
	r := &Section{sparks: map[*lookup.Indicator]*spark{}, kept: map[int32]*keptLine{}}
	r.updates = map[*lookup.Indicator][]Updated{}
	r.Section = frame.NewSection(shared, func(p *frame.Page) *page { return &page{p, r} })
	return r
}

// Sparks writes indicators on the start page, each with its latest value and a small chart.
func (s *Section) Sparks(p *frame.Page) { (&page{p, s}).writeHomeFigures() }
