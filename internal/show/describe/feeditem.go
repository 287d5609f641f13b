package describe

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/words"
	"stele/internal/show/vintage"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// feedItem is a feed entry in both formats: a change to one or many records, or to a standing.
type feedItem struct {
	ID            string          `json:"id"`
	URL           string          `json:"url"`
	Title         string          `json:"title"`
	ContentText   string          `json:"content_text"`
	DatePublished string          `json:"date_published"`
	Tags          []string        `json:"tags"`
	Event         json.RawMessage `json:"_event,omitempty"`    // verbatim, for programs
	Group         json.RawMessage `json:"_group,omitempty"`    // verbatim
	Standing      json.RawMessage `json:"_standing,omitempty"` // verbatim

	mediaType string // of the target of the URL
}

// itemsOf returns the entries of the page, newest first. A change to a record precedes the changes
// to standings on the same day that it may have caused.
func (p page) itemsOf(l *lookup.Reader, entries []render.Entry, standings []release.Standing) []feedItem {
	items := make([]feedItem, 0, len(entries)+len(standings))
	for _, entry := range entries {
		if entry.Group != nil {
			items = append(items, p.groupItems(l, entry.Group)...)
			continue
		}
		e := entry.Event
		c := l.Changed(e)
		address, mediaType := p.entryLink(l, e)
		items = append(items, feedItem{
			ID: p.entryID(e), URL: address, Title: entryTitle(e, &c), ContentText: entryText(e, &c),
			DatePublished: startOfDay(e.PublishedDate), Tags: []string{string(e.ChangeType), string(e.RecordKind)},
			Event: changeEventKind().AppendJSON(nil, e), mediaType: mediaType,
		})
	}
	for i := range standings {
		items = append(items, p.standingItem(&standings[i]))
	}
	items = append(items, p.schemaItems()...)
	slices.SortStableFunc(items, func(a, b feedItem) int { return strings.Compare(b.DatePublished, a.DatePublished) })
	return items
}

// groupItems returns the entries for g, a group of events. For figures, there is an entry for each
// reason, with examples.
func (p page) groupItems(l *lookup.Reader, g *render.Group) []feedItem {
	if x := l.IndicatorCalled(g.Indicator); x != nil {
		if items := p.updateItems(l, x, g); len(items) > 0 {
			return items
		}
	}
	subject := strconv.Itoa(g.Count) + " " + g.Kind
	if k := record.KindNamed(g.Kind); k != nil {
		subject = strconv.Itoa(g.Count) + " " + k.Many
	}
	if g.Indicator != "" {
		subject += " of " + g.Indicator
	}
	word := changeLabel(g.Change)
	text := subject + ": " + word + "."
	return []feedItem{{
		ID: p.urlOf(changeEventKind().Collection.Path) + "#" + g.ID(), URL: p.urlOf(changeEventKind().Collection.Path),
		Title:         words.Capital(word) + ": " + subject,
		ContentText:   text + " Release " + g.Release + ". The change events of this release describe each change.",
		DatePublished: startOfDay(record.Date(g.Date)), Tags: []string{g.Change, g.Kind}, Group: encode(g, ""),
		mediaType: layout.TypeJSON,
	}}
}

// updateItems returns the entries about the updates of the figures of x, one for each reason. If g
// is not nil, it returns only those of the group g.
func (s *service) updateItems(l *lookup.Reader, x *lookup.Indicator, g *render.Group) (items []feedItem) {
	counts, releases := map[string]int{}, s.Releases()
	for _, u := range s.updates(l, x) {
		of, change := releases[u.Release], string(u.Change)
		if g != nil && (of.Release != g.Release || change != g.Change) {
			continue
		}
		id := of.Release + "-" + record.KindHealthcareStatistic + "-" + change + "-" + url.PathEscape(x.Code)
		if counts[id]++; counts[id] > 1 {
			id += "-" + strconv.Itoa(counts[id])
		}
		area := ""
		if st := u.Examples[0].Now(); u.Areas == 1 {
			area = "?area=" + st.RefAreaScheme.Key(st.RefArea)
		}
		text := strings.TrimSpace(u.Reason + " " + u.Text(words.English(), l.AreaWith))
		if !strings.HasSuffix(text, ".") {
			text += "."
		}
		item := feedItem{
			ID: s.urlOf(changeEventKind().Collection.Path) + "#" + id, URL: s.urlOf(x.Address() + area),
			Title:       words.Capital(changeLabel(change)) + ": " + x.Title + ", " + formatNumber(u.Count, "value"),
			ContentText: text + " Release " + of.Release + ".", DatePublished: startOfDay(record.Date(of.Date)),
			Tags: []string{change, record.KindHealthcareStatistic}, mediaType: layout.TypeHTML,
		}
		if g != nil {
			item.Group = encode(g, "")
		}
		items = append(items, item)
	}
	return items
}

