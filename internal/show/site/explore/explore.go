// Package explore writes the pages that lead to records: the lists of kinds, the search, the graph
// and the list of changes, and the files that their scripts read.
package explore

import (
	"sync"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/records"
	"stele/record"
)

// Section writes the pages that lead to records.
type Section struct {
	*frame.Section[*page]
	records   *records.Section
	figures   records.Figures
	downloads []render.Download
	tallies   map[*record.Kind]*frame.Tally // of records by standing
	finder    *finder
	past      func() map[string]*layout.Past // all releases by ID
}

// page is a page that leads to records.
type page struct {
	*frame.Page
	of *Section
}

// New returns a Section whose lists link to downloads.
func New(shared *frame.Site, records *records.Section, figures records.Figures, downloads []render.Download) *Section {
	r := &Section{records: records, figures: figures, downloads: downloads}
	r.Section = frame.NewSection(shared, func(p *frame.Page) *page { return &page{p, r} })
	r.finder = newFinder(r)
	r.past = sync.OnceValue(func() map[string]*layout.Past {
		all := map[string]*layout.Past{}
		for i, of := range r.Records.Releases() {
			all[of.Release] = &r.Records.Releases()[i]
		}
		return all
	})
	return r
}
