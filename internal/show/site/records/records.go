// Package records makes the page of each record, by what its kind is made of: what it says and
// where that ends, what it rests on, its history; and the pages of earlier versions and of records
// that were removed.
package records

import (
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/workbook"
	"stele/record"
)

// Room makes the pages of records.
type Room struct {
	*frame.Room[*page]
	plans      map[*record.Kind]*Plan
	superseded map[*record.Kind][]render.Superseded // the versions that are not the newest any more and have a page
	figures    Figures
}

// page is the page of a record.
type page struct {
	*frame.Page
	of     *Room
	groups []group // of the page before; their memory is used again
	json   string  // where the record is published, from the root of the site
	// the workbook of the place that was read last, filled but not made; nil for none
	book   *workbook.Book
	bookOf *lookup.Place
}

// New opens the room.
func New(press *frame.Press, figures Figures) (*Room, error) {
	r := &Room{
		plans: map[*record.Kind]*Plan{}, superseded: map[*record.Kind][]render.Superseded{}, figures: figures,
	}
	r.Room = frame.NewRoom(press, func(p *frame.Page) *page { return &page{Page: p, of: r} })
	for _, k := range record.Kinds {
		r.plans[k] = newPlan(k, press.Words)
		list, err := press.Records.Superseded(k)
		if err != nil {
			return nil, err
		}
		r.superseded[k] = list
	}
	return r, nil
}

// Plan is how the records of a kind are shown.
func (s *Room) Plan(k *record.Kind) *Plan { return s.plans[k] }
