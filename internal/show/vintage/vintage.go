// Package vintage determines which figures of an indicator each release had, from the current
// versions of records, earlier versions, and the change events. Redacted figures are omitted.
package vintage

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/trust/standing"
	"stele/record"
)

// Suffix is the suffix of an indicator's file of vintages.
const Suffix = ".vintages.csv"

// Row is a figure in the releases that contain it unchanged.
type Row struct {
	*record.HealthcareStatistic
	Standing standing.Standing // of lost figures, only this is shown
	From     int               // index of the first release with it
	Until    int               // index of the first release without it; 0 for none
}

// At reports whether the release with the given index had the figure.
func (r *Row) At(index int) bool { return r.From <= index && (r.Until == 0 || index < r.Until) }

// span contains the releases in which a version of a record was the latest.
type span struct {
	version     int64
	from, until int
}

// reader collects the vintages of an indicator.
type reader struct {
	render.Records
	kind   *record.Kind
	places map[string]int // of releases
	rows   []Row
}

// Of returns the figures of an indicator in all releases: record by record, sorted by area, period
// and ID. It returns none if all releases have the same figures. numbers contains the indexes of
// the indicator's statistics, now reads the statistic numbers[i], and code is the indicator's code.
func Of(
	e render.Records, numbers []int32, code string, now func(i int) *record.HealthcareStatistic,
) ([]Row, error) {
	r := &reader{Records: e, kind: record.KindNamed(record.KindHealthcareStatistic), places: map[string]int{}}
	for i, p := range e.Releases() {
		r.places[p.Release] = i
	}
	was, gone, err := r.history(code)
	if err != nil || len(was) == 0 && !r.hasMoved(numbers) {
		return nil, err
	}
	for i, n := range numbers {
		st := now(i)
		spans := map[record.ID][]span{st.ID: nil}
		if err := r.readSpans(e.EventsOf(r.kind, int(n)), spans); err != nil {
			return nil, err
		}
		if len(spans[st.ID]) == 0 {
			spans[st.ID] = []span{{version: st.Version}}
		}
		r.add(spans[st.ID], was[string(st.ID)], st, int(n))
	}
	if err := r.addGone(gone, was); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(key(a), key(b)), strings.Compare(string(a.ID), string(b.ID)), a.From-b.From)
	})
	if !slices.ContainsFunc(r.rows, func(v Row) bool { return v.From > 0 || v.Until > 0 }) {
		return nil, nil
	}
	return r.rows, nil
}

func key(r Row) string { return r.RefAreaScheme.Key(r.RefArea) + "\x00" + r.TimePeriod.Key() }

// history returns earlier versions of the indicator's records, by ID, and the IDs of removed
// records.
func (r *reader) history(code string) (was map[string][]*record.HealthcareStatistic, gone []string, err error) {
	was = map[string][]*record.HealthcareStatistic{}
	for v, err := range r.History(r.kind, code) {
		if err != nil {
			return nil, nil, err
		}
		st := new(record.HealthcareStatistic)
		if err := json.Unmarshal(v.Record, st); err != nil {
			return nil, nil, fmt.Errorf("version %d of %s: %w", v.Number, v.ID, err)
		}
		if st.Indicator != code { // another indicator shares the file
			continue
		}
		if _, _, is := r.Find(v.ID); !is && was[v.ID] == nil {
			gone = append(gone, v.ID)
		}
		was[v.ID] = append(was[v.ID], st)
	}
	return was, gone, nil
}

// hasMoved reports whether any of the records changed after the first release.
func (r *reader) hasMoved(numbers []int32) bool {
	return slices.ContainsFunc(numbers, func(n int32) bool {
		return r.EventsOf(r.kind, int(n)).Len() > 0 || r.Standing(r.kind, int(n)).Standing == standing.Unsupported
	})
}

// addGone adds the figures of removed records. It reads the events of all records once.
func (r *reader) addGone(gone []string, was map[string][]*record.HealthcareStatistic) error {
	if len(gone) == 0 {
		return nil
	}
	spans := map[record.ID][]span{}
	for _, id := range gone {
		spans[record.ID(id)] = nil
	}
	if err := r.readSpans(r.Events(r.kind), spans); err != nil {
		return err
	}
	for _, id := range gone {
		r.add(spans[record.ID(id)], was[id], nil, 0)
	}
	return nil
}

