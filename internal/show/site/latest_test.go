package site_test

import (
	"cmp"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
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
			m.figure, m.shown = fmt.Sprintf(`"value":0.0000%d,`, unique), fmt.Sprintf("0.0000%d", unique)
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

// TestLatestValues: whatever a series is like, each place that shows its latest value shows the
// same one, with its status in words: never a forecast as today's figure, and nothing that was
// retracted.
func TestLatestValues(t *testing.T) {
	random := rand.New(rand.NewPCG(61, 1))
	folder := withSettings(t, nil)
	for path := range folder {
		if strings.HasPrefix(path, "records/") {
			delete(folder, path)
		}
	}
	want := map[string]*made{} // by indicator
	all := map[string][]made{}
	for i := range 60 {
		code := fmt.Sprintf("ind-%02d", i)
		list := randomSeries(random, i%13 == 5)
		want[code], all[code] = latestOf(list), list
		var lines strings.Builder
		for n, m := range list {
			lines.WriteString(m.line(fmt.Sprintf("sta-%s-%d", code, n), code, "FRA"))
		}
		monthly := slices.ContainsFunc(list, func(m made) bool { return m.period > "2021" })
		if i%7 == 3 && !monthly { // also broken down, which is not the whole
			for n, m := range list {
				m.period, m.figure, m.sex, m.status = fmt.Sprint(2010+n), `"value":31337,`, "f", "A"
				lines.WriteString(m.line(fmt.Sprintf("sta-%s-f-%d", code, n), code, "FRA"))
			}
		}
		folder["records/healthcare-statistics/"+code+".ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	}
	files := makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()})
	cut := func(path, after, before string) string {
		_, rest, ok := strings.Cut(string(files[path]), after)
		if part, _, found := strings.Cut(rest, before); ok && found {
			return html.UnescapeString(tags.ReplaceAllString(part, ""))
		}
		return ""
	}
	for n := 1; files[fmt.Sprintf("search/rows/%d.json", n)] != nil; n++ {
		files["search/rows/0.json"] = append(files["search/rows/0.json"], files[fmt.Sprintf("search/rows/%d.json", n)]...)
	}
	shown := 0
	for code, m := range want {
		name := strings.ToUpper(code[:1]) + strings.ReplaceAll(code[1:], "-", " ")
		page := "healthcare-statistics/" + code + "/index.html"
		places := map[string]string{
			"headline":           cut(page, `<p class="latest">`, `<span class="change">`),
			"picture":            cut(page, `role="img"`, `>`),
			"list of indicators": cut("healthcare-statistics/index.html", `<a href="../healthcare-statistics/`+code+`/"`, "</span></span>"),
			"place":              cut("places/FRA/index.html", `<a href="../../healthcare-statistics/`+code+`/"`, "</li>"),
			"table of the place": cut("places/FRA/index.html", `<th scope="row"><a href="../../healthcare-statistics/`+code+`/"`, "</tr>"),
			"search":             cut("search/rows/0.json", `["/healthcare-statistics/`+code+`/"`, "]"),
			"search for a place": cut("search/rows/0.json", `["/healthcare-statistics/`+code+`/?area=FRA"`, "]"),
		}
		if m == nil {
			for place, text := range places {
				if place == "headline" && text != "" {
					t.Errorf("%s: the %s says %q, and nothing is known: %+v", name, place, text, all[code])
				}
			}
			continue
		}
		for place, text := range places {
			text = strings.ReplaceAll(text, `\u003c`, "<")
			if place == "picture" && m.shown[0] == '<' && text == "" {
				continue // bounds alone may leave nothing to draw
			}
			said := strings.Contains(text, m.shown) && strings.Contains(text, statusWords[m.status])
			if !said || !strings.Contains(text, m.period[:4]) {
				t.Errorf("%s: the %s says %q, want %s (%s, %s) of %+v", name, place, text, m.shown, m.period, m.status, all[code])
			}
			for _, other := range all[code] {
				at := strings.Index(text, other.shown)
				forecast := other.status == "F" && other.shown != "" && other.shown != m.shown && at >= 0
				if forecast && !strings.Contains(strings.ToLower(text[:at]), "forecast") {
					t.Errorf("%s: the %s has a forecast without saying so: %q", name, place, text)
				}
				if other.retracted && other.shown != m.shown && strings.Contains(text, other.shown) {
					t.Errorf("%s: the %s has what was retracted: %q", name, place, text)
				}
			}
			shown++
		}
	}
	if shown < 300 {
		t.Errorf("%d values were looked at", shown)
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
