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

// Options are how to compare.
type Options struct {
	Sheet  sheet.Options
	Map    *Map // which column holds what, where it need not be found out
	Others bool // the copy has records of others too: IDs that were not published here count for nothing
	// Found is called with every finding, where it is set.
	Found func(Finding) error
}

// Compare holds a copy in a file against what was published.
func Compare(ctx context.Context, p *Published, path string, o Options) (*Report, error) {
	r := &Report{Copy: path, Release: p.manifest.Release, Date: p.manifest.Date, Service: p.manifest.BaseURL}
	for i := range r.Things {
		r.Things[i].Thing = Thing(i).Key()
	}
	sheets, err := tablesOf(ctx, path, o.Sheet)
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
		return nil, errors.New("the column that the map names for IDs has none of this release")
	case r.Rows == 0:
		return nil, errors.New("no column has IDs of this release: it is a copy of something else, or the IDs were dropped")
	}
	r.finish()
	return r, nil
}

// tablesOf lists the tables of a file that are to be compared: the one that was asked for, or all.
func tablesOf(ctx context.Context, path string, o sheet.Options) ([]sheet.Options, error) {
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

// comparison is a table that is being compared.
type comparison struct {
	p     *Published
	r     *Report
	o     Options
	c     *columns
	table string
	noted [things]bool // that no column has it
	last  [things]repeated
	// the rows of the record at hand, which may be several if each has one of its links
	at    place
	id    string
	line  int
	cells [things][]string
}

// repeated is the judgement on a thing of the row before. In large tables most rows say the same.
type repeated struct {
	cell, published string
	judgement
}

func (r *repeated) judge(t Thing, cells []string, f *fields, dates dateForm) judgement {
	if len(cells) != 1 {
		return judge(t, cells, f, dates)
	}
	if cells[0] != r.cell || f.things[t] != r.published || r.cell == "" {
		*r = repeated{cells[0], f.things[t], judge(t, cells, f, dates)}
	}
	return r.judgement
}

func compareTable(ctx context.Context, p *Published, r *Report, path string, of sheet.Options, o Options) (err error) {
	t, err := sheet.Open(ctx, path, of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	c, err := columnsOf(p, t, o.Map)
	if err != nil || c == nil {
		return err
	}
	name := of.Sheet + of.Path
	if len(t.Sheets) > 1 && o.Map == nil && !c.looksWhole() {
		r.Passed = append(r.Passed, name)
		return nil
	}
	r.Format = t.Format
	if c.dates != isoDate {
		r.Notes = append(r.Notes, strings.TrimPrefix(name+": ", ": ")+"dates are written as "+dateFormNames[c.dates])
	}
	w := &comparison{p: p, r: r, o: o, c: c, at: noPlace}
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
		if err := w.take(row); err != nil {
			return err
		}
	}
	if err := w.end(); err != nil {
		return err
	}
	r.Tables = append(r.Tables, Compared{Table: w.table, Map: c.asMap()})
	return nil
}

// looksWhole reports whether a table among others holds records, and not something that refers to
// them: besides IDs it has one of the other things.
func (c *columns) looksWhole() bool {
	return len(c.of[Links])+len(c.of[Verified])+len(c.of[Boundary]) > 0
}

// take reads a row. Rows of the same record that follow each other are taken together.
func (w *comparison) take(row sheet.Row) error {
	id := row.At(w.c.id).Text
	if id != w.id || id == "" {
		if err := w.end(); err != nil {
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
			if cell := row.At(i).Text; cell != "" && !slices.Contains(w.cells[t], cell) {
				w.cells[t] = append(w.cells[t], cell)
			}
		}
	}
	return nil
}

// end judges the record at hand.
func (w *comparison) end() error {
	if w.line == 0 {
		return nil
	}
	err := w.judge()
	w.line = 0
	for t := range w.cells {
		w.cells[t] = w.cells[t][:0]
	}
	return err
}

func (w *comparison) judge() error {
	if !w.at.there() {
		return w.unknown()
	}
	w.r.Rows++
	var f fields
	if err := w.p.load(w.at, &f); err != nil {
		return err
	}
	newest := f
	got := w.judgeAll(&f)
	older := w.version(&f)
	if older || slices.ContainsFunc(got[:], func(j judgement) bool { return j.verdict.Fails() }) {
		old, found, err := w.olderThatFits(&f)
		if err != nil {
			return err
		}
		if older || found {
			got = w.stale(&newest, old, found, got)
		}
	}
	if w.id != newest.things[ID] {
		got[ID] = judgement{verdict: Altered, published: newest.things[ID], copy: w.id}
	} else if len(w.cells[ID]) > 0 {
		got[ID] = judgement{verdict: Altered, why: "another column has another ID", published: w.id, copy: w.cells[ID][0]}
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

func (w *comparison) unknown() error {
	switch {
	case strings.TrimSpace(w.id) == "":
		w.r.Rows++
		return w.count(ID, "", judgement{verdict: Dropped})
	case w.o.Others:
		w.r.Others++
		return nil
	}
	return w.count(ID, w.id, judgement{verdict: Foreign, copy: w.id})
}

// judgeAll judges all things but those that no column has.
func (w *comparison) judgeAll(f *fields) (got [things]judgement) {
	got[ID] = judgement{verdict: Kept}
	for _, t := range All[1:] {
		switch {
		case len(w.c.of[t]) > 0:
			got[t] = w.last[t].judge(t, w.cells[t], f, w.c.dates)
		case f.things[t] != "":
			got[t].verdict = Dropped
		}
	}
	return got
}

// version reports whether the copy says that it is of an earlier version.
func (w *comparison) version(f *fields) bool {
	if len(w.cells[Version]) == 0 {
		return false
	}
	have, err := strconv.ParseInt(number(w.cells[Version][0]), 10, 64)
	now, err2 := strconv.ParseInt(f.things[Version], 10, 64)
	return err == nil && err2 == nil && have >= 1 && have < now
}

// olderThatFits finds the version that the copy is of: the one that it names, or any that it
// agrees with in all that it has.
func (w *comparison) olderThatFits(newest *fields) (old *fields, found bool, err error) {
	for at := newest.earlier; at.there(); {
		f := new(fields)
		if err := w.p.load(at, f); err != nil {
			return nil, false, err
		}
		at = f.earlier
		if len(w.cells[Version]) > 0 {
			if number(w.cells[Version][0]) == f.things[Version] {
				return f, true, nil
			}
			continue
		}
		fits := true
		for t, j := range w.judgeAll(f) {
			fits = fits && (len(w.c.of[t]) == 0 || !j.verdict.Fails())
		}
		if fits {
			return f, true, nil
		}
	}
	return nil, false, nil
}

// stale judges a copy of an earlier version by that version. Where it is not kept any more, what
// differs from the newest is as old as the rest.
func (w *comparison) stale(newest, old *fields, found bool, got [things]judgement) [things]judgement {
	verdict := Stale
	if newest.retracted {
		verdict = Retracted
	}
	now := got
	if found {
		got = w.judgeAll(old)
	}
	for t, j := range now {
		switch {
		case len(w.cells[Version]) == 0 && j.verdict.Fails() && !got[t].verdict.Fails():
			got[t] = judgement{verdict: verdict, published: j.published, copy: j.copy}
		case !found && (j.verdict == Altered || j.verdict == Truncated):
			got[t] = judgement{verdict: Stale, why: "that version is not kept, so it was not compared"}
		}
	}
	if len(w.cells[Version]) > 0 {
		got[Version] = judgement{verdict: verdict, published: newest.things[Version], copy: w.cells[Version][0]}
	}
	return got
}

// count adds a verdict to the report.
func (w *comparison) count(t Thing, id string, j judgement) error {
	tally := &w.r.Things[t]
	tally.counts[j.verdict]++
	if j.verdict <= Kept {
		return nil
	}
	// what no column has is one finding, not one for each record
	if t != ID && len(w.c.of[t]) == 0 {
		if w.noted[t] {
			return nil
		}
		w.noted[t] = true
		id, j.published = "", ""
		j.why = fmt.Sprintf("no column is named %s: write with --map which one has them", t.Key())
	}
	f := Finding{
		Table: w.table, Line: w.line, ID: id, Thing: t.Key(), Verdict: j.verdict, Why: j.why,
		Published: j.published, Copy: j.copy,
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
