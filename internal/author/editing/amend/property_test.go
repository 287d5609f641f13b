package amend_test

import (
	"fmt"
	"io/fs"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/base/jsonline"
	"stele/record"
)

// chunk is a piece of a file; what is kept must be there afterwards, to the byte and in its place.
type chunk struct {
	text string
	kept bool
}

// file draws a file with records, of which one is ent-a, with comments everywhere.
type file struct {
	*rapid.T
	chunks []chunk
	eol    string
}

func (f *file) keep(s string) { f.chunks = append(f.chunks, chunk{s, true}) }
func (f *file) may(s string)  { f.chunks = append(f.chunks, chunk{s, false}) }

func (f *file) bool(label string) bool { return rapid.Bool().Draw(f.T, label) }

func (f *file) text() string {
	return rapid.StringMatching(`[A-Za-zäß][A-Za-z0-9 ,#'é:{}\[\]"\\-]{0,18}[a-z]`).Draw(f.T, "text")
}

func (f *file) comment(indent string) {
	if f.bool("comment") {
		f.keep(indent + "# " + f.text() + f.eol)
	}
	if f.bool("empty line") {
		f.keep(f.eol)
	}
}

// end ends a line, sometimes with a comment.
func (f *file) end() {
	if f.bool("comment at the end") {
		f.keep("  # " + f.text())
	}
	f.keep(f.eol)
}

