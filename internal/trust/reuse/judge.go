package reuse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/sheet"
)

// Options are the options of Compare.
type Options struct {
	Sheet  sheet.Options
	Map    *Map // the columns; nil to detect them
	Others bool // whether the copy also has records of other publishers, so that unknown IDs do not count
	// Found is called for every finding, if it is not nil.
	Found func(Finding) error
}

// Compare compares the copy in a file with the published records.
func Compare(ctx context.Context, p *Published, path string, o Options) (*Report, error) {
	r := &Report{Copy: path, Release: p.manifest.Release, Date: p.manifest.Date, Service: p.manifest.BaseURL}
	for i := range r.Things {
		r.Things[i].Thing = Thing(i).Key()
	}
	sheets, err := tablesToCompare(ctx, path, o.Sheet)
	if err != nil {
		return nil, err
	}
	for _, name := range sheets {
		if err := compareTable(ctx, p, r, path, name, o); err != nil {
			return nil, err
		}
	}
	switch {
	case r.Rows == 0 && o.Map != nil:
		return nil, errors.New("the map's ID column contains no IDs of this release")
	case r.Rows == 0:
		return nil, errors.New("no column contains IDs of this release: it is a copy of something else, or the IDs were dropped")
	}
	r.setVerdicts()
	return r, nil
}

// tablesToCompare returns the requested table of a file, or all its tables.
func tablesToCompare(ctx context.Context, path string, o sheet.Options) ([]sheet.Options, error) {
	t, err := sheet.Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	list := []sheet.Options{o}
	if o.Sheet == "" && o.Path == "" && len(t.Sheets) > 1 {
		list = nil
		for _, name := range t.Sheets {
			one := o
			if one.Sheet = name; t.Format == "json" {
				one.Sheet, one.Path = "", name
			}
			list = append(list, one)
		}
	}
	return list, t.Close()
}

// comparison is the state of comparing a table.
type comparison struct {
	p        *Published
	r        *Report
	o        Options
	c        *columns
	table    string
	reported [things]bool // whether a missing column was reported
	last     [things]repeated
	// The rows of the current record, which may be several if each has one of its links.
	at    offset
	id    string
	line  int
	cells [things][]string
}

// repeated caches the last result for a thing, because consecutive rows of large tables often have
// the same value.
type repeated struct {
	cell, published string
	result
}

func (r *repeated) check(t Thing, cells []string, f *fields, dates dateForm) result {
	if len(cells) != 1 {
		return checkThing(t, cells, f, dates)
	}
	if cells[0] != r.cell || f.things[t] != r.published || r.cell == "" {
		*r = repeated{cells[0], f.things[t], checkThing(t, cells, f, dates)}
	}
	return r.result
}

