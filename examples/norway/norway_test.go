package norway_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/parquet-go/parquet-go"
	_ "modernc.org/sqlite"

	"stele/client"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/sheet/areas"
	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/compile/restore"
	"stele/internal/deliver/agent"
	"stele/internal/disk/store"
	"stele/internal/show/bulk"
	"stele/internal/show/describe"
	"stele/internal/show/series"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/internal/trust/reuse"
	"stele/release"
)

const day = "2026-11-15"

// folder is a copy of the example, with other files laid over it.
func folder(t *testing.T, other map[string]string) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	must.Do(t, fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) != ".go" {
			all[path] = &fstest.MapFile{Data: must.Get(os.ReadFile(path))(t)}
		}
		return err
	}))
	for path, text := range other {
		all[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// build builds a release with its downloads and descriptions.
func build(t *testing.T, files fs.FS, previous *release.Release) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "release")
	var choice bulk.Choice
	must.Do(t, choice.Set("csv,parquet,sqlite,indicators,areas"))
	s := &series.Series{Choice: choice}
	outcome := must.Get(specimen.BuildTo(dir, files, compiler.Options{
		Date: day, NoVariants: true, Previous: previous,
		Render: []render.Renderer{
			choice.Write, s.Write, describe.Options{Downloads: choice.Downloads, Series: s}.Write,
		},
	}))(t)
	for _, p := range outcome.Check.Problems {
		t.Fatal(&p)
	}
	return dir
}

func open(t *testing.T, dir string) *release.Release {
	t.Helper()
	r, closeRelease, err := store.Open(dir)
	must.Do(t, err)
	t.Cleanup(func() { must.Do(t, closeRelease()) })
	return r
}

func TestChecksClean(t *testing.T) {
	result := must.Get(specimen.Check(os.DirFS("."), compiler.Options{Date: day}))(t)
	for _, p := range result.Problems {
		t.Error(&p)
	}
	if result.Records != 195 {
		t.Errorf("%d records, want 195: 193 figures, a source and an indicator", result.Records)
	}
}

// TestFiles: every format gives the name of an area at the time next to its code.
func TestFiles(t *testing.T) {
	dir := build(t, folder(t, nil), nil)
	read := func(path string) []byte { return must.Get(os.ReadFile(filepath.Join(dir, path)))(t) }
	at := func(data []byte, columns ...string) (rows []string) {
		all := must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())(t)
		for _, row := range all[1:] {
			var cells []string
			for _, c := range columns {
				cells = append(cells, row[slices.Index(all[0], c)])
			}
			rows = append(rows, strings.Join(cells, " "))
		}
		return rows
	}
	for path, columns := range map[string][]string{
		"healthcare-statistics/cash-for-care.csv": {"area_scheme", "area_code", "area_name", "time_period", "value"},
		"bulk/healthcare-statistics.csv":          {"ref_area_scheme", "ref_area", "ref_area_name", "time_period", "value"},
	} {
		if rows := at(read(path), columns...); !slices.Contains(rows, "fylke 38 Vestfold og Telemark 2020-09 20.8") {
			t.Errorf("%s: %s", path, rows)
		}
	}
	if json := read("healthcare-statistics/cash-for-care/areas/fylke.38.json"); !bytes.Contains(json, []byte(`{"scheme":"fylke","code":"38","name":"Vestfold og Telemark"`)) {
		t.Errorf("%s", json)
	}
	db := must.Get(sql.Open("sqlite", filepath.Join(dir, "bulk/records.sqlite")))(t)
	defer db.Close()
	name := ""
	must.Do(t, db.QueryRow(`SELECT DISTINCT ref_area_name FROM healthcare_statistic WHERE ref_area = '38'`).Scan(&name))
	if name != "Vestfold og Telemark" {
		t.Errorf("SQLite: %q", name)
	}
	type row struct {
		Area string `parquet:"ref_area"`
		Name string `parquet:"ref_area_name,optional"`
	}
	rows := must.Get(parquet.ReadFile[row](filepath.Join(dir, "healthcare-statistics/cash-for-care.parquet")))(t)
	if !slices.Contains(rows, row{"38", "Vestfold og Telemark"}) {
		t.Errorf("Parquet: %v", rows)
	}
	scheme, head, err := areas.Parse(read("areas/fylke.json"))
	if err != nil || len(scheme.Codes) != 33 || len(scheme.Changes) != 28 || len(head.Checks) != 8 ||
		scheme.Code("16").To != "2017-12-31" {
		t.Errorf("%v: %+v", err, scheme)
	}
	overview := string(read("llms.txt"))
	for _, want := range []string{"/areas/{scheme}/{code}/", "a scheme and a code such as fylke.01", "tool `series`", "Never add or join"} {
		if !strings.Contains(overview, want) {
			t.Errorf("llms.txt does not contain %s: %s", want, overview)
		}
	}
	for _, m := range regexp.MustCompile(`https://norway\.example\.org/(\S*areas/[^\s){]+\.\w+)`).FindAllStringSubmatch(overview, -1) {
		read(m[1])
	}
	for path, want := range map[string]string{"openapi.json": "/areas/{scheme}.json", "catalog.jsonld": "#areas-fylke", "schemas/areas.json": "valid_from"} {
		if !bytes.Contains(read(path), []byte(want)) {
			t.Errorf("%s does not name %s", path, want)
		}
	}
}

