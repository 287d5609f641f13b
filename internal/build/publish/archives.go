package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/build/eventlog"
	"stele/record"
	"stele/release"
)

// keptYears is how many calendar years of change events the collection has at least: the year of
// the release and the one before it. So who looks once a year misses nothing there.
const keptYears = 2

// archive lists the archives of the change events: those of the previous release, to the byte, and
// a new one for each year that is over for long enough. It returns how many events go into new
// ones: they are the first of the previous collection. A release that is the previous one has the
// same.
//
// An archive never changes. What a publisher tells of a year that is archived already stays in the
// collection as long as all that was told at that time, and goes into the next archive.
func (p *publication) archive(changes *comparison, to *files) (moved int, err error) {
	if to.previous == nil {
		return 0, nil
	}
	k, last := p.manifest.Kind(changeEvent), 0
	for _, a := range to.previous.Manifest.Archives() {
		if err := to.carry(to.previous.Manifest.File(a.Path)); err != nil {
			if unread := new(unreadFile); errors.As(err, &unread) {
				err = unreadable(fmt.Errorf("%s: %w", a.Path, err))
			}
			return 0, err
		}
		k.Archives, last = append(k.Archives, a), a.Year
	}
	if p.unchanged {
		return 0, nil
	}
	until, err := yearOf(p.manifest.Date)
	if err != nil {
		return 0, err
	}
	next, stop := iter.Pull2(changes.carried.All)
	defer stop()
	c := &cutter{next: next, first: last + 1, until: until - keptYears}
	if err := c.read(); err != nil {
		return 0, err
	}
	for c.year != 0 {
		a, err := c.write(to)
		if err != nil {
			return 0, err
		}
		k.Archives = append(k.Archives, a)
		moved += a.Count
	}
	return moved, nil
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
func (c *cutter) write(to *files) (a release.Archive, err error) {
	a.Year = c.year
	a.Path = layout.ArchivePath(record.KindNamed(changeEvent).Folder(), a.Year)
	f, err := to.create(a.Path)
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
	return a, errors.Join(err, f.Close())
}