func compareTable(ctx context.Context, p *Published, r *Report, path string, of sheet.Options, o Options) (err error) {
	t, err := sheet.Open(ctx, path, of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	c, err := findColumns(p, t, o.Map)
	if err != nil || c == nil {
		return err
	}
	name := of.Sheet + of.Path
	if len(t.Sheets) > 1 && o.Map == nil && !c.hasRecords() {
		r.Passed = append(r.Passed, name)
		return nil
	}
	r.Format = t.Format
	if c.dates != isoDate {
		r.Notes = append(r.Notes, strings.TrimPrefix(name+": ", ": ")+"dates are written as "+dateFormNames[c.dates])
	}
	w := &comparison{p: p, r: r, o: o, c: c, at: noOffset}
	if len(t.Sheets) > 1 {
		w.table = name
	}
	first := true
	for row, err := range t.Rows() {
		if err != nil {
			return err
		}
		if first {
			first = false
			continue
		}
		if err := w.addRow(row); err != nil {
			return err
		}
	}
	if err := w.endRecord(); err != nil {
		return err
	}
	r.Tables = append(r.Tables, Compared{Table: w.table, Map: c.toMap()})
	return nil
}

// hasRecords reports whether a table contains records, and not only references to them: it has
// columns other than IDs.
func (c *columns) hasRecords() bool {
	return len(c.of[Links])+len(c.of[Verified])+len(c.of[Boundary]) > 0
}

// addRow reads a row. Consecutive rows with the same ID are one record.
func (w *comparison) addRow(row sheet.Row) error {
	id := row.At(w.c.id).Text
	if id != w.id || id == "" {
		if err := w.endRecord(); err != nil {
			return err
		}
		w.id, w.line, w.at = id, row.Line, w.p.find(strings.TrimSpace(id))
		if empty := !slices.ContainsFunc(row.Cells, func(c sheet.Cell) bool { return c.Text != "" }); empty {
			w.line = 0
		}
	}
	for _, i := range w.c.ids {
		if cell := strings.TrimSpace(row.At(i).Text); cell != "" && cell != id {
			w.cells[ID] = append(w.cells[ID], cell)
		}
	}
	for _, t := range All[1:] {
		for _, i := range w.c.of[t] {
			cell := row.At(i).Text
			if cell != "" && t.isGroup() {
				path, _ := w.c.groupColumn(t, w.c.names[i])
				cell = path + "\x00" + cell
			}
			if cell != "" && !slices.Contains(w.cells[t], cell) {
				w.cells[t] = append(w.cells[t], cell)
			}
		}
	}
	return nil
}

// endRecord checks the current record.
func (w *comparison) endRecord() error {
	if w.line == 0 {
		return nil
	}
	err := w.checkRecord()
	w.line = 0
	for t := range w.cells {
		w.cells[t] = w.cells[t][:0]
	}
	return err
}

func (w *comparison) checkRecord() error {
	if !w.at.exists() {
		return w.addUnknown()
	}
	w.r.Rows++
	var f fields
	if err := w.p.load(w.at, &f); err != nil {
		return err
	}
	newest := f
	got := w.checkThings(&f)
	older := w.hasEarlierVersion(&f)
	if older || slices.ContainsFunc(got[:], func(j result) bool { return j.verdict.Fails() }) {
		old, found, err := w.findEarlier(&f)
		if err != nil {
			return err
		}
		if older || found {
			got = w.checkEarlier(&newest, old, found, got)
		}
	}
	if w.id != newest.things[ID] {
		got[ID] = result{verdict: Altered, published: newest.things[ID], copy: w.id}
	} else if len(w.cells[ID]) > 0 {
		got[ID] = result{verdict: Altered, why: "another column has a different ID", published: w.id, copy: w.cells[ID][0]}
	}
	if newest.retracted {
		if w.r.Retracted++; w.r.Retracted <= examples {
			w.r.retracted = append(w.r.retracted, w.id)
		}
	}
	for _, t := range All {
		if err := w.count(t, newest.things[ID], got[t]); err != nil {
			return err
		}
	}
	return nil
}

func (w *comparison) addUnknown() error {
	switch {
	case strings.TrimSpace(w.id) == "":
		w.r.Rows++
		return w.count(ID, "", result{verdict: Dropped})
	case w.o.Others:
		w.r.Others++
		return nil
	}
	return w.count(ID, w.id, result{verdict: Foreign, copy: w.id})
}

// checkThings checks all things that have a column.
func (w *comparison) checkThings(f *fields) (results [things]result) {
	results[ID] = result{verdict: Kept}
	for _, t := range All[1:] {
		switch {
		case t == Areas:
			results[t] = w.p.checkArea(w.cells[t], f.things[t])
		case len(w.c.of[t]) > 0:
			results[t] = w.last[t].check(t, w.cells[t], f, w.c.dates)
		case f.things[t] != "" && !t.isOptional():
			results[t].verdict = Dropped
		}
	}
	if reasons := f.things[Reasons]; results[Labels].verdict == Kept && len(w.c.of[Reasons]) == 0 &&
		(strings.Contains(reasons, `"start":`) || strings.Contains(reasons, `"factors":`)) {
		results[Labels] = result{verdict: Less, why: "without its reasons (label_basis)", published: reasons}
	}
	return results
}

// hasEarlierVersion reports whether the copy contains an earlier version number.
func (w *comparison) hasEarlierVersion(f *fields) bool {
	if len(w.cells[Version]) == 0 {
		return false
	}
	have, err := strconv.ParseInt(parseVersion(w.cells[Version][0]), 10, 64)
	now, err2 := strconv.ParseInt(f.things[Version], 10, 64)
	return err == nil && err2 == nil && have >= 1 && have < now
}

// findEarlier returns the earlier version that the copy contains: the version that the copy names,
// or the latest version that matches completely.
func (w *comparison) findEarlier(latest *fields) (earlier *fields, found bool, err error) {
	for at := latest.earlier; at.exists(); {
		f := new(fields)
		if err := w.p.load(at, f); err != nil {
			return nil, false, err
		}
		at = f.earlier
		if len(w.cells[Version]) > 0 {
			if parseVersion(w.cells[Version][0]) == f.things[Version] {
				return f, true, nil
			}
			continue
		}
		fits := true
		for t, j := range w.checkThings(f) {
			fits = fits && (len(w.c.of[t]) == 0 || !j.verdict.Fails())
		}
		if fits {
			return f, true, nil
		}
	}
	return nil, false, nil
}

// checkEarlier checks a copy of an earlier version against that version. If the version is not
// available, differences from latest count as stale.
func (w *comparison) checkEarlier(latest, earlier *fields, found bool, results [things]result) [things]result {
	verdict := Stale
	if latest.retracted {
		verdict = Retracted
	}
	now := results
	if found {
		results = w.checkThings(earlier)
	}
	for t, j := range now {
		switch {
		case len(w.cells[Version]) == 0 && j.verdict.Fails() && !results[t].verdict.Fails():
			results[t] = result{verdict: verdict, published: j.published, copy: j.copy}
		case !found && (j.verdict == Altered || j.verdict == Truncated):
			results[t] = result{verdict: Stale, why: "that version is not available for comparison"}
		}
	}
	if len(w.cells[Version]) > 0 {
		results[Version] = result{verdict: verdict, published: latest.things[Version], copy: w.cells[Version][0]}
	}
	return results
}

func (w *comparison) count(t Thing, id string, res result) error {
	tally := &w.r.Things[t]
	tally.counts[res.verdict]++
	if res.verdict <= Kept {
		return nil
	}
	// A missing column is one finding, not one for each record.
	if t != ID && len(w.c.of[t]) == 0 {
		if w.reported[t] {
			return nil
		}
		w.reported[t] = true
		id, res.published = "", ""
		res.why = fmt.Sprintf("no column is named %s: name its column with --map", t.Key())
	}
	f := Finding{
		Table: w.table, Line: w.line, ID: id, Thing: t.Key(), Verdict: res.verdict, Why: res.why,
		Published: res.published, Copy: res.copy,
	}
	if id == "" {
		f.Line = 0
	}
	if len(tally.Examples) < examples {
		tally.Examples = append(tally.Examples, f)
	}
	if w.o.Found == nil {
		return nil
	}
	return w.o.Found(f)
}