// TestNewEdition: a new edition of the tables is an event that says which areas ended and which
// began, and no published figure gets another area.
func TestNewEdition(t *testing.T) {
	table := string(must.Get(os.ReadFile("areas/fylke.csv"))(t))
	changes := string(must.Get(os.ReadFile("areas/fylke-changes.csv"))(t))
	first := open(t, build(t, folder(t, nil), nil))
	next := map[string]string{
		"areas/fylke.csv":         strings.Replace(table, "\n03,Oslo,fylke,NO,,\n", "\n03,Oslo,fylke,NO,,2026-12-31\n60,Stor-Oslo,fylke,NO,2027-01-01,\n", 1),
		"areas/fylke-changes.csv": changes + "2027-01-01,03,60,recode,,,\n",
	}
	dir := build(t, folder(t, next), first)
	events := must.Get(os.ReadFile(filepath.Join(dir, "api/v1/changes.json")))(t)
	for _, want := range []string{
		`"record_id":"areas.fylke"`, `"change_type":"areas_changed"`,
		`Ended: 03 (Oslo) on 2026-12-31. Began: 60 (Stor-Oslo) on 2027-01-01.`,
	} {
		if !bytes.Contains(events, []byte(want)) {
			t.Errorf("no %s in %s", want, events)
		}
	}
	second := open(t, dir)
	if again := open(t, build(t, folder(t, next), second)); again.Manifest.Release != second.Manifest.Release {
		t.Error("the same tables give another release")
	}
	const defaults = "records/healthcare-statistics/cash-for-care/_defaults.yaml"
	_, shared, _ := strings.Cut(string(must.Get(os.ReadFile(defaults))(t)), "\ntitle:")
	one := func(code string) fstest.MapFS {
		return folder(t, map[string]string{
			"records/healthcare-statistics/one/_defaults.yaml": "title:" + shared,
			"records/healthcare-statistics/one/values.csv": "id,ref_area_scheme,ref_area,x_name,time_period,value,vintage,version,updated_date\n" +
				"sta-one,fylke," + code + ",One,2019-09,5,2019-10," + map[string]string{"03": "1,2026-11-14", "11": "2,2026-11-15"}[code] + "\n",
		})
	}
	previous := open(t, build(t, one("03"), nil))
	result := must.Get(specimen.Check(one("11"), compiler.Options{Date: "2026-11-16", Previous: previous}))(t)
	if !slices.ContainsFunc(result.Problems, func(p schema.Problem) bool { return p.Code == codes.BecameAnother }) {
		t.Errorf("a published figure has another area: %v", result.Problems)
	}
}

