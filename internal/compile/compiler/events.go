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

// ownEvents returns those that no release has yet, in the order of their dates.
func ownEvents(records *corpus, changes *comparison) (list []ownEvent, err error) {
	reader := records.spool.Reader()
	for _, n := range records.of(record.KindNamed(changeEvent)).numbers {
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

// pastEvents returns the events of the collection that a release does not bring itself, in the
// order in which they happened: those of earlier releases but for the first, which were moved into
// archives, and those that the publisher wrote. Those of one day stay as they came, an earlier
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
	carried := span(changes.carried.All, moved, math.MaxInt)
	return eventlog.Merge(parsed(carried, true), parsed(written, false))
}

// archivedEvents returns the events that archives have: those of earlier releases, and those that
// were moved there.
func archivedEvents(changes *comparison, moved int) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for e, err := range parsed(changes.archived.All, true) {
			if !yield(e, err) {
				return
			}
		}
		parsed(span(changes.carried.All, 0, moved), true)(yield)
	}
}

// span yields the lines from one place up to another.
func span(lines iter.Seq2[[]byte, error], from, to int) iter.Seq2[[]byte, error] {
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

// parsed reads events.
func parsed(lines iter.Seq2[[]byte, error], carried bool) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for line, err := range lines {
			var e eventlog.Event
			if err == nil {
				e, err = eventlog.Parse(line)
			}
			e.Carried = carried
			if !yield(e, err) {
				return
			}
		}
	}
}

// measureEvents returns how many events the collection is to have, and the newest date in it.
func measureEvents(changes *comparison, own []ownEvent, moved int, today record.Date) (count int, asOf record.Date) {
	if count = changes.carried.Len() - moved; count > 0 {
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

// keptYears is how many calendar years of change events the collection has at least: the year of
// the release and the one before it. So who looks once a year misses nothing there.
const keptYears = 2

// archive writes the archives of the change events: those of the previous release, to the byte, and
// a new one for each year that is over for long enough. It returns them, and how many events go
// into new ones: they are the first of the previous collection. A release that is the previous one
// has the same.
//
// An archive never changes. What a publisher writes of a year that is archived already stays in the
// collection as long as all that was written at that time, and goes into the next archive.
func archive(m *release.Manifest, unchanged bool, changes *comparison, before *previous, to *files.Set) (
	list []layout.Archive, moved int, err error,
) {
	if before == nil {
		return nil, 0, nil
	}
	last, from := 0, 0
	for _, a := range before.Manifest.Archives() {
		count := a.Count
		if changes.redactions.edits[a.Path] {
			err = writeArchive(&a, span(changes.archived.All, from, from+count), to)
		} else if err = to.Carry(before.Manifest.File(a.Path)); err != nil {
			if unread := new(files.UnreadError); errors.As(err, &unread) {
				err = unreadable(fmt.Errorf("%s: %w", a.Path, err))
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
	counts, err := countYears(changes, last+1, until-keptYears)
	if err != nil {
		return nil, 0, err
	}
	for _, year := range slices.Sorted(maps.Keys(counts)) {
		a := layout.Archive{Year: year, Path: layout.ArchivePath(record.KindNamed(changeEvent).Folder(), year)}
		if err := writeArchive(&a, span(changes.carried.All, moved, moved+counts[year]), to); err != nil {
			return nil, 0, err
		}
		list, moved = append(list, a), moved+a.Count
	}
	return list, moved, nil
}

// countYears counts the events that go into the archives of some years.
func countYears(changes *comparison, first, last int) (map[int]int, error) {
	counts := map[int]int{}
	for e, err := range parsed(changes.carried.All, true) {
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

// writeArchive writes an archive, and notes what the manifest says of its lines.
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
		return 0, fmt.Errorf("%q is not a date", date)
	}
	return strconv.Atoi(date[:len("2006")])
}
