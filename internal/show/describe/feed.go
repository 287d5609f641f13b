package describe

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/site/words"
	"stele/record"
	"stele/release"
)

const (
	// pageSize is how many entries a feed has, and each page of its archive.
	pageSize = 200
	// mostPages bounds the archive. The collection of change events and its archives have them all.
	mostPages = 50
)

// changes is the kind whose records feeds are made from. Its own feed is that of all changes.
func changes() *record.Kind { return record.KindNamed(record.KindChangeEvent) }

func feedPath(k *record.Kind, suffix string) string { return layout.FeedPath(k.Folder(), suffix) }

func archivePath(k *record.Kind, page int, suffix string) string {
	return layout.FeedArchivePath(k.Folder(), page, suffix)
}

// feed is what happened to the records of a kind, or to all.
type feed struct {
	*service
	kind    *record.Kind
	entries render.Entries
}

// page is a document of a feed: the feed itself, with its newest entries, or a page of its archive
// (RFC 5005). The pages are counted from the oldest on, and only full ones are written: what stands
// in them does not change when more happens, so a reader that saw a page need not read it again.
type page struct {
	*feed
	number  int            // 0 for the feed itself
	entries []render.Entry // the newest first
	// of the feed itself: changes of standings since the oldest of its entries
	standings []release.Standing
}

// format is a form of feed.
type format struct {
	suffix string
	write  func(page) []byte
}

var feedFormats = []format{{".atom", page.atom}, {".json", page.jsonFeed}}

// writeFeeds writes a feed for each kind and one for all, and then their archives.
func (s *service) writeFeeds(out render.Output) error {
	feeds := s.feeds()
	for _, f := range feeds {
		newest, err := f.page(0)
		if err != nil {
			return err
		}
		for _, form := range feedFormats {
			if err := out.Put(feedPath(f.kind, form.suffix), form.write(newest)); err != nil {
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
	path := func(i int) string { return archivePath(f.kind, oldest+i%count, feedFormats[i/count].suffix) }
	return out.Each(len(feedFormats)*count, path, func(i int, b []byte) ([]byte, error) {
		p, err := f.page(oldest + i%count)
		return append(b, feedFormats[i/count].write(p)...), err
	})
}

// feeds are a feed for each kind. That of the change events has all of them.
func (s *service) feeds() []*feed {
	var list []*feed
	for _, k := range record.Kinds {
		list = append(list, &feed{s, k, s.Entries(about(k))})
	}
	return list
}

// about is the kind whose records the feed of a kind tells of; nil for all.
func about(k *record.Kind) *record.Kind {
	if k == changes() {
		return nil
	}
	return k
}

// newestPage is the last page that is full.
func (f *feed) newestPage() int { return f.entries.Len() / pageSize }

// oldestPage is the first page that is kept.
func (f *feed) oldestPage() int { return max(1, f.newestPage()-mostPages+1) }

// page reads the entries of a page.
func (f *feed) page(number int) (page, error) {
	p, from := page{feed: f, number: number}, 0
	if number > 0 {
		from = f.entries.Len() - number*pageSize
	}
	for e, err := range f.entries.From(from) {
		if err != nil {
			return p, err
		}
		if p.entries = append(p.entries, e); len(p.entries) == pageSize {
			break
		}
	}
	if number == 0 {
		p.standings = f.newStandings(about(f.kind))
		if len(p.entries) == pageSize {
			oldest := dateOf(p.entries[pageSize-1])
			p.standings = slices.DeleteFunc(p.standings, func(s release.Standing) bool { return s.Noticed < oldest })
		}
	}
	return p, nil
}

// dateOf is the day on which something happened.
func dateOf(e render.Entry) string {
	if e.Group != nil {
		return e.Group.Date
	}
	return string(e.Event.PublishedDate)
}

// path is that of the page itself.
func (p page) path(suffix string) string {
	if p.number == 0 {
		return feedPath(p.kind, suffix)
	}
	return archivePath(p.kind, p.number, suffix)
}

// before is the path of the page with older entries, or "".
func (p page) before(suffix string) string {
	n := p.number - 1
	if p.number == 0 {
		n = p.newestPage()
	}
	if n < p.oldestPage() {
		return ""
	}
	return archivePath(p.kind, n, suffix)
}

func (p page) title() string {
	if p.kind == changes() {
		return p.settings.Title + ": changes"
	}
	return p.settings.Title + ": changes of " + p.kind.Many
}

// updated is the day of the newest entry; of a feed without any, the newest of the records that it
// would tell of, so that it changes only when they do.
func (p page) updated() string {
	if items := p.items(); len(items) > 0 {
		return items[0].DatePublished
	}
	if asOf := p.AsOf(p.kind); asOf != "" {
		return midnight(asOf)
	}
	return midnight(p.release.Date)
}

// The texts and links of an entry follow from its event alone. A title of the record would read
// better, but it may change, and the entry must not.

// entryID names an entry for ever: events keep their IDs.
func (s *service) entryID(e *record.ChangeEvent) string {
	return s.at(changes().Collection.Path) + "#" + string(e.ID)
}

// entryLink is where to read on: the record's page, or the collection that it is in.
func (s *service) entryLink(e *record.ChangeEvent) (address, mediaType string) {
	k := record.KindNamed(string(e.RecordKind))
	switch {
	case k == nil || e.ChangeType == record.ChangeRemoved:
		return s.at(changes().Collection.Path), layout.TypeJSON
	case e.ChangeType.OfKind():
		return s.at(k.Collection.Path), layout.TypeJSON
	case k.HasPage():
		return s.at(k.Folder() + "/" + string(e.RecordID) + "/#" + string(e.ID)), layout.TypeHTML
	}
	return s.at(k.Collection.Path), layout.TypeJSON
}

func entryTitle(e *record.ChangeEvent) string {
	return cmp.Or(e.Title, words.Capital(strings.ReplaceAll(string(e.ChangeType), "_", " "))+": "+recordName(e))
}

// recordName is what an event is about.
func recordName(e *record.ChangeEvent) string {
	switch k := record.KindNamed(string(e.RecordKind)); {
	case k != nil && e.ChangeType.OfKind():
		return "all " + k.Many
	case k != nil:
		return k.One + " " + string(e.RecordID)
	}
	return string(e.RecordID)
}

// entryText tells an event in full.
func entryText(e *record.ChangeEvent) string {
	text := words.Capital(recordName(e)) + ": " + changeText(e) + ". Release " + e.Release + "."
	if e.Summary != "" {
		text = e.Summary + " " + text
	}
	return text
}

// changeText tells what happened: how, from which version to which, and to which members.
func changeText(e *record.ChangeEvent) string {
	const mostFields = 20
	text := strings.ReplaceAll(string(e.ChangeType), "_", " ")
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
