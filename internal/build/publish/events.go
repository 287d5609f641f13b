package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/build/eventlog"
	"stele/internal/build/files"
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
	carried := parsed(changes.carried.All, moved, math.MaxInt)
	return eventlog.Merge(carried, func(yield func(eventlog.Event, error) bool) {
		reader := records.spool.Reader()
		for _, o := range own {
			line, err := reader.Record(o.number)
			var e eventlog.Event
			if err == nil {
				e, err = eventlog.Parse(line)
			}
			if !yield(e, err) {
				return
			}
		}
	})
}

// archivedEvents returns the events that archives have: those of earlier releases, and those that
// were moved there.
func archivedEvents(changes *comparison, moved int) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for e, err := range parsed(changes.archived.All, 0, math.MaxInt) {
			if !yield(e, err) {
				return
			}
		}
		parsed(changes.carried.All, 0, moved)(yield)
	}
}

// parsed reads events from one place up to another.
func parsed(lines iter.Seq2[[]byte, error], from, to int) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		place := -1
		for line, err := range lines {
			if place++; place == to {
				return
			}
			if place < from && err == nil {
				continue
			}
			var e eventlog.Event
			if err == nil {
				e, err = eventlog.Parse(line)
			}
			e.Carried = true
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
			if err := rewriteArchive(&a, changes, from, to); err != nil {
				return nil, 0, err
			}
			list, last, from = append(list, a), a.Year, from+count
			continue
		}
		if err := to.Carry(before.Manifest.File(a.Path)); err != nil {
			if unread := new(files.UnreadError); errors.As(err, &unread) {
				err = unreadable(fmt.Errorf("%s: %w", a.Path, err))
			}
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
	next, stop := iter.Pull2(changes.carried.All)
	defer stop()
	c := &cutter{next: next, first: last + 1, until: until - keptYears}
	if err := c.read(); err != nil {
		return nil, 0, err
	}
	for c.year != 0 {
		a, err := c.write(to)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, a)
		moved += a.Count
	}
	return list, moved, nil
}

// rewriteArchive writes an archive from whose events something is withheld. They are the lines of
// all archives from a place on.
func rewriteArchive(a *layout.Archive, changes *comparison, from int, to *files.Set) error {
	f, err := to.Create(a.Path)
	if err != nil {
		return err
	}
	sum := sha256.New()
	a.Size = 0
	err = compress.Zstandard.Stream(f, func(w io.Writer) error {
		both, place := io.MultiWriter(sum, w), 0
		for line, err := range changes.archived.All {
			if err != nil {
				return err
			}
			if place++; place <= from || place > from+a.Count {
				continue
			}
			if _, err := both.Write(append(line[:len(line):len(line)], '\n')); err != nil {
				return err
			}
			a.Size += int64(len(line)) + 1
		}
		return nil
	})
	a.SHA256 = release.Digest(sum.Sum(nil))
	return f.Finish(err)
}

func yearOf(date string) (int, error) {
	if len(date) < len("2006") {
		return 0, fmt.Errorf("%q is no date", date)
	}
	return strconv.Atoi(date[:len("2006")])
}

// cutter takes events from the beginning of a collection.
type cutter struct {
	next         func() ([]byte, error, bool)
	first, until int    // the years that there are no archives of yet, and are to be
	line         []byte // the next event
	year         int    // the archive that it goes into; 0 if there is none
}

func (c *cutter) read() error {
	line, err, ok := c.next()
	if c.line, c.year = line, 0; !ok || err != nil {
		return err
	}
	e, err := eventlog.Parse(line)
	if err != nil {
		return err
	}
	year, err := yearOf(e.Date)
	if err != nil {
		return err
	}
	if year = max(year, c.first); year <= c.until {
		c.year = year
	}
	return nil
}

// write writes the archive that the next event goes into.
func (c *cutter) write(to *files.Set) (a layout.Archive, err error) {
	a.Year = c.year
	a.Path = layout.ArchivePath(record.KindNamed(changeEvent).Folder(), a.Year)
	f, err := to.Create(a.Path)
	if err != nil {
		return a, err
	}
	sum := sha256.New()
	var line []byte
	err = compress.Zstandard.Stream(f, func(w io.Writer) error {
		both := io.MultiWriter(sum, w)
		for c.year == a.Year {
			line = append(append(line[:0], c.line...), '\n')
			if _, err := both.Write(line); err != nil {
				return err
			}
			a.Count++
			a.Size += int64(len(line))
			if err := c.read(); err != nil {
				return err
			}
		}
		return nil
	})
	a.SHA256 = release.Digest(sum.Sum(nil))
	return a, f.Finish(err)
}
