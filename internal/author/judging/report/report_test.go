package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/author/judging/check"
	"stele/internal/author/judging/report"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(path))(t)
	if got != string(want) {
		t.Errorf("%s differs; -update writes it anew. Got:\n%s", path, got)
	}
}

// files are what the problems below point into.
var files = fstest.MapFS{
	"records/signals/a.yaml":     {Data: []byte("id: sig-a\nverfication_date: 2026-11-14\ntitle: short\n")},
	"records/signals/crlf.yaml":  {Data: []byte("\ufeffid: a\r\n\ttitle: b\r\n")},
	"records/signals/long.json":  {Data: []byte(`{"id":"a","x_before":"` + strings.Repeat("before ", 200) + `","titel":"T","x_after":"` + strings.Repeat("after ", 20_000) + `","last":1}`)},
	"records/signals/wide.yaml":  {Data: []byte("id: a\ntitle: 日本語のタイトル wrong\nsummary: 🦠🧬 e\u0301 wrong\nx_日本: 1\n")},
	"records/signals/steer.yaml": {Data: []byte("title: \x1b[31mred\x1b[0m wrong\nsummary: \u202eevil\u202c wrong\nx: \u009b1m \u200b\x00 wrong\n")},
}

// at makes a problem that points at a word in a line of a file.
func at(code codes.Code, file string, line int, word, message, fix string) schema.Problem {
	text := strings.Split(strings.TrimPrefix(string(files[file].Data), "\ufeff"), "\n")[line-1]
	before, _, found := strings.Cut(text, word)
	if !found {
		panic(word + " is not in " + text)
	}
	return schema.Problem{
		Code:    code,
		File:    file,
		Line:    line,
		Column:  len([]rune(before)) + 1,
		Width:   len([]rune(word)),
		Record:  "sig-a",
		Pointer: "/x",
		Value:   word,
		Message: message,
		Fix:     fix,
	}
}

var problems = []schema.Problem{
	{Code: codes.NotRead, File: "records/recipes", Message: "unknown folder: it does not belong to a kind", Fix: "the folders are signals, evidence, …"},
	{Code: codes.NoRecords, File: "records/signals", Message: "no records found"},
	at(codes.UnknownMember, "records/signals/a.yaml", 2, "verfication_date", `unknown member "verfication_date"`, `did you mean "verification_date"?`),
	at(codes.BoundaryRepeatsClaim, "records/signals/a.yaml", 3, "short", "the boundary only repeats the claim", ""),
	{Code: codes.MalformedCSV, File: "records/signals/a.yaml", Line: 3, Message: "the whole line is wrong", Fix: "write another"},
	{Code: codes.MalformedCSV, File: "records/signals/a.yaml", Line: 3, Message: "the whole line is wrong, and there is nothing to do"},
	{Code: codes.WrongValue, File: "records/signals/a.yaml", Line: 3, Column: 8, Width: 500, Message: "wider than the line", Fix: "shorten it"},
	{Code: codes.WrongValue, File: "records/signals/a.yaml", Line: 3, Column: 500, Width: 5, Message: "behind the line", Fix: "look"},
	{Code: codes.WrongValue, File: "records/signals/a.yaml", Line: 99, Column: 1, Message: "behind the file", Fix: "look"},
	at(codes.WrongValue, "records/signals/crlf.yaml", 1, "a", "after a byte-order mark", "x"),
	at(codes.WrongValue, "records/signals/crlf.yaml", 2, "title", "after a tab", "x"),
	at(codes.Malformed, "records/signals/long.json", 1, `{"id"`, "at the beginning of a long line", "x"),
	at(codes.UnknownMember, "records/signals/long.json", 1, "titel", "inside a long line", `did you mean "title"?`),
	at(codes.UnknownMember, "records/signals/long.json", 1, "last", "at the end of a long line", "x"),
	{Code: codes.Unreadable, File: "records/signals/none.yaml", Line: 3, Column: 4, Message: "the file is gone", Fix: "bring it back"},
	at(codes.WrongValue, "records/signals/steer.yaml", 1, "wrong", "\x1b]0;title\x07 in a message", "and \x1b[2J in \u202ea fix"),
	at(codes.WrongValue, "records/signals/steer.yaml", 2, "wrong", "after an override of the direction", "x"),
	at(codes.WrongValue, "records/signals/steer.yaml", 3, "wrong", "after other characters that cannot be seen", "100%: a, b\r\n::error::c"),
	at(codes.WrongValue, "records/signals/wide.yaml", 2, "wrong", "after wide characters", "x"),
	at(codes.WrongValue, "records/signals/wide.yaml", 2, "日本語", "wide characters", "x"),
	at(codes.WrongValue, "records/signals/wide.yaml", 3, "wrong", "after emoji and a combining accent", "x"),
	at(codes.UnknownMember, "records/signals/wide.yaml", 4, "x_日本", "wide name", "x"),
	{Code: codes.Unreadable, File: "records/signals/\x1b[31m,:%.yaml", Message: "a file name that steers", Fix: "rename it"},
}

func result() *check.Result {
	r := &check.Result{Problems: slices.Clone(problems), Records: 1204, Kinds: map[string]int{"signal": 1200, "evidence": 4}}
	slices.SortFunc(r.Problems, func(a, b schema.Problem) int { return a.Compare(&b) })
	for _, p := range r.Problems {
		if p.Severity() == codes.Error {
			r.Errors++
		} else {
			r.Warnings++
		}
	}
	return r
}