// readSpans determines from events in which releases each version was the latest, for the records
// in of.
func (r *reader) readSpans(events render.Events, of map[record.ID][]span) error {
	for e, err := range events.From(0) { // newest first
		if err != nil {
			return err
		}
		place, known := r.places[e.Release]
		list, wanted := of[e.RecordID]
		if !known || !wanted || !e.Differs() {
			continue
		}
		if n := len(list) - 1; n >= 0 && list[n].from == 0 { // an earlier end that is known is better
			list = list[:n]
		}
		if e.After != nil {
			s := span{version: e.After.Version, from: place}
			if n := len(list); n > 0 {
				s.until = list[n-1].from
			}
			list = append(list, s)
		}
		if e.Before != nil {
			list = append(list, span{version: e.Before.Version, until: place})
		}
		of[e.RecordID] = list
	}
	for _, list := range of {
		slices.Reverse(list)
	}
	return nil
}

// add adds the figures of a record: of its earlier versions, and of the current one if now is not
// nil.
func (r *reader) add(spans []span, was []*record.HealthcareStatistic, now *record.HealthcareStatistic, number int) {
	for _, s := range spans {
		st := now
		if now == nil || s.version != now.Version {
			i := slices.IndexFunc(was, func(v *record.HealthcareStatistic) bool { return v.Version == s.version })
			if i < 0 { // redacted, or older than the histories
				continue
			}
			st = was[i]
		}
		row := Row{HealthcareStatistic: st, From: s.from, Until: s.until}
		if st.Retracted() {
			row.Standing = standing.Retracted
		}
		if st == now && s.until == 0 {
			is := r.Standing(r.kind, number).Standing
			// releases contain no unsupported figures, so only this release can have lost it
			if this := len(r.places) - 1; row.Standing == standing.Stands && is.IsLost() && this > s.from {
				row.Until = this
				r.appendRow(row)
				row.From, row.Until = this, 0
			}
			row.Standing = is
		}
		r.appendRow(row)
	}
}

// appendRow adds row, or extends the previous row if it has the same cells.
func (r *reader) appendRow(row Row) {
	if n := len(r.rows); n > 0 && r.rows[n-1].ID == row.ID && r.rows[n-1].Until == row.From && row.From > 0 &&
		slices.Equal(r.rows[n-1].cells(), row.cells()) {
		r.rows[n-1].Until = row.Until
		return
	}
	r.rows = append(r.rows, row)
}

// figures contains the names of the cells.
var figures = []string{
	"value", "less_than", "greater_than", "code", "lower", "upper", "unit", "obs_status", "standing",
}

// cells returns the figures of r, or only its standing if it was retracted or has lost its support.
func (r *Row) cells() []string {
	cells := []string{
		string(r.Value), string(r.LessThan), string(r.GreaterThan), r.Code, string(r.Lower), string(r.Upper),
		r.Unit, string(r.ObsStatus), r.Standing.String(),
	}
	if r.Standing.IsLost() {
		clear(cells[:6])
	} else {
		cells[8] = standing.Stands.String() // earlier standings are not known for all releases
	}
	return cells
}

// AppendCSV appends the CSV file of an indicator's vintages.
func AppendCSV(b []byte, rows []Row, releases []layout.Past) ([]byte, error) {
	seen := map[string]bool{}
	for i := range rows {
		for _, d := range rows[i].Dimensions {
			seen["dim_"+d.Name] = true
		}
	}
	dimensions := slices.Sorted(maps.Keys(seen))
	out := bytes.NewBuffer(b)
	w := csv.NewWriter(out) // w keeps its errors
	w.Write(slices.Concat([]string{"area_code", "time_period"}, dimensions, []string{"vintage"}, figures,
		[]string{"id", "version", "from_release", "from_date", "until_release", "until_date"}))
	for i := range rows {
		r := &rows[i]
		line := []string{r.RefAreaScheme.Key(r.RefArea), string(r.TimePeriod)}
		for _, name := range dimensions {
			line = append(line, r.Dimensions.Get(strings.TrimPrefix(name, "dim_")))
		}
		var until layout.Past
		if r.Until > 0 {
			until = releases[r.Until]
		}
		from := releases[r.From]
		w.Write(append(append(append(line, string(r.Vintage)), r.cells()...), string(r.ID),
			strconv.FormatInt(r.Version, 10), from.Release, from.Date, until.Release, until.Date))
	}
	w.Flush()
	return out.Bytes(), w.Error()
}