// TestReuse: a copy must not replace the code of an area by that of another area. It may give the
// name, or nothing.
func TestReuse(t *testing.T) {
	dir := build(t, folder(t, nil), nil)
	published := must.Get(reuse.Load(t.Context(), open(t, dir), nil))(t)
	defer published.Close()
	data := must.Get(os.ReadFile(filepath.Join(dir, "bulk/healthcare-statistics.csv")))(t)
	rows := must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())(t)
	column := slices.Index(rows[0], "ref_area")
	for _, c := range []struct{ old, now, want string }{
		{"16", "16", ""},
		{"16", "", ""},
		{"16", "Sør-Trøndelag", ""},
		{"16", "50", "the code of a successor: 50 (Trøndelag), fylke, from 2018-01-01"},
		{"50", "16", "the code of a predecessor: 16 (Sør-Trøndelag), fylke, to 2017-12-31"},
		{"16", "03", "the code of another area: 03 (Oslo), fylke"},
		{"02", "2", "leading zeros are missing"},
	} {
		copied := [][]string{}
		for _, row := range rows {
			if row = slices.Clone(row); row[column] == c.old {
				row[column] = c.now
			}
			copied = append(copied, row)
		}
		path := filepath.Join(t.TempDir(), "copy.csv")
		f := must.Get(os.Create(path))(t)
		must.Do(t, csv.NewWriter(f).WriteAll(copied))
		must.Do(t, f.Close())
		why := map[string]bool{}
		found := func(x reuse.Finding) error {
			why[x.Thing+" "+x.Verdict.String()+": "+x.Why] = true
			return nil
		}
		report := must.Get(reuse.Compare(t.Context(), published, path, reuse.Options{Found: found}))(t)
		if report.Kept != (c.want == "") || c.want != "" && (len(why) != 1 || !why["ref_area altered: "+c.want]) {
			t.Errorf("%s for %s: kept %t, %v", c.now, c.old, report.Kept, why)
		}
	}
}

// TestAgent: agents get the days and the successors of an area.
func TestAgent(t *testing.T) {
	c := must.Get(client.Open(t.Context(), build(t, folder(t, nil), nil), client.Options{}))(t)
	defer c.Close()
	here, there := mcp.NewInMemoryTransports()
	must.Get(agent.New(c).MCP.Connect(t.Context(), there, nil))(t)
	s := must.Get(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil))(t)
	defer s.Close()
	asked := &mcp.CallToolParams{Name: "series", Arguments: map[string]any{"indicator": "cash-for-care", "area": "16"}}
	text := must.Get(s.CallTool(t.Context(), asked))(t).Content[0].(*mcp.TextContent).Text
	for _, want := range []string{"The area is valid to 2017-12-31.", `successor: "50 (Trøndelag)"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %s", text, want)
		}
	}
}

// TestTablesAndRecords: tables change a release and its ID, and no collection. Restored, they give
// the same files.
func TestTablesAndRecords(t *testing.T) {
	collections := func(dir string) map[string]release.Digest {
		r := open(t, dir)
		sums := map[string]release.Digest{}
		for _, f := range r.Manifest.Files {
			folder, _, _ := strings.Cut(f.Path, "/")
			events := strings.HasSuffix(f.Path, "/changes.json")
			if !events && slices.Contains([]string{"api", "data", "healthcare-statistics"}, folder) {
				sums[f.Path] = f.SHA256
			}
		}
		return sums
	}
	before := build(t, folder(t, nil), nil)
	table := string(must.Get(os.ReadFile("areas/fylke-changes.csv"))(t))
	noted := map[string]string{
		"areas/fylke-changes.csv": strings.Replace(table, "17,50,merge,,,", "17,50,merge,,,by law", 1),
	}
	old := open(t, before)
	after := build(t, folder(t, noted), old)
	if now := open(t, after); now.Manifest.Release == old.Manifest.Release {
		t.Error("other tables give the same release")
	}
	if !maps.Equal(collections(before), collections(after)) {
		t.Error("other tables change a collection")
	}
	to := filepath.Join(t.TempDir(), "restored")
	if _, _, _, err := restore.ToFolder(context.Background(), open(t, after), "", to); err != nil {
		t.Fatal(err)
	}
	again := build(t, os.DirFS(to), nil)
	for _, path := range []string{"areas/fylke.json", "areas/fylke.csv"} {
		a := must.Get(os.ReadFile(filepath.Join(after, path)))(t)
		b := must.Get(os.ReadFile(filepath.Join(again, path)))(t)
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs after restoring", path)
		}
	}
}