func quoted(f *file, s string) string {
	if f.bool("single") {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return string(jsonline.AppendText(nil, s))
}

// yamlRecord writes a record with its members in any order.
func (f *file) yamlRecord(id, indent string, target bool) {
	dash := indent
	if indent != "" {
		dash = indent[2:] + "- "
	}
	f.keep(dash + "id: " + id)
	f.end()
	names := rapid.Permutation([]string{
		"version", "name", "summary", "corrections", "updated_date", "x_block",
		"x_flow", "x_kept", "source_updates",
	}).Draw(f.T, "order")
	for _, name := range names {
		f.comment(indent)
		switch name {
		case "version", "updated_date", "name":
			was := map[string]string{"version": "3", "updated_date": "2026-01-05", "name": f.text()}[name]
			if name == "name" || name == "updated_date" && f.bool("quoted") {
				was = quoted(f, was)
			}
			f.keep(indent + name + ": ")
			if target {
				f.may(was)
			} else {
				f.keep(was)
			}
			f.end()
		case "summary":
			f.keep(indent + "summary: >-" + f.eol + indent + "  " + strings.ReplaceAll(f.text(), "#",
				"") + f.eol + indent + "  more" + f.eol)
		case "x_block":
			f.keep(indent + "x_block: |" + f.eol + indent + "   a # b" + f.eol + f.eol + indent + "   c" + f.eol)
		case "x_kept":
			f.keep(indent + "x_kept: |+" + f.eol + indent + "  a" + f.eol + f.eol)
		case "x_flow":
			f.keep(indent + "x_flow: {a: [1, " + quoted(f, f.text()) + "], \"b\": c}")
			f.end()
		default:
			f.yamlList(name, indent, target && name == "corrections")
		}
	}
}

func (f *file) yamlList(name, indent string, target bool) {
	switch rapid.IntRange(0, 3).Draw(f.T, name) {
	case 0: // left to the defaults
	case 1:
		f.keep(indent + name + ":")
		if target {
			f.may(" []")
		} else {
			f.keep(" []")
		}
		f.end()
	case 2:
		f.keep(indent + name + ": ")
		list := "[{date: 2026-01-02, summary: " + quoted(f, f.text()) + "}]"
		if target { // it is written anew
			f.may(list)
		} else {
			f.keep(list)
		}
		f.end()
	default:
		in := indent + rapid.SampledFrom([]string{"", "  ", "    "}).Draw(f.T, "indent")
		f.keep(indent + name + ":")
		f.end()
		f.comment(in)
		f.keep(in + "- date: 2026-01-02")
		f.end()
		f.keep(in + "  summary: " + quoted(f, f.text()))
		f.end()
	}
}

// jsonRecord writes a record in JSON, on one line or on many. The one that changes is written anew.
func (f *file) jsonRecord(id string, target, lines bool) {
	br, colon := "", rapid.SampledFrom([]string{":", ": "}).Draw(f.T, "colon")
	if lines {
		br = f.eol + "\t\t"
	}
	var b strings.Builder
	put := func(name, value string) { b.WriteString("," + br + strconv.Quote(name) + colon + value) }
	b.WriteString("{" + br + `"id"` + colon + strconv.Quote(id))
	for _, name := range rapid.Permutation([]string{
		"version", "name", "corrections", "updated_date",
		"x_kept",
	}).Draw(f.T, "order") {
		switch name {
		case "version":
			put(name, "3")
		case "name":
			put(name, string(jsonline.AppendText(nil, f.text())))
		case "updated_date":
			put(name, `"2026-01-05"`)
		case "x_kept":
			put(name, `[1.50, {"a" : null}, "\u00e9"]`)
		case "corrections":
			if list := rapid.SampledFrom([]string{"", "[]", `[{"date":"2026-01-02"}]`}).Draw(f.T,
				"corrections"); list != "" {
				put(name, list)
			}
		}
	}
	if lines {
		b.WriteString(f.eol + "\t")
	}
	if b.WriteString("}"); target {
		f.may(b.String())
		return
	}
	f.keep(b.String())
}

func (f *file) draw(format string) string {
	at := rapid.IntRange(0, 2).Draw(f.T, "place")
	switch format {
	case ".yaml":
		list := f.bool("list")
		for i := range 3 {
			f.comment("")
			if !list && i > 0 {
				f.keep("---" + f.eol)
			}
			indent := ""
			if list {
				indent = "  "
			}
			f.yamlRecord(f.id(i, at), indent, i == at)
		}
	case ".json":
		lines := f.bool("lines")
		f.keep("[")
		for i := range 3 {
			if i > 0 {
				f.keep("," + f.eol + "\t")
			}
			f.jsonRecord(f.id(i, at), i == at, lines)
		}
		f.keep("]" + f.eol)
	case ".ndjson":
		for i := range 3 {
			f.jsonRecord(f.id(i, at), i == at, false)
			f.keep(f.eol)
		}
	case ".csv":
		f.table(at)
	}
	var b strings.Builder
	for _, c := range f.chunks {
		b.WriteString(c.text)
	}
	return b.String()
}

// table writes records as rows, whose corrections may have columns already.
func (f *file) table(at int) {
	columns := append([]string{"id"}, rapid.Permutation([]string{
		"version", "name", "updated_date",
		"x_kept",
	}).Draw(f.T, "columns")...)
	if f.bool("corrections") {
		columns = append(columns, "corrections.0.date", "corrections.0.summary")
	}
	f.keep(strings.Join(columns, ","))
	for i := range 3 {
		f.keep(f.eol)
		if f.bool("empty line") {
			f.keep(f.eol)
		}
		corrected := f.bool("corrected")
		for n, name := range columns {
			was := map[string]string{
				"id": f.id(i, at), "version": "3", "updated_date": "2026-01-05",
				"name": f.cell(), "x_kept": f.cell(),
			}[name]
			if corrected && name == "corrections.0.date" {
				was = "2026-01-02"
			}
			if n > 0 {
				f.keep(",")
			}
			if i == at && name != "id" && name != "x_kept" && !corrected || i == at && was != "" &&
				strings.Contains("version name updated_date", name) {
				f.may(was)
			} else {
				f.keep(was)
			}
		}
	}
	if f.bool("last break") {
		f.keep(f.eol)
	}
}

func (f *file) cell() string {
	s := f.text()
	if f.bool("quoted") || strings.ContainsAny(s, `",`) {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

func (f *file) id(i, at int) string {
	if i == at {
		return "ent-a"
	}
	return fmt.Sprintf("ent-%d", i)
}

// Whatever a file looks like, only what a correction changes is changed.
func TestOnlyTheIntendedChanges(t *testing.T) {
	for _, format := range []string{".yaml", ".json", ".ndjson", ".csv"} {
		t.Run(format, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f := &file{T: t, eol: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line break")}
				old := f.draw(format)
				name := f.text()
				for strings.Contains(old, name) { // the name that it has would be no correction
					name += "x"
				}
				change := amend.Change{
					Date:       "2026-11-20",
					Set:        []amend.Setting{{Path: "name", Value: name}},
					Correction: &record.Correction{Type: "correction", Summary: f.text(), ReportedBy: f.text()},
				}
				fsys := folder(map[string]string{
					"entities/a" + format:     old,
					"entities/_defaults.yaml": "entity_type: place\nsource_updates: []\ncorrections:\n  - date: 2026-01-01\n    summary: Of all.\n",
				})
				files, err := amend.Plan(fsys, []string{"ent-a"}, change)
				if err != nil {
					t.Fatalf("%v\n%s", err, old)
				}
				now, at := string(files[0].New), 0
				for _, c := range f.chunks {
					if !c.kept {
						continue
					}
					i := strings.Index(now[at:], c.text)
					if i < 0 {
						t.Fatalf("%q was not kept:\n%s\nbecame\n%s", c.text, old, now)
					}
					at += i + len(c.text)
				}
				if strings.Count(old, "1.50") != strings.Count(now, "1.50") {
					t.Fatalf("a number changed its digits:\n%s\nbecame\n%s", old, now)
				}
				fsys["records/entities/a"+format].Data = files[0].New
				expectRecord(t, fsys, name, change.Correction)
			})
		})
	}
}

// expectRecord reads the folder anew and looks at the record.
func expectRecord(t *rapid.T, fsys fs.FS, name string, c *record.Correction) {
	found := 0
	for e := range input.Read(input.Batches(fsys, nil), 0, func() func(input.Item) *record.Entity {
		d := &record.Parser{}
		return func(i input.Item) *record.Entity {
			rec, _, _ := d.Decode(i.Kind, i.Tree)
			return rec.(*record.Entity)
		}
	}) {
		if e.ID != "ent-a" {
			continue
		}
		found++
		last := e.Corrections[len(e.Corrections)-1]
		want := record.Correction{
			Date: "2026-11-20", Type: c.Type, InVersion: 4, Fields: []string{"name"}, Summary: c.Summary,
			ReportedBy: c.ReportedBy,
		}
		if !reflect.DeepEqual(last, want) || e.Version != 4 || e.UpdatedDate != "2026-11-20" || e.Name != name ||
			len(e.Corrections) > 2 {
			t.Fatalf("version %d of %s, %q: %+v", e.Version, e.UpdatedDate, e.Name, e.Corrections)
		}
	}
	if found != 1 {
		t.Fatalf("%d records", found)
	}
}
