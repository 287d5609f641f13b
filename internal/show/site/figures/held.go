package figures

import (
	"sync"

	"stele/internal/show/site/lookup"
	"stele/internal/show/vintage"
)

// heldSeries contains the series of an indicator in memory while its pages and files are written,
// because reading a statistic takes longer than writing it.
type heldSeries struct {
	once sync.Once
	list []*series
	past []vintage.Row
}

// mostHeld is the maximum number of statistics held in memory, unless one indicator has more.
const mostHeld = 20_000

// visitInGroups calls write with groups of indicators that can be held in memory together.
func (s *Section) visitInGroups(write func(list []*lookup.Indicator) error) error {
	for rest := s.Indicators; len(rest) > 0; {
		n, count := 1, len(rest[0].Records)
		for n < len(rest) && count+len(rest[n].Records) <= mostHeld {
			count += len(rest[n].Records)
			n++
		}
		held := map[*lookup.Indicator]*heldSeries{}
		for _, x := range rest[:n] {
			held[x] = &heldSeries{}
		}
		s.held.Store(&held)
		err := write(rest[:n])
		s.held.Store(nil) // a preview renders its pages later, and reads the series again
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// openSeries returns the series of x, or nil if they are not held.
func (p *page) openSeries(x *lookup.Indicator) *heldSeries {
	held := p.of.held.Load()
	if held == nil || (*held)[x] == nil {
		return nil
	}
	h := (*held)[x]
	h.once.Do(func() {
		h.list, h.past = p.readSeries(x.Records), p.readPast(x)
	})
	return h
}

// seriesOf returns the series of x, which must not be changed.
func (p *page) seriesOf(x *lookup.Indicator) []*series {
	if h := p.openSeries(x); h != nil {
		return h.list
	}
	return p.readSeries(x.Records)
}

// seriesOfArea returns the series of x for the area with the given index.
func (p *page) seriesOfArea(x *lookup.Indicator, area int) []*series {
	h := p.openSeries(x)
	if h == nil {
		return p.readSeries(x.OfArea[area])
	}
	var list []*series
	for _, s := range h.list {
		if s.areaKey == x.Areas[area] {
			own := *s
			own.edition = false
			list = append(list, &own)
		}
	}
	p.nameVintages(list)
	sortSeries(list)
	return list
}
