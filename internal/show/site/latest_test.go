package site_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stele/client"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/agent"
	"stele/internal/show/site/words"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/sample"
)

// made is a statistic of the test, and what a reader should see of it if it is the latest.
type made struct {
	period, figure, shown, status, sex string
	retracted                          bool
}

// line is the record of a statistic.
func (m made) line(id, indicator, area string) string {
	corrections, dimensions := "", ""
	if m.retracted {
		corrections = `{"date":"2026-01-10","type":"retraction","in_version":2,"fields":["value"],"summary":"Wrong."}`
	}
	if m.sex != "" {
		dimensions = `"dimensions":{"sex":"` + m.sex + `"},`
	}
	return fmt.Sprintf(`{"id":"%s","version":2,"title":"T","summary":"S","source_links":[{"url":"https://example.org/","role":"primary"}],"verification_date":"2026-01-10","source_updates":[],`+
		`"corrections":[%s],"published_date":"2026-01-10","updated_date":"2026-01-10","claim_boundary":{"statement":"B"},"ref_area_scheme":"iso3166","ref_area":"%s","unit":"u","unit_label":"widgets",`+
		`"indicator":"%s","time_period":"%s",%s%s"obs_status":"%s"}`+"\n", id, corrections, area, indicator, m.period, dimensions, m.figure, m.status)
}

// words are what must be beside a value that has a status.
var statusWords = map[string]string{
	"A": "", "P": "provisional", "E": "estimated", "F": "forecast", "U": "low reliability", "I": "imputed",
}

