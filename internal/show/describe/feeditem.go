package describe

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// feedItem is an entry of a feed, of either form: a change of a record, of many, or of a standing.
type feedItem struct {
	ID            string          `json:"id"`
	URL           string          `json:"url"`
	Title         string          `json:"title"`
	ContentText   string          `json:"content_text"`
	DatePublished string          `json:"date_published"`
	Tags          []string        `json:"tags"`
	Event         json.RawMessage `json:"_event,omitempty"`    // word for word, for programs
	Group         json.RawMessage `json:"_group,omitempty"`    // likewise
	Standing      json.RawMessage `json:"_standing,omitempty"` // likewise

	mediaType string // of what the URL leads to
}

// items are the entries of a page, the newest first. Where both are of one day, a change of a
// record comes before one of a standing, which it may have caused.
func (p page) items() []feedItem {
	items := make([]feedItem, 0, len(p.entries)+len(p.standings))
	for _, entry := range p.entries {
		if entry.Group != nil {
			items = append(items, p.groupItem(entry.Group))
			continue
		}
		e := entry.Event
		address, mediaType := p.entryLink(e)
		items = append(items, feedItem{
			ID: p.entryID(e), URL: address, Title: entryTitle(e), ContentText: entryText(e),
			DatePublished: midnight(e.PublishedDate), Tags: []string{string(e.ChangeType), string(e.RecordKind)},
			Event: changes().AppendJSON(nil, e), mediaType: mediaType,
		})
	}
	for i := range p.standings {
		items = append(items, p.standingItem(&p.standings[i]))
	}
	items = append(items, p.schemaItems()...)
	slices.SortStableFunc(items, func(a, b feedItem) int { return strings.Compare(b.DatePublished, a.DatePublished) })
	return items
}

// groupItem tells of many events at once, and leads to where they are.
func (p page) groupItem(g *render.Group) feedItem {
	subject := strconv.Itoa(g.Count) + " " + g.Kind
	if k := record.KindNamed(g.Kind); k != nil {
		subject = strconv.Itoa(g.Count) + " " + k.Many
	}
	if g.Indicator != "" {
		subject += " of " + g.Indicator
	}
	word := strings.ReplaceAll(g.Change, "_", " ")
	text := subject + ": " + word + "."
	return feedItem{
		ID: p.at(changes().Collection.Path) + "#" + g.ID(), URL: p.at(changes().Collection.Path),
		Title:         words.Capital(word) + ": " + subject,
		ContentText:   text + " Release " + g.Release + ". The change events of this release say what happened to each.",
		DatePublished: midnight(record.Date(g.Date)), Tags: []string{g.Change, g.Kind}, Group: encode(g, ""),
		mediaType: layout.TypeJSON,
	}
}

func (p page) standingItem(s *release.Standing) feedItem {
	k := record.KindNamed(s.Kind)
	address, mediaType := p.at(layout.StandingPath), layout.TypeJSON
	if k.HasPage() {
		address, mediaType = p.at(k.Folder()+"/"+s.ID+"/"), layout.TypeHTML
	}
	word, path := strings.ReplaceAll(s.Standing, "_", " "), strings.Join(append([]string{s.ID}, s.Path...), " → ")
	return feedItem{
		ID: p.at(layout.StandingPath) + "#" + s.ID + "-" + s.Standing + "-" + s.Noticed, URL: address,
		Title:         words.Capital(word) + ": " + k.One + " " + s.ID,
		ContentText:   words.Capital(k.One) + " " + path + ": " + s.Cause + " " + s.Since + ".",
		DatePublished: midnight(s.Noticed), Tags: []string{s.Standing, s.Kind}, Standing: encode(s, ""),
		mediaType: mediaType,
	}
}

// schemaItems are an entry for each release whose schemas differ from those before, in the feed of
// all changes.
func (p page) schemaItems() (items []feedItem) {
	if p.kind != changes() || p.number > 0 {
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
			ID: p.at(layout.SchemasPath) + "#" + string(rest[0].Date) + "-" + rest[0].Since, URL: p.at(layout.SchemasPath),
			Title: "Schemas differ from the release before", ContentText: text.String() + noStability,
			DatePublished: midnight(rest[0].Date), Tags: []string{"schema"}, mediaType: layout.TypeJSON,
		})
		rest = rest[n:]
	}
	return items
}

// newStandings are the standings of a kind, or of all for nil, that were noticed last. What
// records say of themselves has an event.
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
			if is.Standing == standing.Stands || is.Standing.SelfReported() {
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
