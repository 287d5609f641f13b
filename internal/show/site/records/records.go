// Package records writes the page of each record from its kind's shape: the content and its limits,
// the sources, the history; and the pages of earlier versions and of removed records.
package records

import (
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/workbook"
	"stele/record"
)

// Section writes the pages of records.
type Section struct {
	*frame.Section[*page]
	plans      map[*record.Kind]*Plan
	superseded map[*record.Kind][]render.Superseded // superseded versions with a page
	figures    Figures
}

// page is the page of a record.
type page struct {
	*frame.Page
	of     *Section
	groups []group // of the previous page; their memory is reused
	json   string  // path of the record's JSON
	// the workbook of the last place read, filled but not made; or nil
	book   *workbook.Book
	bookOf *lookup.Place
}

func New(shared *frame.Site, figures Figures) (*Section, error) {
	r := &Section{
		plans: map[*record.Kind]*Plan{}, superseded: map[*record.Kind][]render.Superseded{}, figures: figures,
	}
	r.Section = frame.NewSection(shared, func(p *frame.Page) *page { return &page{Page: p, of: r} })
	for _, k := range record.Kinds {
		r.plans[k] = newPlan(k, shared.Words)
		list, err := shared.Records.Superseded(k)
		if err != nil {
			return nil, err
		}
		r.superseded[k] = list
	}
	return r, nil
}

// Plan returns the plan for the pages of k.
func (s *Section) Plan(k *record.Kind) *Plan { return s.plans[k] }
