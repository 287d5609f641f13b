package reuse

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/base/jsonline"
	"stele/internal/base/junit"
)

// examples is the number of findings per thing in a report.
const examples = 3

// Report describes which things a copy preserved.
type Report struct {
	Copy    string `json:"copy"`
	Format  string `json:"format"`
	Service string `json:"service"`
	Release string `json:"release"`
	Date    string `json:"date"`
	Kept    bool   `json:"kept"` // whether it kept everything required
	Rows    int    `json:"records"`
	Others  int    `json:"others,omitempty"` // rows with records of other publishers
	// Retracted counts retracted records. A copy may contain them, but must show it.
	Retracted int           `json:"retracted,omitempty"`
	retracted []string      // some of them
	Things    [things]Tally `json:"things"`
	Notes     []string      `json:"notes,omitempty"`
	Tables    []Compared    `json:"tables"`
	Passed    []string      `json:"passed_over,omitempty"` // tables that only refer to records
}

// Tally is the result for a thing in all records.
type Tally struct {
	Thing    string         `json:"thing"`
	Verdict  Verdict        `json:"verdict"` // the worst
	Records  map[string]int `json:"records"` // by verdict
	Examples []Finding      `json:"examples,omitempty"`
	counts   [verdicts]int
}

// Compared is a table of the copy, with its columns.
type Compared struct {
	Table string `json:"table,omitempty"`
	Map   *Map   `json:"map"`
}

func (r *Report) setVerdicts() {
	r.Kept = true
	for i := range r.Things {
		t := &r.Things[i]
		t.Records = map[string]int{}
		for v, n := range t.counts {
			if n > 0 {
				t.Verdict = Verdict(v)
				name, _ := t.Verdict.MarshalText() // cannot fail
				t.Records[string(name)] = n
			}
		}
		r.Kept = r.Kept && !t.Verdict.Fails()
	}
}

// JSON writes the report as JSON. A report on one table can be used as a map.
func (r *Report) JSON(w io.Writer) error {
	data, err := jsonline.Marshal(r, "  ")
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for i := range r.Things {
		t := &r.Things[i]
		if Thing(i).isOptional() && t.Verdict == NotApplicable {
			continue
		}
		fmt.Fprintf(&b, "%18s  %s\n", Thing(i), t.summary())
		for _, e := range t.Examples {
			e.writeText(&b)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	if r.Retracted > 0 {
		more := ""
		if r.Retracted > len(r.retracted) {
			more = ", …"
		}
		fmt.Fprintf(&b, "note: %d retracted, which every use must show: %s%s\n", r.Retracted, strings.Join(r.retracted, ", "), more)
	}
	if len(r.Passed) > 0 {
		fmt.Fprintf(&b, "not compared, because they only refer to records: %s. Use --sheet to compare one\n", strings.Join(r.Passed, ", "))
	}
	if r.Others > 0 {
		fmt.Fprintf(&b, "%d rows have IDs that were not published here\n", r.Others)
	}
	noun, verdict := "records", "does not preserve"
	if r.Rows == 1 {
		noun = "record"
	}
	if r.Kept {
		verdict = "preserves"
	}
	fmt.Fprintf(&b, "%s %s the eight things of release %.12s (%s): %d %s\n", r.Copy, verdict, r.Release, r.Date, r.Rows, noun)
	_, err := io.WriteString(w, b.String())
	return err
}

// summary returns the counts of the verdicts, the worst first.
func (t *Tally) summary() string {
	list := []string{}
	for v := verdicts - 1; v >= 0; v-- {
		if n := t.counts[v]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(list, ", ")
}

func (f *Finding) writeText(b *strings.Builder) {
	where := ""
	if f.Table != "" {
		where = f.Table + ", "
	}
	if f.Line > 0 {
		where += fmt.Sprintf("line %d, ", f.Line)
	}
	fmt.Fprintf(b, "%20s%s%s %s", "", where, f.ID, f.Verdict)
	if f.Why != "" {
		fmt.Fprintf(b, ": %s", f.Why)
	}
	b.WriteByte('\n')
	for _, pair := range [][2]string{{"published", f.Published}, {"copy", f.Copy}} {
		if pair[1] != "" {
			fmt.Fprintf(b, "%22s%-9s  %s\n", "", pair[0], truncate(pair[1]))
		}
	}
}

// truncate shortens a text to one line of a terminal.
func truncate(s string) string {
	s = strings.Map(func(r rune) rune {
		if jsonline.IsControl(r) || r == '\n' || r == '\t' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}

// NewFindingWriter returns a function that writes a finding as a CSV row, and a function to call
// after the last finding.
func NewFindingWriter(to io.Writer) (add func(Finding) error, done func() error) {
	w := csv.NewWriter(to)
	w.Write([]string{"table", "line", "id", "thing", "verdict", "why", "published", "copy"}) // done returns the error
	add = func(x Finding) error {
		line := strings.TrimPrefix(strconv.Itoa(x.Line), "0") // empty for a finding about the whole copy
		return w.Write([]string{x.Table, line, x.ID, x.Thing, x.Verdict.String(), x.Why, x.Published, x.Copy})
	}
	return add, func() error {
		w.Flush()
		return w.Error()
	}
}

// JUnit writes the report in JUnit XML, with one test for each thing.
func (r *Report) JUnit(w io.Writer) error {
	suite := junit.Suite{Name: r.Copy}
	for i := range r.Things {
		t := &r.Things[i]
		if Thing(i).isOptional() && t.Verdict == NotApplicable {
			continue
		}
		c := junit.Case{Name: Thing(i).String(), Class: r.Copy}
		switch {
		case t.Verdict.Fails():
			var b strings.Builder
			for _, e := range t.Examples {
				e.writeText(&b)
			}
			c.Failure = &junit.Text{Message: t.summary(), Text: b.String()}
		case t.Verdict == NotApplicable:
			c.Skipped = &junit.Text{Message: t.summary()}
		}
		suite.Add(c)
	}
	return junit.Write(w, "stele reuse "+r.Copy, suite)
}
