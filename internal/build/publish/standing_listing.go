package publish

import (
	"encoding/json"

	"stele/internal/base/layout"
	"stele/internal/build/files"
	"stele/internal/build/standinglist"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// writeStandings writes the listing of the records that do not stand as they are, in the order of
// kinds and IDs. What the previous release had in the same way keeps the day on which it was
// noticed. It returns these days, by number; nil if all records stand.
func writeStandings(records *corpus, before *previous, to *files.Set, today record.Date) ([]standing.Day, error) {
	list := records.checker.Standings()
	earlier, err := earlierStandings(records, before)
	if err != nil {
		return nil, err
	}
	count := 0
	for _, s := range list.All() {
		if s.Standing != standing.Stands {
			count++
		}
	}
	var noticed []standing.Day
	if count > 0 {
		noticed = make([]standing.Day, list.Len())
	}
	lines := func(f *files.File) error {
		for _, k := range records.kinds {
			for _, n := range k.numbers {
				if list.At(n).Standing == standing.Stands {
					continue
				}
				s := standinglist.Line(records.checker, n)
				s.Noticed = string(today)
				if was := earlier[n]; was.Standing == s.Standing && was.Since == s.Since && was.Cause == s.Cause {
					s.Noticed = was.Noticed
				}
				noticed[n] = standing.DayOf(record.Date(s.Noticed))
				line, err := json.Marshal(s)
				if err != nil {
					return err
				}
				f.Line(line)
			}
		}
		return nil
	}
	return noticed, to.WriteList(layout.StandingPath, files.AppendCount([]byte(`{"count":`), count), lines)
}

// earlierStandings are those of the previous release, by the numbers that the records have now.
func earlierStandings(records *corpus, before *previous) (map[int32]release.Standing, error) {
	list := map[int32]release.Standing{}
	if before == nil {
		return list, nil
	}
	for s, err := range before.Standings() {
		if err != nil {
			return nil, unreadable(err)
		}
		if n := records.checker.Number(s.ID); n >= 0 {
			s.Path = nil // it is not compared
			list[n] = s
		}
	}
	return list, nil
}