// updates returns the updates of the figures of x in all releases. They are computed only once.
func (s *service) updates(l *lookup.Reader, x *lookup.Indicator) []vintage.Update {
	s.updatesMu.Lock()
	defer s.updatesMu.Unlock()
	list, known := s.updatesOf[x]
	if !known {
		rows, err := vintage.Of(s.Records, x.Records, x.Code, func(i int) *record.HealthcareStatistic {
			return l.Statistic(int(x.Records[i]))
		})
		l.Fail(err)
		list = vintage.Updates(rows)
		s.updatesOf[x] = list
	}
	return list
}

func (p page) standingItem(s *release.Standing) feedItem {
	k := record.KindNamed(s.Kind)
	address, mediaType := p.urlOf(layout.StandingPath), layout.TypeJSON
	if k.HasPage() {
		address, mediaType = p.urlOf(k.Folder()+"/"+s.ID+"/"), layout.TypeHTML
	}
	word, path := strings.ReplaceAll(s.Standing, "_", " "), strings.Join(append([]string{s.ID}, s.Path...), " → ")
	return feedItem{
		ID: p.urlOf(layout.StandingPath) + "#" + s.ID + "-" + s.Standing + "-" + s.Noticed, URL: address,
		Title:         words.Capital(word) + ": " + k.One + " " + s.ID,
		ContentText:   words.Capital(k.One) + " " + path + ": " + s.Cause + " " + s.Since + ".",
		DatePublished: startOfDay(s.Noticed), Tags: []string{s.Standing, s.Kind}, Standing: encode(s, ""),
		mediaType: mediaType,
	}
}

// schemaItems returns an entry for each release with changed schemas, for the feed of all changes.
func (p page) schemaItems() (items []feedItem) {
	if p.kind != changeEventKind() || p.number > 0 {
		return nil
	}
	same := func(a, b render.SchemaChange) bool { return a.Date == b.Date && a.Since == b.Since }
	for rest := p.schemas; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(c render.SchemaChange) bool { return !same(c, rest[0]) })
		if n < 0 {
			n = len(rest)
		}
		var text strings.Builder
		for _, c := range rest[:n] {
			text.WriteString(strings.TrimSuffix(string(c.Kind)+"/"+c.Member, "/") + ": " + c.Change + ". ")
		}
		items = append(items, feedItem{
			ID:    p.urlOf(layout.SchemasPath) + "#" + string(rest[0].Date) + "-" + rest[0].Since,
			URL:   p.urlOf(layout.SchemasPath),
			Title: "Schemas changed since the previous release", ContentText: text.String() + noStability,
			DatePublished: startOfDay(rest[0].Date), Tags: []string{"schema"}, mediaType: layout.TypeJSON,
		})
		rest = rest[n:]
	}
	return items
}

// newStandings returns the latest standings of records of kind about, or of all kinds if about is
// nil. It omits standings that a record's own corrections cause, because they have an event.
func (s *service) newStandings(about *record.Kind) []release.Standing {
	var list []release.Standing
	newest := func(a, b release.Standing) int {
		return cmp.Or(strings.Compare(b.Noticed, a.Noticed), strings.Compare(a.ID, b.ID))
	}
	for _, k := range record.Kinds {
		if !k.HasNode() || about != nil && about != k {
			continue
		}
		for i := range s.Len(k) {
			is := s.Standing(k, i)
			if is.Standing == standing.Stands || is.Standing.IsSelfReported() {
				continue
			}
			path, noticed := s.Explain(k, i)
			list = append(list, release.Standing{
				ID: s.ID(k, i), Kind: k.Name, Standing: is.Standing.String(), Since: is.Since.String(),
				Cause: is.Cause.String(), Path: append([]string{}, path...), Noticed: string(noticed),
			})
			if len(list) >= 2*pageSize {
				slices.SortFunc(list, newest)
				list = list[:pageSize]
			}
		}
	}
	slices.SortFunc(list, newest)
	return list[:min(len(list), pageSize)]
}
