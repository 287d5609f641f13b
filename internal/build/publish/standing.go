package publish

import (
	"encoding/json"

	"stele/internal/author/check"
	"stele/internal/base/layout"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// writeStandings writes the listing of the records that do not stand as they are, in the order of
// kinds and IDs. What the previous release had in the same way keeps the day on which it was
// noticed.
func (p *publication) writeStandings(to *files, today record.Date) error {
	list := p.records.checker.Standings()
	earlier, err := earlierStandings(p.records, to.previous)
	if err != nil {
		return err
	}
	count := 0
	for _, s := range list {
		if s.Standing != standing.Stands {
			count++
		}
	}
	if count > 0 {
		p.noticed = make([]standing.Day, len(list))
	}
	f, err := to.create(layout.StandingPath)
	if err != nil {
		return err
	}
	f.begin(appendCount([]byte(`{"count":`), count))
	for i := range p.records.kinds {
		for _, n := range p.records.kinds[i].numbers {
			if list[n].Standing == standing.Stands {
				continue
			}
			s := standingLine(p.records.checker, n)
			s.Noticed = string(today)
			if was := earlier[n]; was.Standing == s.Standing && was.Since == s.Since && was.Cause == s.Cause {
				s.Noticed = was.Noticed
			}
			p.noticed[n] = standing.DayOf(record.Date(s.Noticed))
			line, err := json.Marshal(s)
			if err != nil {
				return err
			}
			f.line(line)
		}
	}
	return f.end()
}

// standingLine is the line of a record in the listing, but for when it was noticed.
func standingLine(checker *check.Checker, n int32) release.Standing {
	is := checker.Standings()[n]
	s := release.Standing{
		ID: checker.ID(n), Kind: record.Kinds[checker.Kind(n)].Name, Standing: is.Standing.String(),
		Since: is.Since.String(), Cause: is.Cause.String(), Path: []string{},
	}
	for at := range checker.Standings().Path(n) {
		if at != n {
			s.Path = append(s.Path, checker.ID(at))
		}
	}
	return s
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
