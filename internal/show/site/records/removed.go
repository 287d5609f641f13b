package records

import (
	"maps"
	"slices"
	"strings"

	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The forms of the page of a removed record, with the date and reason of the removal, the last
// version, and the history.
var (
	removedForm = markup.Parse(`
		<article>{crumbs}
			<div class="warning grave" role="note">
				<p><strong>{=RemovedRecord}</strong> {=RemovedText}</p>
				{end}
			</div>
			{opening}</header>
			<div class="columns"><div>
				{statement}{sources}{history}
			</div>
			<aside>{facts}</aside></div>
		</article>`)
	removedNameForm = markup.Parse(`<header class="opening"><p class="kicker">{kind}</p><h1>{id}</h1>`)
)

// removedRecord is a removed record with its events, newest first.
type removedRecord struct {
	id     string
	events []*record.ChangeEvent
}

// removedRecords returns the removed records of k, sorted by ID.
func (s *Section) removedRecords(k *record.Kind) ([]removedRecord, error) {
	gone := map[string]*removedRecord{}
	for e, err := range s.Records.Events(k).From(0) {
		if err != nil {
			return nil, err
		}
		if e.ChangeType != record.ChangeRemoved || e.After != nil {
			continue
		}
		id := string(e.RecordID)
		if now, _, there := s.Records.Find(id); !there || now != k {
			gone[strings.Clone(id)] = &removedRecord{id: strings.Clone(id)}
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	for e, err := range s.Records.Events(k).From(0) {
		if err != nil {
			return nil, err
		}
		if r := gone[string(e.RecordID)]; r != nil && len(r.events) < frame.Shown {
			r.events = append(r.events, e)
		}
	}
	list := make([]removedRecord, 0, len(gone))
	for _, id := range slices.Sorted(maps.Keys(gone)) {
		list = append(list, *gone[id])
	}
	return list, nil
}

// WriteRemoved writes a page for each removed record at its former URL.
func (s *Section) WriteRemoved() error {
	for _, k := range record.Kinds {
		if !k.HasPage() {
			continue
		}
		list, err := s.removedRecords(k)
		if err != nil {
			return err
		}
		err = s.Each(len(list), func(i int) string { return render.PagePath(k, list[i].id) },
			func(p *page, i int) { p.writeRemovedPage(k, &list[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *page) writeRemovedPage(k *record.Kind, r *removedRecord) {
	at := slices.IndexFunc(r.events, func(e *record.ChangeEvent) bool {
		return e.ChangeType == record.ChangeRemoved && e.After == nil
	})
	end := r.events[max(at, 0)]
	was, _ := p.beforeAndAfter(k, end)
	title, rec := r.id, record.Record(nil)
	if was != nil {
		rec = p.Parse(k, was)
		title = lookup.Name(rec.Common())
	}
	p.Open(frame.Head{Title: title + " · " + p.Words.RemovedShort, Description: p.Words.RemovedText, Hidden: true})
	p.Fill(removedForm, markup.By("crumbs", func() { p.WriteBreadcrumbs(k, r.id) }),
		markup.By("end", func() { p.writeSupersedingEvent(end) }),
		markup.By("opening", func() {
			if rec == nil {
				p.Fill(removedNameForm, markup.With("kind", p.Words.Singular(k)), markup.With("id", r.id))
				return
			}
			p.writeOpening(k, rec)
		}),
		markup.When(rec != nil, "statement", func() { p.writeStatement(p.of.plans[k], rec) }),
		markup.When(rec != nil, "sources", func() { p.writeSources(rec.Common()) }),
		markup.By("history", func() { p.writeRemovedHistory(k, r, rec) }),
		markup.By("facts", func() { p.writePastFacts(r.id, rec) }))
	p.Close()
}

func (p *page) writeRemovedHistory(k *record.Kind, r *removedRecord, rec record.Record) {
	common := new(record.Envelope)
	if rec != nil {
		common = rec.Common()
	}
	created := slices.ContainsFunc(r.events, func(e *record.ChangeEvent) bool {
		return e.ChangeType == record.ChangeCreated
	})
	list := moments(common, r.events, created)
	list = list[:min(len(list), frame.Shown)]
	p.addVersions(k, r.id, list)
	p.writeTimeline(k, list)
}
