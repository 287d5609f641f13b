package site

import "stele/record"

// writeStatistics makes the page of the kind: its indicators.
func (s *site) writeStatistics(k *record.Kind) error {
	return s.put(k.Folder()+"/index.html", func(p *page) error {
		p.begin(head{title: capital(k.Many), description: k.Doc, section: "/healthcare-statistics/", alternate: k.Collection.Path, data: p.dataset(k), wide: true})
		p.crumbs(k, "")
		p.kindOpening(k)
		p.end()
		return nil
	})
}

func (s *site) writeIndicators() error { return nil }
