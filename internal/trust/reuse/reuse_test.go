package reuse_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/internal/trust/reuse"
	"stele/record"
	"stele/release"
)

// releases are two releases, one built on the other.
var releases = sync.OnceValues(func() (list [2]*release.Release, err error) {
	claims, err := txtar.ParseFile("testdata/claims.txtar")
	if err != nil {
		return list, err
	}
	folder, err := specimen.Starter()
	if err != nil {
		return list, err
	}
	for i, dir := range []string{"before/", "now/"} {
		for _, f := range claims.Files {
			if name, found := strings.CutPrefix(f.Name, dir); found {
				folder["records/proof/"+name] = &fstest.MapFile{Data: f.Data}
			}
		}
		opt := compiler.Options{Date: record.Date("2026-03-1" + fmt.Sprint(i))}
		if i > 0 {
			opt.Previous = list[0]
		}
		made, err := specimen.Build(folder, opt)
		if err != nil {
			return list, err
		}
		list[i] = made.Release
	}
	return list, nil
})

// learnt is what the second release published.
var learnt = sync.OnceValues(func() (*reuse.Published, error) {
	list, err := releases()
	if err != nil {
		return nil, err
	}
	return reuse.Load(context.Background(), list[1], nil)
})

func published(t testing.TB) *reuse.Published {
	t.Helper()
	p := must.Get(learnt())(t)
	return p
}

// claims are the claims of a release, as JSON has them.
func claims(t testing.TB, number int) (list []map[string]any) {
	t.Helper()
	all := must.Get(releases())(t)
	for data, err := range all[number].Records(record.KindProofClaim) {
		must.Do(t, err)
		m := map[string]any{}
		must.Do(t, json.Unmarshal(data, &m))
		if m["id"] != "clm-example-vaccine" {
			list = append(list, m)
		}
	}
	return list
}

func compare(t testing.TB, path string, o reuse.Options) (*reuse.Report, []reuse.Finding) {
	t.Helper()
	var all []reuse.Finding
	o.Found = func(f reuse.Finding) error {
		all = append(all, f)
		return nil
	}
	r, err := reuse.Compare(context.Background(), published(t), path, o)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return r, all
}

// short is the findings of a report, one on each line.
func short(all []reuse.Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s %s %s %s\n", f.ID, f.Thing, f.Verdict, f.Why)
	}
	return b.String()
}

// TestToolsKeep holds copies that other programs made against the release. How they were made is in
// testdata/copies/README.md.
func TestToolsKeep(t *testing.T) {
	files, err := filepath.Glob("testdata/copies/*.*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d copies, %v", len(files), err)
	}
	for _, path := range files {
		if filepath.Ext(path) == ".md" {
			continue
		}
		r, all := compare(t, path, reuse.Options{})
		if !r.Kept || r.Rows != 5 || len(all) > 0 {
			t.Errorf("%s: kept %t, %d records\n%s", path, r.Kept, r.Rows, short(all))
		}
	}
}

// columns are the things of a copy in columns of its own names.
var names = map[string]string{
	"id": "Kennung", "source_links": "Quellen", "version": "Fassung", "verification_date": "Geprüft am", "claim_boundary": "Grenzen",
	"source_updates": "Neues", "corrections": "Berichtigungen", "evidence_label": "Sicherheit",
}

var order = []string{"id", "title", "source_links", "version", "verification_date", "claim_boundary", "source_updates", "corrections", "evidence_label"}

// table is a copy: rows of texts by column.
type table []map[string]string

