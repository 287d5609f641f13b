package figures

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stele/internal/author/reading/settings"
	"stele/internal/show/search"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/tools/programs"
)

// scripts copies the scripts of the pages to a folder, with their tests and their types.
func scripts(t *testing.T) (dir string) {
	t.Helper()
	process.NeedNode(t)
	dir = t.TempDir()
	for _, pattern := range []string{"../assets/*.js", "../assets/*.ts", "../testdata/scripts/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			data := must.Get(os.ReadFile(file))(t)
			write(t, dir, filepath.Base(file), data)
		}
	}
	write(t, dir, "package.json", []byte(`{"type": "module"}`))
	return dir
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
}

// node runs node in a folder; it has to end well.
func node(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("node %q: %v\n%s", args, err, out)
	}
}

// TestScripts: what the scripts of the pages decide. What the program decides too, it decides
// alike.
func TestScripts(t *testing.T) {
	dir := scripts(t)
	x := search.New(3)
	known := map[string]bool{}
	var texts [][2]any
	for i, text := range []string{
		"Measles in the United Kingdom", "Immunisation of children, 1998–2023", "Estadísticas de vacunación: Perú", "a of the",
		"MMR vaccines and autism are not linked", "Ærø, Łódź und Köln", "sms reminders; studies", "COVID-19 12345 123456 2023", "麻疹 はしか", "",
		"W.H.O., e.g. U.S.100 a.b.cd", "133,802 1.234.567 12.5 0.123 10,20,300 12 345 6789 7\u202f402", "Straße, الحصبة السل", "øks ties bus",
	} {
		words := search.Words(text)
		for _, w := range words {
			known[w] = true
		}
		words = slices.Compact(slices.Sorted(slices.Values(words)))
		if words == nil {
			words = []string{}
		}
		texts = append(texts, [2]any{text, words})
		x.Add(i%3, []search.Text{{Text: text, Weight: 1}})
	}
	head := must.Get(x.Head([]string{"address", "title"}, nil))(t)
	var buckets [][2]any
	for n := range x.Buckets() {
		var words map[string]json.RawMessage
		must.Do(t, json.Unmarshal(x.Bucket(n), &words))
		var names map[string]string
		if words[""] != nil {
			must.Do(t, json.Unmarshal(words[""], &names))
			delete(words, "")
		}
		for _, w := range append(slices.Sorted(maps.Keys(words)), slices.Sorted(maps.Keys(names))...) {
			buckets = append(buckets, [2]any{w, n})
		}
	}
	if len(buckets) < len(known)/2 {
		t.Errorf("of %d words, the index has %d", len(known), len(buckets))
	}
	var steps [][2]float64
	for raw := 1e-5; raw < 1e10; raw *= math.Sqrt(3) {
		steps = append(steps, [2]float64{raw, niceStep(raw)})
	}
	write(t, dir, "cases.json", markup.Encode(map[string]any{
		"head": json.RawMessage(head), "texts": texts, "buckets": buckets, "steps": steps, "pictures": pictures(),
		"languages": languages(),
	}))
	node(t, dir, "--test", dir)
}

// languages are what each language writes of numbers and dates, with what its pages say of that.
func languages() (list []map[string]any) {
	for _, l := range settings.Languages {
		t := words.ForLanguage(l.Tag)
		var numbers, briefs, ticks, counts, periods [][2]any
		for _, n := range []string{"0", "7", "-3", "12", "999", "1000", "-1234567", "0.5", "1234.25", "100000000"} {
			numbers = append(numbers, [2]any{json.Number(n), t.Figure(record.Number(n), nil)})
		}
		for _, n := range []string{"0", "5", "0.0001", "0.00009", "-0.0000059322", "0.00000000123456"} {
			briefs = append(briefs, [2]any{json.Number(n), t.Brief(record.Number(n), nil)})
		}
		for _, v := range []float64{0, 0.2, 5, -40, 9999, 10000, 15000, 2e6, 2.5e6, -3e9, 1e12} {
			ticks = append(ticks, [2]any{v, t.Tick(v)})
		}
		for n := range 240 {
			counts = append(counts, [2]any{n, t.Counted(t.Found, n)})
		}
		for _, p := range []record.Period{"1999", "2026-01", "2026-12", "2026-11-05", "2026-Q1", "2026-W07", "2020/2024"} {
			periods = append(periods, [2]any{p, t.When(p)})
		}
		days := [][2]any{}
		for month := range 12 {
			day := record.Date(fmt.Sprintf("2026-%02d-%02d", month+1, 2*month+1))
			days = append(days, [2]any{day, t.Day(day)})
		}
		list = append(list, map[string]any{
			"words": t.Scripts(), "numbers": numbers, "briefs": briefs, "ticks": ticks, "counts": counts, "periods": periods, "days": days,
		})
	}
	return list
}