// latestOf is the value that readers should see of a series, found in another way than the program
// does.
func latestOf(list []made) (best *made) {
	for _, forecast := range []bool{false, true} {
		for i := range list {
			m := &list[i]
			counts := m.figure != "" && !m.retracted && (m.status == "F") == forecast
			if counts && (best == nil || !forecast && m.period > best.period) {
				best = m
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// randomSeries makes a series at random, in the order of time.
func randomSeries(random *rand.Rand, forecastOnly bool) (list []made) {
	period := func(i int) string { return fmt.Sprint(2001 + i) }
	if random.IntN(4) == 0 {
		period = func(i int) string { return fmt.Sprintf("2021-%02d", i+1) }
	}
	n, ahead := 1+random.IntN(8), random.IntN(3)
	for i := range n + ahead {
		m := made{period: period(i), status: "A"}
		if i >= n || forecastOnly {
			m.status = "F"
		} else if random.IntN(2) == 0 {
			m.status = []string{"P", "E", "U", "I", "A", "A"}[random.IntN(6)]
		}
		unique := 1000 + random.IntN(8000) // so that no other number of the page is taken for it
		switch random.IntN(8) {
		case 0:
			if m.status != "F" {
				m.status = "O" // a gap
			}
		case 1:
			m.figure, m.shown = fmt.Sprintf(`"less_than":%d,`, unique), "<"+grouped(unique)
		case 2:
			m.figure, m.shown = fmt.Sprintf(`"value":-%d,`, unique), "−"+grouped(unique)
		case 3:
			m.figure, m.shown = fmt.Sprintf(`"value":0.0000%d,`, unique), strconv.FormatFloat(float64(unique)/100, 'f', -1, 64)+" millionths"
		case 4:
			m.figure, m.shown = fmt.Sprintf(`"value":%d000000,`, unique), grouped(unique)+",000,000"
		case 5:
			m.figure, m.shown = fmt.Sprintf(`"value":%d.26,"decimals":0,`, unique), grouped(unique)
		}
		if m.figure == "" && m.status != "O" {
			m.figure, m.shown = fmt.Sprintf(`"value":%d,`, unique), grouped(unique)
		}
		m.retracted = m.figure != "" && random.IntN(5) == 0
		list = append(list, m)
	}
	return list
}

func grouped(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

// indicators are indicators of one area with series made at random, by their codes, and their site.
type indicators struct {
	series map[string][]made
	files  map[string][]byte
}

var randomOnce struct {
	sync.Once
	indicators
}

// randomSite makes such a site, the same for all tests.
func randomSite(t *testing.T) indicators {
	t.Helper()
	randomOnce.Do(func() { randomOnce.indicators = makeRandomSite(t) })
	return randomOnce.indicators
}

func makeRandomSite(t *testing.T) indicators {
	t.Helper()
	random := rand.New(rand.NewPCG(61, 1))
	folder := fstest.MapFS{"stele.yaml": &fstest.MapFile{Data: must.Get(fs.ReadFile(sample.Files, "stele.yaml"))(t)}}
	all := map[string][]made{}
	for i := range 60 {
		code := fmt.Sprintf("ind-%02d", i)
		list := randomSeries(random, i%13 == 5)
		all[code] = list
		var lines strings.Builder
		for n, m := range list {
			lines.WriteString(m.line(fmt.Sprintf("sta-%s-%d", code, n), code, "FRA"))
		}
		monthly := slices.ContainsFunc(list, func(m made) bool { return m.period > "2021" })
		if i%7 == 3 && !monthly { // also broken down, which is not the whole
			for n, m := range list {
				m.period, m.figure, m.sex, m.status = fmt.Sprint(2002+n), `"value":31337,`, "f", "A"
				lines.WriteString(m.line(fmt.Sprintf("sta-%s-f-%d", code, n), code, "FRA"))
			}
		}
		folder["records/healthcare-statistics/"+code+".ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	}
	return indicators{all, makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()})}
}

// TestLatestValues: whatever a series is like, each place that shows its latest value shows the
// same one, with its status in words: never a forecast as today's figure, and nothing that was
// retracted.
func TestLatestValues(t *testing.T) {
	site := randomSite(t)
	files := maps.Clone(site.files)
	cut := func(path, after, before string) string {
		_, rest, ok := strings.Cut(string(files[path]), after)
		if part, _, found := strings.Cut(rest, before); ok && found {
			return html.UnescapeString(tags.ReplaceAllString(part, ""))
		}
		return ""
	}
	for n := 1; files[fmt.Sprintf("search/rows/%d.json", n)] != nil; n++ {
		files["search/rows/0.json"] = append(slices.Clone(files["search/rows/0.json"]), files[fmt.Sprintf("search/rows/%d.json", n)]...)
	}
	ask := agentOf(t, site.files)
	shown := map[string]int{}
	for code, list := range site.series {
		m, page := latestOf(list), "healthcare-statistics/"+code+"/index.html"
		places := map[string]string{
			"headline":           cut(page, `<p class="latest">`, `<span class="change">`),
			"picture":            cut(page, `role="img"`, `>`),
			"read-out":           cut(page, `<table class="readout"`, `</table>`),
			"shared picture":     cut(page, `<meta property="og:image:alt" content="`, `">`),
			"frame":              cut("embed/"+code+"/index.html", `<p class="latest">`, `<span class="change">`),
			"list of indicators": cut("healthcare-statistics/index.html", `<a href="../healthcare-statistics/`+code+`/"`, "</span></span>"),
			"place":              cut("places/FRA/index.html", `<a href="../../healthcare-statistics/`+code+`/"`, "</li>"),
			"table of the place": cut("places/FRA/index.html", `<th scope="row"><a href="../../healthcare-statistics/`+code+`/"`, "</tr>"),
			"search":             cut("search/rows/0.json", `["/healthcare-statistics/`+code+`/"`, "]"),
			"search for a place": cut("search/rows/0.json", `["/healthcare-statistics/`+code+`/?area=FRA"`, "]"),
		}
		if code < "ind-06" {
			places["first page"] = cut("index.html", `<a href="healthcare-statistics/`+code+`/"`, "</span></span>")
		}
		if m == nil {
			if text := places["headline"]; text != "" {
				t.Errorf("%s: the headline says %q, and nothing is known: %+v", code, text, list)
			}
			continue
		}
		same := func(row agentRow) bool {
			figure := strings.Contains(m.figure, ":"+row.figure+",")
			return figure && row.period == m.period && cmp.Or(row.status, "A") == m.status
		}
		if got := agentLatest(t, ask, code); !slices.ContainsFunc(got, same) {
			t.Errorf("%s: agents read %+v, want %+v", code, got, m)
		}
		for place, text := range places {
			text = strings.ReplaceAll(text, `\u003c`, "<")
			drawn := place == "picture" || place == "read-out"
			if drawn && m.shown[0] == '<' && text == "" {
				continue // bounds alone may leave nothing to draw
			}
			if place == "read-out" && m.status == "F" && strings.Contains(text, "–") {
				continue // a forecast is not the closest value before a later one that is broken down
			}
			said := strings.Contains(text, m.shown) && strings.Contains(text, statusWords[m.status])
			if !said || !strings.Contains(text, m.period[:4]) {
				t.Errorf("%s: the %s says %q, want %s (%s, %s) of %+v", code, place, text, m.shown, m.period, m.status, list)
			}
			for _, other := range list {
				at := strings.Index(text, other.shown)
				forecast := other.status == "F" && other.shown != "" && other.shown != m.shown && at >= 0
				if forecast && !strings.Contains(strings.ToLower(text[:at]), "forecast") {
					t.Errorf("%s: the %s has a forecast without saying so: %q", code, place, text)
				}
			}
			checkNotRetracted(t, code, place, text, m, list)
			shown[place]++
		}
		checkDrawn(t, code, string(files[page]), list)
	}
	for place, n := range shown {
		if n < 30 && place != "first page" || n < 3 {
			t.Errorf("%d values of the place %q were compared", n, place)
		}
	}
}

// checkNotRetracted: a place that shows m, the latest value of list, has none that was retracted.
func checkNotRetracted(t *testing.T, code, place, text string, m *made, list []made) {
	t.Helper()
	for _, other := range list {
		if other.retracted && other.shown != m.shown && strings.Contains(text, other.shown) {
			t.Errorf("%s: the %s has what was retracted: %q", code, place, text)
		}
	}
}

// checkDrawn: the still picture draws forecasts dashed, and its key explains the marks that occur
// and no others.
func checkDrawn(t *testing.T, code, page string, list []made) {
	t.Helper()
	_, picture, _ := strings.Cut(page, `<div class="still">`)
	picture, key, _ := strings.Cut(picture, `<p class="quiet key">`)
	key, _, _ = strings.Cut(key, "</p>")
	projected, words := false, words.English()
	for i, m := range list[1:] {
		before := list[i]
		number := func(m made) bool { return strings.HasPrefix(m.figure, `"value"`) && !m.retracted }
		projected = projected || m.status == "F" && number(m) && number(before)
	}
	if got := strings.Contains(picture, `<path class="projected"`); got != projected {
		t.Errorf("%s: a dashed line is drawn: %v, want %v of %+v", code, got, projected, list)
	}
	for mark, text := range words.Keys {
		if drawn := strings.Contains(picture, `class="`+mark+`"`); drawn != strings.Contains(key, html.EscapeString(text)) {
			t.Errorf("%s: %s is drawn: %v, and the key is %q", code, mark, drawn, key)
		}
	}
}

// agentOf serves the tools of agents for a release, and returns a function that asks them.
func agentOf(t *testing.T, files map[string][]byte) func(tool, arguments string) []byte {
	t.Helper()
	c := must.Get(client.Open(t.Context(), serveRelease(t, files), client.Options{}))(t)
	server := httptest.NewServer(agent.New(c).Handler(nil))
	t.Cleanup(func() {
		server.Close()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(tool, arguments string) []byte {
		t.Helper()
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(call)))(t)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer := must.Get(http.DefaultClient.Do(r))(t)
		defer answer.Body.Close()
		body := must.Get(io.ReadAll(answer.Body))(t)
		if _, data, ok := bytes.Cut(body, []byte("data: ")); ok {
			body = data
		}
		return body
	}
}

// agentRow is the latest value of an area as agents read it.
type agentRow struct{ period, figure, status string }

func agentLatest(t *testing.T, ask func(tool, arguments string) []byte, code string) (rows []agentRow) {
	t.Helper()
	var said struct {
		Result struct {
			StructuredContent struct {
				Columns []string
				Rows    [][]string
			}
		}
	}
	must.Do(t, json.Unmarshal(ask("series", `{"indicator":"`+code+`"}`), &said))
	of := said.Result.StructuredContent
	cell := func(row []string, name string) string {
		if i := slices.Index(of.Columns, name); i >= 0 {
			return row[i]
		}
		return ""
	}
	for _, row := range of.Rows {
		figure := cmp.Or(cell(row, "value"), cell(row, "less_than"))
		rows = append(rows, agentRow{cell(row, "time_period"), figure, cell(row, "obs_status")})
	}
	return rows
}

// TestLatestDrawn: what the script draws states the same values as the page: above the chart, in
// the read-out, in the ranking and for screen readers.
func TestLatestDrawn(t *testing.T) { latestDrawn(t, 8) }

// TestLongLatestDrawn is TestLatestDrawn with more indicators.
func TestLongLatestDrawn(t *testing.T) {
	long.Only(t)
	latestDrawn(t, 60)
}

func latestDrawn(t *testing.T, indicators int) {
	needsBrowser(t)
	site := randomSite(t)
	b := open(t, serveRelease(t, site.files))
	for _, code := range slices.Sorted(maps.Keys(site.series))[:indicators] {
		m := latestOf(site.series[code])
		if m == nil {
			continue
		}
		b.visit("/healthcare-statistics/" + code + "/?as-of=")
		b.ready(".charts")
		for place, selector := range map[string]string{
			"headline": ".latest", "read-out": "table.readout", "name": ".stage:not([hidden])",
		} {
			text := eval[string](b, `((e) => (e?.getAttribute("aria-label") ?? "") + (e?.textContent ?? ""))(document.querySelector("`+selector+`"))`)
			checkNotRetracted(t, code, place, text, m, site.series[code])
			said := strings.Contains(text, m.shown) && strings.Contains(text, statusWords[m.status])
			table, ahead := place == "name" && text == "", m.status == "F" && strings.Contains(text, "retracted")
			if !said && !table && (place == "headline" || !ahead) {
				t.Errorf("%s: the %s says %q, want %s (%s, %s)", code, place, text, m.shown, m.period, m.status)
			}
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// TestAllAreas: without a world, an indicator says the median, the lowest and the highest value of
// all areas, and no value of one of them as its own.
func TestAllAreas(t *testing.T) {
	folder := withSettings(t, nil)
	for path := range folder {
		if strings.HasPrefix(path, "records/") {
			delete(folder, path)
		}
	}
	var lines strings.Builder
	for i, area := range []string{"AFG", "ALB", "DZA", "AND", "AGO", "NRU", "ZWE"} {
		value := []string{"-50", "10", "20", "30.5", "40", "-116474", "38000000000"}[i]
		now := cmp.Or(map[string]string{"NRU": "P"}[area], "A")
		for year, status := range map[string]string{"2014": "A", "2015": now, "2030": "F"} {
			m := made{period: year, figure: `"value":` + value + ",", status: status}
			if year == "2014" || year == "2030" {
				m.figure = `"value":7,`
			}
			lines.WriteString(m.line("sta-"+strings.ToLower(area)+"-"+year, "x", area))
		}
	}
	folder["records/healthcare-statistics/x.ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	files := makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()})
	const said = "median of 7 areas, 2015, 1 provisional"
	for path, wants := range map[string][]string{
		"healthcare-statistics/x/index.html": {
			"<strong>20</strong> <span>widgets</span>", said,
			"Lowest: −116,474 (Nauru, provisional). Highest: 38,000,000,000 (Zimbabwe).",
		},
		"healthcare-statistics/index.html": {"<strong>20</strong>", said},
		"search/rows/0.json":               {"20 widgets, " + said},
		"index.html":                       {said},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[path]), want) {
				t.Errorf("%s does not say %s:\n%.3000s", path, want, files[path])
			}
		}
	}
}
