package compiler

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"stele/internal/base/layout"
	"stele/internal/compile/files"
	"stele/internal/compile/standinglist"
	"stele/internal/disk/lists"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// standings is the listing of records whose standing is not "stands", sorted by kind and ID. Its
// header contains the release's salt.
type standings struct {
	records *corpus
	earlier map[int32]release.Standing
	noticed []standing.Day // by number: when the standing was noticed; nil if all records stand
	count   int
	today   record.Date
}

// newStandings derives the listing. If the previous release listed the same standing, its date is
// kept.
func newStandings(records *corpus, before *previous, today record.Date) (*standings, error) {
	s := &standings{records: records, today: today}
	var err error
	if s.earlier, err = earlierStandings(records, before); err != nil {
		return nil, err
	}
	list := records.checker.Standings()
	for _, is := range list.All() {
		if is.Standing != standing.Stands {
			s.count++
		}
	}
	if s.count > 0 {
		s.noticed = make([]standing.Day, list.Len())
	}
	return s, nil
}

func (s *standings) header(salt string) []byte {
	head := []byte("{")
	if salt != "" {
		head = fmt.Appendf(head, `"salt":%q,`, salt)
	}
	return files.AppendCount(append(head, `"count":`...), s.count)
}

func (s *standings) writeLines(to *lists.Writer) error {
	list := s.records.checker.Standings()
	for _, k := range s.records.kinds {
		for _, n := range k.numbers {
			if list.At(n).Standing == standing.Stands {
				continue
			}
			is := standinglist.Line(s.records.checker, n)
			is.Noticed = string(s.today)
			if was := s.earlier[n]; was.Standing == is.Standing && was.Since == is.Since && was.Cause == is.Cause {
				is.Noticed = was.Noticed
			}
			s.noticed[n] = standing.DayOf(record.Date(is.Noticed))
			line, err := json.Marshal(is)
			if err != nil {
				return err
			}
			to.WriteLine(line)
		}
	}
	return nil
}

func (s *standings) manifestEntry(salt string) (release.File, error) {
	list := lists.NewWriter(io.Discard)
	list.Write(s.header(salt)) // Flush returns write errors
	err := s.writeLines(list)
	list.WriteEnd()
	err = errors.Join(err, list.Flush())
	return release.File{Path: layout.StandingPath, Size: list.Size(), SHA256: list.Digest()}, err
}

func (s *standings) write(to *files.Set, salt string) error {
	lines := func(f *files.File) error { return s.writeLines(f.Writer) }
	return to.WriteList(layout.StandingPath, s.header(salt), lines)
}

// earlierStandings returns the previous release's standings, by current record number.
func earlierStandings(records *corpus, before *previous) (map[int32]release.Standing, error) {
	list := map[int32]release.Standing{}
	if before == nil {
		return list, nil
	}
	for s, err := range before.Standings() {
		if err != nil {
			return nil, previousError(err)
		}
		if n := records.checker.Number(s.ID); n >= 0 {
			s.Path = nil // it is not compared
			list[n] = s
		}
	}
	return list, nil
}
