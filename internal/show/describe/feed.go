package describe

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/words"
	"stele/record"
	"stele/release"
)

const (
	// pageSize is the number of entries in a feed, and in each page of its archive.
	pageSize = 200
	// maxPages limits the archive. The collection of change events and its archives contain all
	// events.
	maxPages = 50
)

// changeEventKind returns the kind of change events, the source of all feeds. Its feed has all
// changes.
func changeEventKind() *record.Kind { return record.KindNamed(record.KindChangeEvent) }

// feed contains the changes to records of a kind, to all records, or to figures of an indicator.
type feed struct {
	*service
	kind      *record.Kind
	entries   render.Entries
	indicator *lookup.Indicator // nil for a feed of records
}

func feedPath(k *record.Kind, suffix string) string { return layout.FeedPath(k.Folder(), suffix) }

// folder returns the name of the feed in URLs.
func (f *feed) folder() string {
	if f.indicator != nil {
		return f.indicator.Feed()
	}
	return f.kind.Folder()
}

func (f *feed) path(suffix string) string { return layout.FeedPath(f.folder(), suffix) }

func (f *feed) archivePath(page int, suffix string) string {
	return layout.FeedArchivePath(f.folder(), page, suffix)
}

// page is a document of a feed: the feed itself, with its latest entries, or a page of its archive
// (RFC 5005). Pages are numbered from the oldest, and only full pages are written. Their content
// never changes, so readers need not read a page again.
type page struct {
	*feed
	number int        // 0 for the feed itself
	items  []feedItem // newest first
}

// format is a feed format.
type format struct {
	suffix string
	write  func(page) []byte
}

var feedFormats = []format{{".atom", page.atom}, {".json", page.jsonFeed}}

// writeFeeds writes a feed for each kind and one for all kinds, and then their archives.
func (s *service) writeFeeds(out render.Output) error {
	feeds := s.feeds()
	for _, f := range slices.Concat(feeds, s.indicatorFeeds()) {
		newest, err := f.page(0)
		if err != nil {
			return err
		}
		for _, form := range feedFormats {
			if err := out.Put(f.path(form.suffix), form.write(newest)); err != nil {
				return err
			}
		}
	}
	for _, f := range feeds {
		if err := f.writeArchive(out); err != nil {
			return err
		}
	}
	return nil
}

func (f *feed) writeArchive(out render.Output) error {
	oldest := f.oldestPage()
	count := f.newestPage() + 1 - oldest
	path := func(i int) string { return f.archivePath(oldest+i%count, feedFormats[i/count].suffix) }
	return out.Each(len(feedFormats)*count, path, func(i int, b []byte) ([]byte, error) {
		p, err := f.page(oldest + i%count)
		return append(b, feedFormats[i/count].write(p)...), err
	})
}

// feeds returns a feed for each kind. The feed of change events contains all changes.
func (s *service) feeds() []*feed {
	var list []*feed
	for _, k := range record.Kinds {
		list = append(list, &feed{service: s, kind: k, entries: s.Entries(kindOfFeed(k))})
	}
	return list
}

// indicatorFeeds returns a feed for the figures of each indicator.
func (s *service) indicatorFeeds() (list []*feed) {
	for _, x := range s.index.Indicators {
		list = append(list, &feed{service: s, kind: record.KindNamed(record.KindHealthcareStatistic), indicator: x})
	}
	return list
}

// kindOfFeed returns the kind whose changes the feed of k contains, or nil if it contains all
// changes.
func kindOfFeed(k *record.Kind) *record.Kind {
	if k == changeEventKind() {
		return nil
	}
	return k
}

// newestPage returns the number of the last full page.
func (f *feed) newestPage() int { return f.entries.Len() / pageSize }

// oldestPage returns the number of the first page that is still published.
func (f *feed) oldestPage() int { return max(1, f.newestPage()-maxPages+1) }

// page returns the page of the feed with the given number, or the feed itself if number is 0.
func (f *feed) page(number int) (p page, err error) {
	p = page{feed: f, number: number}
	l := f.index.NewReader(words.English())
	if f.indicator != nil {
		p.items = f.updateItems(l, f.indicator, nil)
		p.items = p.items[:min(len(p.items), pageSize)]
		return p, l.Failed()
	}
	from := 0
	if number > 0 {
		from = f.entries.Len() - number*pageSize
	}
	var entries []render.Entry
	for e := range lookup.All(l, f.entries.From(from)) {
		if entries = append(entries, e); len(entries) == pageSize {
			break
		}
	}
	var standings []release.Standing // changes of standings since the oldest entry
	if number == 0 {
		standings = f.newStandings(kindOfFeed(f.kind))
		if len(entries) == pageSize {
			oldest := dateOf(entries[pageSize-1])
			standings = slices.DeleteFunc(standings, func(s release.Standing) bool { return s.Noticed < oldest })
		}
	}
	p.items = p.itemsOf(l, entries, standings)
	return p, l.Failed()
}

func dateOf(e render.Entry) string {
	if e.Group != nil {
		return e.Group.Date
	}
	return string(e.Event.PublishedDate)
}

