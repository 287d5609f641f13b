package compiler

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/compile/eventlog"
	"stele/internal/compile/files"
	"stele/internal/disk/lists"
	"stele/record"
	"stele/release"
)

// ownEvent is an event that the publisher wrote.
type ownEvent struct {
	date   string
	number int32
}

// ownEvents returns the publisher's events that no release contains yet, sorted by date.
func ownEvents(records *corpus, changes *comparison) (list []ownEvent, err error) {
	reader := records.spool.Reader()
	for _, n := range records.recordsOf(record.KindNamed(changeEvent)).numbers {
		if changes.events.IsPublished(n) {
			continue
		}
		line, err := reader.Record(n)
		if err != nil {
			return nil, err
		}
		e, err := eventlog.Parse(line)
		if err != nil {
			return nil, err
		}
		list = append(list, ownEvent{strings.Clone(e.Date), n})
	}
	slices.SortStableFunc(list, func(x, y ownEvent) int { return strings.Compare(x.date, y.date) })
	return list, nil
}

// pastEvents yields the events of the collection except those of this release, sorted by date: the
// publisher's events, and the events of earlier releases. It omits the first moved events of
// earlier releases, which are now in archives. On the same day, events keep their order, an earlier
// release before a later one.
func pastEvents(records *corpus, changes *comparison, own []ownEvent, moved int) iter.Seq2[eventlog.Event, error] {
	written := func(yield func([]byte, error) bool) {
		reader := records.spool.Reader()
		for _, o := range own {
			if !yield(reader.Record(o.number)) {
				return
			}
		}
	}
	carried := lineRange(changes.previousEvents.All, moved, math.MaxInt)
	return eventlog.Merge(parseEvents(carried, true), parseEvents(written, false))
}

// archivedEvents yields the events in archives: those of earlier archives, and the first moved
// events of the previous collection.
func archivedEvents(changes *comparison, moved int) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for e, err := range parseEvents(changes.archived.All, true) {
			if !yield(e, err) {
				return
			}
		}
		parseEvents(lineRange(changes.previousEvents.All, 0, moved), true)(yield)
	}
}

// lineRange yields the lines from index from to the one before index to.
func lineRange(lines iter.Seq2[[]byte, error], from, to int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		place := -1
		for line, err := range lines {
			if place++; place == to {
				return
			}
			if (place >= from || err != nil) && !yield(line, err) {
				return
			}
		}
	}
}

// parseEvents parses lines as events. carried marks them as events of the previous release.
func parseEvents(lines iter.Seq2[[]byte, error], carried bool) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for line, err := range lines {
			var e eventlog.Event
			if err == nil {
				e, err = eventlog.Parse(line)
			}
			e.Previous = carried
			if !yield(e, err) {
				return
			}
		}
	}
}

// countEvents returns the number of events in the new collection, and their latest date.
func countEvents(changes *comparison, own []ownEvent, moved int, today record.Date) (count int, asOf record.Date) {
	if count = changes.previousEvents.Len() - moved; count > 0 {
		asOf = changes.newest
	}
	if len(own) > 0 {
		asOf = max(asOf, record.Date(own[len(own)-1].date))
	}
	if changes.drafts.Len() > 0 {
		asOf = max(asOf, today)
	}
	return count + len(own) + changes.drafts.Len(), asOf
}

// collectionYears is the number of calendar years whose events stay in the collection: this year
// and the one before, so that readers who check once a year miss nothing.
const collectionYears = 2

// writeArchives writes the archives of change events. It copies the previous release's archives,
// and writes a new one for each year that has left the collection. It returns the archives, and the
// number of events in new ones, which are the first events of the previous collection. An unchanged
// release has the same archives.
//
// Archives are immutable. An event that a publisher adds for an archived year stays in the
// collection as long as events of the year of writing. Then it is moved to the next archive.
func writeArchives(m *release.Manifest, unchanged bool, changes *comparison, before *previous, to *files.Set) (
	list []layout.Archive, moved int, err error,
) {
	if before == nil {
		return nil, 0, nil
	}
	last, from := 0, 0
	for _, a := range before.Manifest.Archives() {
		count := a.Count
		if changes.redactions.edits[a.Path] {
			err = writeArchive(&a, lineRange(changes.archived.All, from, from+count), to)
		} else if err = to.CopyPrevious(before.Manifest.File(a.Path)); err != nil {
			if unread := new(files.UnreadError); errors.As(err, &unread) {
				err = previousError(fmt.Errorf("%s: %w", a.Path, err))
			}
		}
		if err != nil {
			return nil, 0, err
		}
		list, last, from = append(list, a), a.Year, from+count
	}
	if unchanged {
		return list, 0, nil
	}
	until, err := yearOf(m.Date)
	if err != nil {
		return nil, 0, err
	}
	counts, err := countYears(changes, last+1, until-collectionYears)
	if err != nil {
		return nil, 0, err
	}
	for _, year := range slices.Sorted(maps.Keys(counts)) {
		a := layout.Archive{Year: year, Path: layout.ArchivePath(record.KindNamed(changeEvent).Folder(), year)}
		if err := writeArchive(&a, lineRange(changes.previousEvents.All, moved, moved+counts[year]), to); err != nil {
			return nil, 0, err
		}
		list, moved = append(list, a), moved+a.Count
	}
	return list, moved, nil
}

// countYears counts the events for each year's archive, from year first to last.
func countYears(changes *comparison, first, last int) (map[int]int, error) {
	counts := map[int]int{}
	for e, err := range parseEvents(changes.previousEvents.All, true) {
		if err != nil {
			return nil, err
		}
		year, err := yearOf(e.Date)
		if err != nil {
			return nil, err
		}
		if year = max(year, first); year > last {
			break
		}
		counts[year]++
	}
	return counts, nil
}

// writeArchive writes an archive, and sets the size, count and digest of its lines in a.
func writeArchive(a *layout.Archive, lines iter.Seq2[[]byte, error], to *files.Set) error {
	f, err := to.Create(a.Path)
	if err != nil {
		return err
	}
	sum := sha256.New()
	a.Count, a.Size = 0, 0
	err = compress.Pack(f, func(w io.Writer) error {
		both := io.MultiWriter(sum, w)
		var b []byte
		for line, err := range lines {
			if err != nil {
				return err
			}
			b = append(append(b[:0], line...), '\n')
			if err := lists.CheckLine(b); err != nil {
				return err
			}
			if _, err := both.Write(b); err != nil {
				return err
			}
			a.Count++
			a.Size += int64(len(b))
		}
		return nil
	})
	a.SHA256 = release.Digest(sum.Sum(nil))
	return f.Finish(err)
}

func yearOf(date string) (int, error) {
	if len(date) < len("2006") {
		return 0, fmt.Errorf("invalid date %q", date)
	}
	return strconv.Atoi(date[:len("2006")])
}