// pictures are charts as the page draws them, each with the file that the script draws it from.
func pictures() (list [][2]any) {
	p := page{Page: &frame.Page{Common: &frame.Common{Words: words.English()}}}
	draw := func(from float64, all ...*series) {
		p.drawChart(&shownPanels(all, from)[0], "Name")
		_, svg, _ := strings.Cut(string(p.Bytes()), "<svg ")
		_, svg, _ = strings.Cut(svg, ">")
		svg, _, _ = strings.Cut(svg, "</svg>")
		list = append(list, [2]any{svg, p.plotSeries(all, from)})
	}
	banded := seriesOf("%", "Fiji & <Samoa>", "50", "55", "", "60", "70", "68")
	for i, status := range []record.ObsStatus{"A", "B", "O", "P", "E", "A"} {
		o := &banded.values[i]
		if o.ObsStatus = status; i < 2 || i == 4 {
			o.Lower, o.Upper = record.Number(strconv.Itoa(40+i)), record.Number(strconv.Itoa(75+i))
		}
	}
	banded.values[5].standing = standing.Retracted
	draw(math.NaN(), banded)
	draw(45, banded, seriesOf("%", "Chad", "49", "51.5", "53", "48"))
	var many []*series
	for i := range 70 {
		var values []record.Number
		for year := range 25 {
			v := record.Number(strconv.Itoa((i*37+year*11)%97 + i))
			if (i+year)%9 == 0 && i%2 == 1 {
				v = ""
			}
			values = append(values, v)
		}
		s := seriesOf("deaths", fmt.Sprintf("Region number %d, with a name too long to stand there", i), values...)
		s.region = i%10 == 3
		many = append(many, s)
	}
	draw(math.NaN(), many...)
	bounded := seriesOf("cases", "Chad", "9", "", "7", "", "6", "4")
	bounded.values[1].LessThan, bounded.values[3].GreaterThan = "5", "20"
	bounded.markBreaks([]record.MeasureBreak{{TimePeriod: "2004", Summary: "Counted by another definition, which is told here at length."}})
	draw(math.NaN(), bounded, seriesOf("cases", "Mali", "3", "4", "5", "6", "7", "8"))
	ahead := seriesOf("m", "A", "1", "2", "", "3", "4")
	ahead.values[3].ObsStatus, ahead.values[4].ObsStatus = record.StatusForecast, record.StatusForecast
	draw(math.NaN(), ahead)
	draw(math.NaN(), seriesOf("m", "A", "1000000", "4211431"), seriesOf("m", "B", "-150000", "0"))
	draw(math.NaN(), seriesOf("m", "A", "0"))
	draw(math.NaN(), seriesOf("m", "A", "0.00005", "0.00031"))
	return list
}

// TestScriptTypes: the type checker finds nothing wrong with the scripts of the pages.
func TestScriptTypes(t *testing.T) {
	dir := scripts(t)
	modules, err := programs.Node.Get(os.Stdout)
	if err != nil {
		t.Skipf("left out: it needs what npm installs: %v", err)
	}
	node(t, dir, filepath.Join(modules, "typescript", "bin", "tsc"), "-p", "tsconfig.json")
}