func (p page) ownURL(suffix string) string {
	if p.number == 0 {
		return p.path(suffix)
	}
	return p.archivePath(p.number, suffix)
}

// homeURL returns the URL of the HTML page that the feed belongs to.
func (p page) homeURL() string {
	if p.indicator != nil {
		return p.urlOf(p.indicator.Address())
	}
	return p.urlOf("")
}

// earlierURL returns the path of the page with the next older entries, or "" if there is none.
func (p page) earlierURL(suffix string) string {
	if p.indicator != nil { // the page of the indicator contains all
		return ""
	}
	n := p.number - 1
	if p.number == 0 {
		n = p.newestPage()
	}
	if n < p.oldestPage() {
		return ""
	}
	return p.archivePath(n, suffix)
}

func (p page) title() string {
	switch {
	case p.indicator != nil:
		return p.settings.Title + ": " + p.indicator.Title
	case p.kind == changeEventKind():
		return p.settings.Title + ": changes"
	}
	return p.settings.Title + ": changes to " + p.kind.Many
}

// updated returns the date of the latest entry. Without entries, it returns the latest day of the
// feed's records, so that the feed changes only when they do.
func (p page) updated() string {
	if len(p.items) > 0 {
		return p.items[0].DatePublished
	}
	if asOf := p.AsOf(p.kind); asOf != "" {
		return startOfDay(asOf)
	}
	return startOfDay(p.release.Date)
}

// The texts of an entry depend only on its event and on the versions before and after it. They
// remain the same when the record changes again.

// entryID returns the permanent ID of the entry for e.
func (s *service) entryID(e *record.ChangeEvent) string {
	return s.urlOf(changeEventKind().Collection.Path) + "#" + string(e.ID)
}

// entryLink returns the link of the entry for e: the page of the record or, for a figure, its area
// on the page of its indicator. If the record has no page or was removed, it is the collection.
func (s *service) entryLink(l *lookup.Reader, e *record.ChangeEvent) (address, mediaType string) {
	k := record.KindNamed(string(e.RecordKind))
	switch {
	case k == nil || e.ChangeType == record.ChangeRemoved:
		return s.urlOf(changeEventKind().Collection.Path), layout.TypeJSON
	case e.ChangeType == record.ChangeAreas:
		return s.urlOf(changeEventKind().Collection.Path), layout.TypeJSON
	case e.ChangeType.OfKind():
		return s.urlOf(k.Collection.Path), layout.TypeJSON
	case k.HasPage():
		return s.urlOf(k.Folder() + "/" + string(e.RecordID) + "/#" + string(e.ID)), layout.TypeHTML
	}
	if address := l.ChangedAddress(e); address != "" && k.Name == record.KindHealthcareStatistic {
		return s.urlOf(address), layout.TypeHTML
	}
	return s.urlOf(k.Collection.Path), layout.TypeJSON
}

// entryTitle returns a title with the change, the record, and the figure before and after it.
func entryTitle(e *record.ChangeEvent, c *lookup.Changed) string {
	title := words.Capital(changeLabel(string(e.ChangeType))) + ": " + cmp.Or(c.Title, recordName(e))
	if c.Figure != "" {
		title += ": " + c.Figure
	}
	return cmp.Or(e.Title, title)
}

// changeLabel returns a type of change as text.
func changeLabel(change string) string { return strings.ReplaceAll(change, "_", " ") }

// recordName returns a name for the record or records that e is about.
func recordName(e *record.ChangeEvent) string {
	switch k := record.KindNamed(string(e.RecordKind)); {
	case e.ChangeType == record.ChangeAreas:
		return "scheme " + strings.TrimPrefix(string(e.RecordID), layout.AreaEvent)
	case k != nil && e.ChangeType.OfKind():
		return "all " + k.Many
	case k != nil:
		return k.One + " " + string(e.RecordID)
	}
	return string(e.RecordID)
}

func entryText(e *record.ChangeEvent, c *lookup.Changed) string {
	text := words.Capital(recordName(e)) + ": " + changeText(e) + ". Release " + e.Release + "."
	if c.Figure != "" {
		text = c.Figure + ". " + text
	}
	return strings.TrimSpace(c.Reason + " " + text)
}

// changeText returns a text with the type of change, both versions, and the changed members.
func changeText(e *record.ChangeEvent) string {
	const mostFields = 20
	text := changeLabel(string(e.ChangeType))
	for _, v := range schema.ListOf[record.ChangeType]() {
		if v.Word == string(e.ChangeType) {
			text += " (" + v.Doc + ")"
		}
	}
	switch {
	case e.Before != nil && e.After != nil:
		text += ", version " + strconv.FormatInt(e.Before.Version, 10) + " to " + strconv.FormatInt(e.After.Version, 10)
	case e.After != nil:
		text += ", version " + strconv.FormatInt(e.After.Version, 10)
	}
	if fields := e.ChangedFields; len(fields) > mostFields {
		text += ", changed " + strings.Join(fields[:mostFields], " ") + " and " + strconv.Itoa(len(fields)-mostFields) + " more"
	} else if len(fields) > 0 {
		text += ", changed " + strings.Join(fields, " ")
	}
	return text
}