func write(t *testing.T, format string, r *check.Result, opt report.Options) string {
	t.Helper()
	var b bytes.Buffer
	opt.Files, opt.Took = files, 1234*time.Millisecond
	must.Do(t, report.Write(&b, format, r, opt))
	return b.String()
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, format string
		opt          report.Options
	}{
		{"text", "text", report.Options{}},
		{"text-color", "text", report.Options{Color: true}},
		{"text-prefix", "text", report.Options{Prefix: "../folder", Quiet: true}},
		{"json", "json", report.Options{Prefix: "folder"}},
		{"github", "github", report.Options{Prefix: "folder"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := write(t, c.format, result(), c.opt)
			golden(t, c.name, got)
			for i, line := range strings.Split(got, "\n") {
				if strings.TrimRight(line, " ") != line {
					t.Errorf("line %d ends with spaces: %q", i+1, line)
				}
			}
		})
	}
}

// Nothing from a file may steer the terminal that a report is read on.
func TestNothingSteersTheTerminal(t *testing.T) {
	for _, format := range report.Formats {
		got := write(t, format, result(), report.Options{})
		if i := strings.IndexAny(got, "\x1b\x07\x00\u009b\u202e\u202c\u200b\r"); i >= 0 {
			t.Errorf("%s: %q", format, got[max(0, i-20):i+20])
		}
	}
}

func TestJSONKeepsEveryValue(t *testing.T) {
	r := &check.Result{
		Errors: 1,
		Problems: []schema.Problem{
			{
				Code:    codes.WrongValue,
				File:    "a\x7f",
				Line:    1,
				Message: "\x1b \u202e \u200b \U000e0001 <é> 日本 🦠",
				Value:   "\u2028\t\"",
			},
		},
	}
	var d struct {
		Findings []struct{ File, Message, Value string }
	}
	must.Do(t, json.Unmarshal([]byte(write(t, "json", r, report.Options{})), &d))
	if got := d.Findings[0]; got.Message != r.Problems[0].Message || got.Value != r.Problems[0].Value ||
		got.File != r.Problems[0].File {
		t.Errorf("got %+q", got)
	}
}

func TestMoreProblemsThanAreKept(t *testing.T) {
	race.LeaveOut(t, "writes very much, in one goroutine")
	r := &check.Result{Errors: check.MaxProblems + 1234, Warnings: 7, Records: 1}
	for i := range check.MaxProblems {
		code := codes.WrongValue
		if i%4 == 0 {
			code = codes.UnknownReference
		}
		r.Problems = append(r.Problems, schema.Problem{Code: code, File: "a", Message: "m"})
	}
	got := write(t, "text", r, report.Options{})
	golden(t, "text-many", got[strings.Index(got, "… and"):])
}

// Every line is quoted by reading on from the one before: a file of one long line with many
// problems would take hours otherwise.
func TestManyProblemsInOneLongLine(t *testing.T) {
	n := 50_000
	if race.Enabled {
		n = 1_000
	}
	line := strings.Repeat(`"titel":"日本",`, n)
	fsys := &countingFS{MapFS: fstest.MapFS{"a.json": {Data: []byte(line)}}}
	r := &check.Result{Errors: n}
	for i := range n {
		r.Problems = append(
			r.Problems,
			schema.Problem{
				Code: codes.UnknownMember, File: "a.json", Line: 1, Column: 13*i + 1, Width: 7,
				Message: inLetters(i),
			},
		)
	}
	var b strings.Builder
	must.Do(t, report.Write(&b, "text", r, report.Options{Files: fsys}))
	if fsys.opened != 1 {
		t.Errorf("the file was opened %d times", fsys.opened)
	}
	lines := strings.Split(b.String(), "\n")
	quoted, mark := lines[3*(n/2)+1], lines[3*(n/2)+2]
	under := strings.Index(mark, "^") - strings.Index(mark, "|")
	// Of the 30 characters before the mark, 6 take two columns.
	if want := len("| ") + len(".") + 30 + 6; under != want || !strings.Contains(quoted, `"titel":"日本","titel":"日本"`) {
		t.Errorf("in the middle, mark at %d, not %d:\n%s\n%s", under, want, quoted, mark)
	}
}

// inLetters is a number in letters, so that problems that have it are not alike.
func inLetters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

// Problems that say the same of different places are shown three times and counted.
func TestProblemsThatRepeat(t *testing.T) {
	r := &check.Result{Errors: 4257}
	for i := range 4256 {
		r.Problems = append(r.Problems, schema.Problem{
			Code: codes.UnknownReference, File: fmt.Sprintf("f%d", i/1000), Line: i + 1,
			Message: fmt.Sprintf("no record %q", fmt.Sprint("r", i)),
		})
	}
	r.Problems = append(r.Problems, schema.Problem{Code: codes.WrongValue, File: "z", Message: "alone"})
	got := write(t, "text", r, report.Options{})
	if n := strings.Count(got, "no record"); n != 3 {
		t.Errorf("shown %d times", n)
	}
	for _, want := range []string{"… and 4,253 more like these, 4,256 in 5 files", "z: error SCH01: alone"} {
		if !strings.Contains(got, want) {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
	if all := write(t, "json", r, report.Options{}); strings.Count(all, "no record") != 4256 {
		t.Error("JSON has not all")
	}
}

type countingFS struct {
	fstest.MapFS
	opened int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.opened++
	return c.MapFS.Open(name)
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrors(t *testing.T) {
	for _, format := range report.Formats {
		if err := report.Write(brokenWriter{}, format, result(), report.Options{}); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", format, err)
		}
	}
}
