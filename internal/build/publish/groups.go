package publish

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/record"
	"stele/release"
)

// A release may change more records at once than anybody reads about one by one. Pages and feeds
// then tell of groups. What the groups are is found out once, when the release is made and the
// records are at hand, and carried over: what was told must not become another when records change
// again.
const (
	// mostSingle is how many records of a kind to which the same happened in a release are told of
	// one by one: as many as a feed has entries.
	mostSingle = 200
	// mostGroups is how many groups they may become: with more, people are helped as little.
	mostGroups = 50
)

// writeGroups writes the listing of groups, if there are any: those of earlier releases, and those
// that this one brings.
func (p *publication) writeGroups(changes *comparison, to *files) (all []release.Group, err error) {
	if to.previous == nil {
		return nil, nil
	}
	for g, err := range to.previous.Groups() {
		if err != nil {
			return nil, unreadable(err)
		}
		all = append(all, g)
	}
	fresh, err := p.newGroups(changes)
	if err != nil {
		return nil, err
	}
	if all = append(all, fresh...); len(all) == 0 {
		return nil, nil
	}
	f, err := to.create(layout.GroupsPath)
	if err != nil {
		return nil, err
	}
	f.begin(appendCount([]byte(`{"count":`), len(all)))
	for i := range all {
		line, err := json.Marshal(&all[i])
		if err != nil {
			return nil, err
		}
		f.line(line)
	}
	return all, f.end()
}

// happened is what happened to records of a kind.
type happened struct {
	kind   *record.Kind
	change record.ChangeType
}

// subject is what a record is about.
type subject struct{ indicator, source string }

// newGroups divides what this release did to very many records.
func (p *publication) newGroups(changes *comparison) (list []release.Group, err error) {
	counts := map[happened]int{}
	for d := range changes.drafts.All() {
		counts[happened{d.Kind, d.Change}]++
	}
	bulk := map[happened]map[subject]int{}
	for what, count := range counts {
		if count > mostSingle && what.change != record.ChangeRelicensed {
			bulk[what] = map[subject]int{}
		}
	}
	if len(bulk) == 0 {
		return nil, nil
	}
	read := p.records.spool.Reader()
	var was []byte
	for d := range changes.drafts.All() {
		of := bulk[happened{d.Kind, d.Change}]
		if of == nil {
			continue
		}
		var line []byte
		if n := p.records.checker.Number(d.RecordID); n >= 0 {
			line, err = read.Record(n)
		} else {
			was, err = changes.superseded.read(d.RecordID, was)
			line = was
		}
		if err != nil {
			return nil, err
		}
		of[subjectOf(line)]++
	}
	order := slices.SortedFunc(maps.Keys(bulk), func(x, y happened) int {
		return cmp.Or(cmp.Compare(slices.Index(record.Kinds, x.kind), slices.Index(record.Kinds, y.kind)),
			strings.Compare(string(x.change), string(y.change)))
	})
	m := p.manifest
	for _, what := range order {
		of := few(bulk[what])
		for _, s := range slices.SortedFunc(maps.Keys(of), compareSubjects) {
			list = append(list, release.Group{
				ID:      m.Release + "-" + strconv.Itoa(len(list)+1),
				Release: m.Release, Date: m.Date, Kind: what.kind.Name, Change: string(what.change),
				Indicator: s.indicator, Source: s.source, Count: of[s],
			})
		}
	}
	return list, nil
}

func compareSubjects(x, y subject) int {
	return cmp.Or(strings.Compare(x.indicator, y.indicator), strings.Compare(x.source, y.source))
}

// few divides by less where there would be too many groups.
func few(of map[subject]int) map[subject]int {
	for _, less := range []func(subject) subject{
		func(s subject) subject { return subject{indicator: s.indicator} },
		func(s subject) subject { return subject{source: s.source} },
		func(subject) subject { return subject{} },
	} {
		if len(of) <= mostGroups {
			break
		}
		fewer := map[subject]int{}
		for s, n := range of {
			fewer[less(s)] += n
		}
		if len(fewer) <= mostGroups {
			of = fewer
		}
	}
	return of
}

// subjectOf reads what a record is about: its indicator, and the source that it names first.
func subjectOf(line []byte) subject {
	return subject{textMember(line, "indicator"), textMember(line, "source_id")}
}

// read reads the version of a record that is gone.
func (s *superseded) read(recordID string, buf []byte) ([]byte, error) {
	v := s.of(recordID, -1)
	if v == nil {
		return buf[:0], nil
	}
	return s.lines.Read(v.line, buf)
}