func copied(t testing.TB, number int) (rows table) {
	for _, claim := range claims(t, number) {
		row := map[string]string{}
		for _, name := range order {
			switch v := claim[name].(type) {
			case string:
				row[name] = v
			case float64:
				row[name] = fmt.Sprint(v)
			case nil:
			default:
				data := must.Get(json.Marshal(v))(t)
				row[name] = string(data)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// write writes a copy in a format. What a renaming says is the name of a column.
func (rows table) write(t testing.TB, format string, renamed map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy."+format)
	columns := slices.DeleteFunc(slices.Clone(order), func(name string) bool {
		return !slices.ContainsFunc(rows, func(row map[string]string) bool { _, has := row[name]; return has })
	})
	name := func(column string) string {
		if other := renamed[column]; other != "" {
			return other
		}
		return column
	}
	var data []byte
	switch format {
	case "csv":
		var b strings.Builder
		w := csv.NewWriter(&b)
		line := []string{}
		for _, c := range columns {
			line = append(line, name(c))
		}
		w.Write(line)
		for _, row := range rows {
			line = line[:0]
			for _, c := range columns {
				line = append(line, row[c])
			}
			w.Write(line)
		}
		w.Flush()
		data = []byte(b.String())
	case "json", "ndjson":
		var list []map[string]any
		for _, row := range rows {
			m := map[string]any{}
			for c, text := range row {
				if m[name(c)] = text; len(text) > 1 && json.Valid([]byte(text)) {
					m[name(c)] = json.RawMessage(text)
				}
			}
			list = append(list, m)
			one := must.Get(json.Marshal(m))(t)
			data = append(append(data, one...), '\n')
		}
		if format == "json" {
			var err error
			if data, err = json.Marshal(map[string]any{"meta": 1, "data": map[string]any{"items": list}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	must.Do(t, os.WriteFile(path, data, 0o600))
	return path
}

// change changes a column of the rows with some IDs.
func (rows table) change(column string, to func(string) string, ids ...string) {
	for _, row := range rows {
		if len(ids) == 0 || slices.Contains(ids, row["id"]) {
			row[column] = to(row[column])
		}
	}
}

func (rows table) drop(column string) {
	for _, row := range rows {
		delete(row, column)
	}
}

// spoilt is a change and the findings that it must give, and no others.
type spoilt struct {
	name, column string
	to           func(string) string
	ids          []string // all without
	want         string
}

func set(text string) func(string) string { return func(string) string { return text } }
func swap(old, now string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, now) }
}

var spoiltThings = []spoilt{
	{"altered", "id", swap("clm", "CLM"), []string{"clm-b"}, "clm-b id altered \n"},
	{"unknown", "id", set("clm-z"), []string{"clm-b"}, "clm-z id foreign \n"},
	{"dropped", "id", set(""), []string{"clm-b"}, " id dropped \n"},

	{"altered", "source_links", swap("agency", "agenda"), []string{"clm-b"}, "clm-b source_links altered \n"},
	{"cut", "source_links", swap("surveillance-2025", "surveil"), []string{"clm-b"}, "clm-b source_links truncated \n"},
	{"one less", "source_links", set(`["https://agency.example.org/surveillance-2025"]`), []string{"clm-a"}, "clm-a source_links truncated parts are missing\n"},
	{"one more", "source_links", set("https://agency.example.org/surveillance-2025 https://x.example.org/"), []string{"clm-b"}, "clm-b source_links altered something was added\n"},
	{"dropped", "source_links", set(""), []string{"clm-b"}, "clm-b source_links dropped \n"},
	{"joined", "source_links", set("HTTPS://Agency.Example.org:443/surveillance-2025; https://journal.example.org/a(1)?page=2&x=~a"), []string{"clm-a"}, ""},

	{"altered", "version", set("7"), []string{"clm-b"}, "clm-b version altered \n"},
	{"dropped", "version", set(""), []string{"clm-b"}, "clm-b version dropped \n"},
	{"as a float", "version", func(s string) string { return s + ".0" }, nil, ""},
	{"with a letter", "version", func(s string) string { return "v" + s }, nil, ""},

	{"altered", "verification_date", set("2026-02-04"), []string{"clm-b"}, "clm-b verification_date altered \n"},
	{"dropped", "verification_date", set(""), []string{"clm-b"}, "clm-b verification_date dropped \n"},
	{"the day first", "verification_date", dayFirst, nil, ""},
	{"the month first", "verification_date", func(s string) string { return s[5:7] + "/" + s[8:] + "/" + s[:4] }, nil, ""},
	{"with a time", "verification_date", func(s string) string { return s + "T00:00:00Z" }, nil, ""},

	{"altered", "claim_boundary", swap("infants", "adults"), []string{"clm-b"}, "clm-b claim_boundary altered \n"},
	{"cut", "claim_boundary", set("Nothing is said about infants younger…"), []string{"clm-b"}, "clm-b claim_boundary truncated \n"},
	{"in another encoding", "claim_boundary", swap("Côte d’Ivoire", "CÃ´te dâ€™Ivoire"), []string{"clm-a"}, "clm-a claim_boundary altered encoding\n"},
	{"without a part", "claim_boundary", swap(`"population":"Children under two",`, ""), []string{"clm-a"}, "clm-a claim_boundary truncated parts are missing\n"},
	{"dropped", "claim_boundary", set(""), []string{"clm-b"}, "clm-b claim_boundary dropped \n"},
	{"other white space", "claim_boundary", swap(" ", "  "), nil, ""},
	{"decomposed", "claim_boundary", swap("ô", "o\u0302"), []string{"clm-a"}, ""},
	{"as texts", "claim_boundary", set("Three districts in two years. Whether the gain lasts is not known.; Children under two; Côte d’Ivoire; schoolchildren; campaigns"), []string{"clm-a"}, ""},

	{"altered", "source_updates", swap("two more", "three more"), []string{"clm-b"}, "clm-b source_updates altered \n"},
	{"cut", "source_updates", swap("A second edition with two more weeks.", "A second edition"), []string{"clm-b"}, "clm-b source_updates truncated \n"},
	{"dropped", "source_updates", set("[]"), []string{"clm-b"}, "clm-b source_updates dropped \n"},
	{"made up", "source_updates", set(`[{"summary":"A new edition."}]`), []string{"clm-a"}, "clm-a source_updates altered the record has none\n"},
	{"as Python prints it", "source_updates", python, []string{"clm-b"}, ""},

	{"altered", "corrections", swap("twenty", "thirty"), []string{"clm-b"}, "clm-b corrections altered \n"},
	{"cut", "corrections", swap("; the source says ten.", ""), []string{"clm-b"}, "clm-b corrections truncated \n"},
	{"dropped", "corrections", set("[]"), []string{"clm-b"}, "clm-b corrections dropped \n"},
	{"as Python prints it", "corrections", python, nil, ""},

	{"altered", "evidence_label", set("high"), []string{"clm-b"}, "clm-b labels altered \n"},
	{"in other letters", "evidence_label", set("Very low"), []string{"clm-b"}, "clm-b labels altered \n"},
	{"dropped", "evidence_label", set(""), []string{"clm-b"}, "clm-b labels dropped \n"},
}

func dayFirst(s string) string { return s[8:] + "." + s[5:7] + "." + s[:4] }

func python(s string) string { return strings.ReplaceAll(s, `"`, `'`) }

// mapped are options with a map for renamed columns.
func mapped(renamed map[string]string) (o reuse.Options) {
	if renamed != nil {
		o.Map = &reuse.Map{Columns: map[string][]string{}}
	}
	for name, column := range renamed {
		if name == "evidence_label" {
			name = "labels"
		}
		o.Map.Columns[name] = []string{column}
	}
	return o
}

// TestMatrix spoils one thing of a copy, in three formats, with our names of columns and with
// others, which a map names: exactly what was spoilt is found.
func TestMatrix(t *testing.T) {
	for _, s := range spoiltThings {
		for _, format := range []string{"csv", "json", "ndjson"} {
			for what, renamed := range map[string]map[string]string{"": nil, " renamed": names} {
				rows := copied(t, 1)
				rows.change(s.column, s.to, s.ids...)
				r, all := compare(t, rows.write(t, format, renamed), mapped(renamed))
				if got := short(all); got != s.want || r.Kept != (s.want == "") {
					t.Errorf("%s %s%s, %s: kept %t, found\n%swant\n%s", s.column, s.name, what, format, r.Kept, got, s.want)
				}
			}
		}
	}
}

// TestTwoIDs: where two columns have the ID of a record, both are compared.
func TestTwoIDs(t *testing.T) {
	rows := copied(t, 1)
	path := rows.write(t, "csv", nil)
	data := must.Get(os.ReadFile(path))(t)
	lines := strings.SplitAfter(string(data), "\n")
	lines[0] = "claim_id," + lines[0]
	for i, row := range rows {
		lines[i+1] = row["id"] + "," + strings.Replace(lines[i+1], "clm-b,", "clm-x,", 1)
	}
	must.Do(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
	if _, all := compare(t, path, reuse.Options{}); short(all) != "clm-b id altered another column has a different ID\n" {
		t.Error(short(all))
	}
}

// TestWithoutColumn: a column that is not there is one finding.
func TestWithoutColumn(t *testing.T) {
	for _, column := range order[2:] {
		rows := copied(t, 1)
		rows.drop(column)
		_, all := compare(t, rows.write(t, "csv", nil), reuse.Options{})
		if len(all) != 1 || all[0].Verdict != reuse.Dropped || !strings.HasPrefix(all[0].Why, "no column is named ") {
			t.Errorf("without %s:\n%s", column, short(all))
		}
	}
	rows := copied(t, 1)
	rows.drop("id")
	_, err := reuse.Compare(context.Background(), published(t), rows.write(t, "csv", nil), reuse.Options{})
	if err == nil || !strings.Contains(err.Error(), "no column contains IDs") {
		t.Errorf("without IDs: %v", err)
	}
}

// TestStale: a faithful copy of an earlier release is stale, and fails only where a record has been
// retracted since. With a spoilt value it is altered.
func TestStale(t *testing.T) {
	rows := copied(t, 0)
	r, all := compare(t, rows.write(t, "csv", names), mapped(names))
	if got := short(all); r.Kept || got != "clm-a version stale \nclm-c version stale and retracted \n" {
		t.Errorf("kept %t:\n%s", r.Kept, got)
	}
	rows = slices.DeleteFunc(rows, func(row map[string]string) bool { return row["id"] == "clm-c" })
	r, all = compare(t, rows.write(t, "csv", names), mapped(names))
	if got := short(all); !r.Kept || got != "clm-a version stale \n" {
		t.Errorf("kept %t:\n%s", r.Kept, got)
	}
	rows.change("claim_boundary", swap("one year", "ten years"), "clm-a")
	_, all = compare(t, rows.write(t, "csv", nil), reuse.Options{})
	if got := short(all); got != "clm-a version stale \nclm-a claim_boundary altered \n" {
		t.Errorf("spoilt too:\n%s", got)
	}
	rows = copied(t, 0)
	rows.drop("version")
	_, all = compare(t, rows.write(t, "csv", nil), reuse.Options{})
	if got := short(all); got != " version dropped no column is named version: name its column with --map\nclm-a verification_date stale \nclm-a claim_boundary stale \nclm-c corrections stale and retracted \n" {
		t.Errorf("without versions:\n%s", got)
	}
}

// TestRenamed: what no column is named after is dropped, once; a map names the columns, and the
// report has it. What was retracted is named.
func TestRenamed(t *testing.T) {
	path := copied(t, 1).write(t, "csv", names)
	if _, all := compare(t, path, reuse.Options{}); len(all) != len(names)-1 {
		t.Errorf("without a map:\n%s", short(all))
	}
	o := mapped(names)
	r, all := compare(t, path, o)
	if !r.Kept {
		t.Errorf("with a map:\n%s", short(all))
	}
	var b, text strings.Builder
	must.Do(t, r.JSON(&b))
	m, err := reuse.ParseMap([]byte(b.String()))
	if err != nil || !maps.EqualFunc(m.Columns, o.Map.Columns, slices.Equal) {
		t.Errorf("the map of the report is %v, %v", m, err)
	}
	must.Do(t, r.WriteText(&text))
	if !strings.Contains(text.String(), "note: 1 retracted, which every use must show: clm-c\n") {
		t.Error(text.String())
	}
}

// TestOthers: records of others fail, unless they are said to be there.
func TestOthers(t *testing.T) {
	rows := append(copied(t, 1), map[string]string{"id": "x-1", "version": "9"})
	path := rows.write(t, "ndjson", nil)
	if r, all := compare(t, path, reuse.Options{}); r.Kept || short(all) != "x-1 id foreign \n" {
		t.Errorf("kept %t:\n%s", r.Kept, short(all))
	}
	if r, all := compare(t, path, reuse.Options{Others: true}); !r.Kept || r.Others != 1 {
		t.Errorf("kept %t, %d others:\n%s", r.Kept, r.Others, short(all))
	}
}

// TestEncoding: LibreOffice garbles a text whose encoding nobody names, and that is found.
func TestEncoding(t *testing.T) {
	_, all := compare(t, "testdata/altered/libreoffice.xlsx", reuse.Options{})
	if got := short(all); got != "clm-a claim_boundary altered encoding\n" {
		t.Error(got)
	}
}

// TestLists: of a JSON file with several lists, each is compared.
func TestLists(t *testing.T) {
	all := claims(t, 1)
	data, err := json.Marshal(map[string]any{"a": all[:1], "b": all})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := compare(t, path, reuse.Options{}); int(r.Rows) != 1+len(all) {
		t.Errorf("%d rows were compared of %d", r.Rows, 1+len(all))
	}
}
