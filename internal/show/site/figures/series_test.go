package figures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

func TestYears(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{1980, 2015, []float64{1980, 1985, 1990, 1995, 2000, 2005, 2010, 2015}},
		{2021, 2022, []float64{2021, 2022}},
		{2016.25, 2016.75, []float64{2016}},
	} {
		if got := yearTicks(c.low, c.high, 8); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: %v", c.low, c.high, got)
		}
	}
}

func TestMapClasses(t *testing.T) {
	of := func(values ...float64) []float64 {
		s := &series{}
		for _, v := range values {
			s.values = append(s.values, observation{Value: record.Number(fmt.Sprint(v)), common: &common{}})
		}
		return mapClasses([]*series{s}, &record.Measure{})
	}
	var shares, growth []float64
	for i := range 70 {
		shares = append(shares, []float64{95 + float64(i)/10, float64(i)}[i/50])
		growth = append(growth, float64(i-15)*1011)
	}
	for _, c := range [][2][]float64{
		{of(), nil},
		{of(0), {0, 0}},
		{of(1.79e308, 1.79e308), {1.7e308, 1.79e308}},
		{of(shares...), {50, 60, 95, 96, 97, 98, 99, 100}},
		{of(growth[:40]...), {-16000, -12000, -8100, -4000, 0, 6100, 12000, 18000, 25000}},
	} {
		if !slices.Equal(c[0], c[1]) {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
}

func TestWhen(t *testing.T) {
	for period, want := range map[record.Period]float64{
		"2016": 2016, "2016-S2": 2016.5, "2016-Q3": 2016.5, "2016-07": 2016.5, "2016-07-01/P18M": 2016 + 182./366, "2016-W27": 2016 + 26*7/365.25, "2016-01-01": 2016,
	} {
		if got := beginYear(period); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s begins at %v", period, got)
		}
	}
	if !math.IsNaN(beginYear("x")) {
		t.Error("x is a period")
	}
}

func TestFigures(t *testing.T) {
	two, none := int64(2), int64(0)
	for _, c := range []struct {
		number   record.Number
		decimals *int64
		want     string
	}{
		{"0.050", nil, "0.050"},
		{"1234567.5", nil, "1,234,567.5"},
		{"-1234", nil, "−1,234"},
		{"85", &none, "85"},
		{"9.7", &two, "9.70"},
		{"1e300", &two, "1e300"},
		{"123", nil, "123"},
	} {
		if got := words.English().Figure(c.number, c.decimals); got != c.want {
			t.Errorf("%s is written %s", c.number, got)
		}
	}
}

// seriesOf is a series with a value for each year from 2000 on; "" is none.
func seriesOf(unit, area string, values ...record.Number) *series {
	s := &series{unit: unit, label: unit, area: area, areaKey: area}
	for i, v := range values {
		st := &record.HealthcareStatistic{Value: v, TimePeriod: record.Period(strconv.Itoa(2000 + i))}
		if st.ObsStatus = record.StatusNormal; v == "" {
			st.ObsStatus = record.StatusMissing
		}
		s.values = append(s.values, newObservation(st, standing.Stands, nil))
	}
	return s
}

// TestPanels: series of different units are not drawn on one scale; of one unit, the world and its
// regions are shown, or those with the most values, but none that would lie flat on the ground.
func TestPanels(t *testing.T) {
	of := func(unit string, values ...record.Number) *series { return seriesOf(unit, "A", values...) }
	none := math.NaN() // where the axis begins
	if got := shownPanels([]*series{of("%", "50", "60"), of("%", "80"), of("cases", "5")}, none); len(got) != 2 ||
		len(got[0].shown) != 2 {
		t.Errorf("two units: %+v", got)
	}
	large, small, empty := of("cases", "4000000"), of("cases", "8", "9"), of("cases", "")
	if got := shownPanels([]*series{large, small, empty}, none); !slices.Equal(got[0].shown, []*series{large}) ||
		!slices.Equal(got[0].behind, []*series{small}) {
		t.Errorf("sizes: %+v", got)
	}
	world, europe := seriesOf("%", "001", "80"), seriesOf("%", "ent-eur", "90")
	world.region, europe.region = true, true
	if got := shownPanels([]*series{world, europe, of("%", "1", "2", "3")}, none); !slices.Equal(got[0].shown,
		[]*series{world, europe}) {
		t.Errorf("regions: %+v", got)
	}
	if got := representative([]*series{empty, world, europe}); got != world {
		t.Errorf("the latest value is that of %+v", got)
	}
	if _, _, _, _, ok := (&panel{all: []*series{empty}}).extent(); ok {
		t.Error("a chart without a value can be drawn")
	}
	for _, c := range []struct {
		values            []record.Number
		from              float64
		wantLow, wantHigh float64
	}{
		{[]record.Number{"80", "95"}, math.NaN(), 0, 95}, // a small fall does not fill the height
		{[]record.Number{"-8", "-3"}, math.NaN(), -8, 0},
		{[]record.Number{"-8", "3"}, math.NaN(), -8, 3},
		{[]record.Number{"80", "95"}, 60, 60, 95}, // as the publisher wants it
		{[]record.Number{"50", "95"}, 60, 50, 95}, // nothing is cut off
	} {
		_, _, low, high, _ := shownPanels([]*series{of("%", c.values...)}, c.from)[0].extent()
		if low != c.wantLow || high != c.wantHigh {
			t.Errorf("%v, axis from %v: from %v to %v", c.values, c.from, low, high)
		}
	}
}

// TestGaps: a line leads from one value to the next only where that is of the period that follows,
// however far apart the values of a series usually are.
func TestGaps(t *testing.T) {
	for _, c := range []struct {
		periods string
		gaps    int
	}{
		{"1980 1981 1982 1985 1986", 1},
		{"1980 1985 1990 1995", 3}, // a survey every five years
		{"2000-01 2000-02 2000-04", 1},
		{"2000-Q3 2000-Q4 2001-Q1 2001-Q3", 1},
		{"2000-S1 2000-S2 2001-S1", 0},
		{"2023-W51 2023-W52 2024-W01 2024-W02 2024-W04", 1},
		{"2020-W52 2020-W53 2021-W01", 0},
		{"2023-02-27 2023-02-28 2023-03-01 2023-03-03", 1},
		{"2010-01-01/P3Y 2011-01-01/P3Y 2013-01-01/P3Y 2019-01-01/P3Y", 1},
	} {
		s := &series{}
		for _, period := range strings.Fields(c.periods) {
			of := record.Period(period)
			one := &record.HealthcareStatistic{Value: "1", TimePeriod: of}
			s.values = append(s.values, newObservation(one, standing.Stands, nil))
		}
		gaps := 0
		for i := 1; i < len(s.values); i++ {
			if !s.isJoined(i-1, i) {
				gaps++
			}
		}
		if gaps != c.gaps {
			t.Errorf("%v: %d gaps, want %d", c.periods, gaps, c.gaps)
		}
	}
}

// TestTrend: the latest value is compared with the one before and with the first, but never across
// a break, and none that was taken back counts.
func TestTrend(t *testing.T) {
	p := page{Page: &frame.Page{Common: &frame.Common{Words: words.English()}}}
	of := func(change func(*series), values ...record.Number) string {
		s := seriesOf("%", "A", values...)
		change(s)
		return p.trendText(s.trend())
	}
	as := func(*series) {}
	for got, want := range map[string]string{
		of(as, "16", "84", "85"):     "up from 84 in 2001 and 16 in 2000",
		of(as, "90", "84", "", "85"): "up from 84 in 2001, down from 90 in 2000",
		of(as, "85.0", "85"):         "the same as 85.0 in 2000",
		of(as, "85"):                 "",
		of(func(s *series) { s.values[1].ObsStatus = record.StatusBreak }, "16", "84", "85"):                                "up from 84 in 2001",
		of(func(s *series) { s.markBreaks([]record.MeasureBreak{{TimePeriod: "2002", Summary: "S"}}) }, "1", "2", "3", "4"): "up from 3 in 2002",
		of(func(s *series) { s.values[2].standing = standing.Retracted }, "16", "84", "85"):                                 "up from 16 in 2000",
		of(func(s *series) { s.values[2].text = "<5" }, "16", "84", ""):                                                     "after 84 in 2001 and 16 in 2000",
		of(func(s *series) { s.values[2].ObsStatus = record.StatusForecast }, "16", "84", "90"):                             "up from 16 in 2000. Forecast, 2002: 90",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestBounds: a bound is never drawn as its number, but stands in tables and in the script's file;
// and a code by what it means.
func TestBounds(t *testing.T) {
	p := page{Page: &frame.Page{Common: &frame.Common{Words: words.English()}}}
	s := seriesOf("cases", "A", "12", "", "7")
	s.values[1].LessThan = "5"
	s.values[1].text = p.Words.Replacement(&record.HealthcareStatistic{LessThan: "5"}, nil)
	f := p.plotSeries([]*series{s}, math.NaN())
	if got := f.Series[0]; got.Values[1] != nil || got.Texts[1] != "<5" || !slices.Equal(got.Gaps, []int{2}) {
		t.Errorf("%+v", got)
	}
	if got := p.valueText(&s.values[1]); got != "<5" || s.values[1].isDrawable() {
		t.Errorf("a bound is shown as %s", got)
	}
	zeros := seriesOf("cases", "A", "0", "0")
	p.drawSparkLine(&spark{"Zeros", p.latestOf(zeros, "")}, false)
	if got := string(p.Bytes()); !strings.Contains(got, `class="grid" d="M0 31H150"`) || !strings.Contains(got, `d="M3 31h0L147 31"`) {
		t.Errorf("zeros do not lie on the line of zero: %s", got)
	}
	answer := &record.HealthcareStatistic{Code: "y"}
	if got := p.Words.Replacement(answer, record.Terms{{Name: "y", Text: "Yes"}}); got != "Yes" {
		t.Errorf("a code is shown as %s", got)
	}
	editions := []*series{{area: "A", areaKey: "a", vintage: "2022"}, {area: "A", areaKey: "a", vintage: "2023"}, {area: "B", vintage: "2023"}}
	p.nameVintages(editions)
	sortSeries(editions)
	if got := []string{editions[0].name(), editions[1].name(), editions[2].name()}; !slices.Equal(got, []string{"A, edition of 2023", "A, edition of 2022", "B"}) {
		t.Errorf("editions: %q", got)
	}
	if got := []string{editions[0].address, editions[2].address}; !slices.Equal(got, []string{"a:2023", ""}) {
		t.Errorf("addresses, which do not depend on the language of the page: %q", got)
	}
}

// TestDrawnChart: a missing value is a gap, an interval a band, an uncertain value a hollow dot, a
// break a bar, what was taken back a cross that no line leads to; lines have names.
func TestDrawnChart(t *testing.T) {
	s := &series{area: "A <b>", unit: "%", label: "per cent"}
	for i, v := range []record.HealthcareStatistic{
		{Value: "50", Lower: "40", Upper: "60", ObsStatus: "A"},
		{Value: "55", Lower: "45", Upper: "65", ObsStatus: "B"},
		{ObsStatus: "O"},
		{Value: "60", ObsStatus: "P"},
		{Value: "70", ObsStatus: "A"},
		{Value: "68", Lower: "60", Upper: "69", ObsStatus: "A"},
	} {
		v.TimePeriod = record.Period(strconv.Itoa(2000 + i))
		s.values = append(s.values, newObservation(&v, standing.Stands, nil))
	}
	s.values[5].standing = standing.Retracted
	p := page{Page: &frame.Page{Common: &frame.Common{Words: words.English()}}}
	p.drawChart(&shownPanels([]*series{s}, math.NaN())[0], "Name")
	svg := string(p.Bytes())
	for want, times := range map[string]int{
		`role="img"`: 1, `aria-label="Name. 70 per cent, A &lt;b&gt;, 2004; 2005: retracted. Up from `: 1, `class="gap"`: 1, `class="leader s0"`: 0, `class="band"`: 2, `class="break"`: 1, `class="hollow"`: 1, "<circle": 4, `class="name s`: 1, `>2000</text>`: 1, `>2004</text>`: 1, `>0</text>`: 1, `class="cut"`: 0, `class="lost"`: 1,
	} {
		if got := strings.Count(svg, want); got != times {
			t.Errorf("%d of %s in\n%s", got, want, svg)
		}
	}
	_, line, _ := strings.Cut(svg, `class="line" d="`)
	if line, _, _ = strings.Cut(line, `"`); strings.Count(line, "M") != 3 || strings.Count(line, "L") != 1 {
		t.Errorf("the line is %s", line)
	}
	p.drawChart(&shownPanels([]*series{s}, 30)[0], "Name")
	if svg := string(p.Bytes()); strings.Count(svg, words.English().Script["axisCut"]) != 1 || strings.Contains(svg, ">0</text>") {
		t.Errorf("a cut is not marked in\n%s", svg)
	}
}

// TestObserve: values in a row share what they have alike, and nothing else.
func TestObserve(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	var before *common
	shared := 0
	for range 2_000 {
		st := &record.HealthcareStatistic{
			TimePeriod: record.Period(pick("2020", "2021")), Value: record.Number(pick("", "1", "22")), Lower: record.Number(pick("", "1")),
			Upper: record.Number(pick("3", "")), LessThan: record.Number(pick("", "5")), Level: record.Number(pick("95", "")),
			ObsStatus: record.ObsStatus(pick("A", "E")), Code: pick("", "y"),
		}
		st.ID, st.Version, st.VerificationDate = record.ID(pick("a", "bb")), int64(1+random.IntN(8)/7), record.Date(pick("2026-01-01", "2026-01-02"))
		st.SourceLinks = []record.SourceLink{{URL: record.URL(pick("https://a", "https://b"))}}[:random.IntN(2)]
		st.ClaimBoundary = []*record.ClaimBoundary{nil, {Statement: "S"}}[random.IntN(2)]
		st.Decimals = []*int64{nil, new(int64), &st.Version}[random.IntN(3)]
		o := newObservation(st, standing.Stands, before)
		if o.common == before {
			shared++
		}
		before = o.common
		got := record.HealthcareStatistic{
			TimePeriod: o.TimePeriod, Value: o.Value, Lower: o.Lower, Upper: o.Upper, LessThan: o.LessThan,
			Level: o.Level, ObsStatus: o.ObsStatus, Code: o.Code, Decimals: o.Decimals, Envelope: record.Envelope{
				ID: o.ID, Version: o.version(), VerificationDate: o.VerificationDate, SourceLinks: o.SourceLinks,
			},
		}
		if o.limits != "" {
			got.ClaimBoundary = &record.ClaimBoundary{Statement: o.limits}
		}
		if !reflect.DeepEqual(&got, st) {
			t.Fatalf("of %+v came %+v", st, got)
		}
	}
	if shared == 0 {
		t.Error("nothing is shared")
	}
}
