package figures

import (
	"math"
	"slices"
	"strings"
	"testing"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

func TestNiceScale(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		ticks     []float64
	}{
		{0, 100, []float64{0, 20, 40, 60, 80, 100}},
		{3, 97, []float64{0, 20, 40, 60, 80, 100}},
		{-7, 8, []float64{-10, -5, 0, 5, 10}},
		{0, 4211431, []float64{0, 1e6, 2e6, 3e6, 4e6, 5e6}},
		{5, 5, []float64{4, 4.5, 5, 5.5, 6}},
	} {
		s, ticks := niceScale(c.low, c.high, 300, 0, 5)
		if !slices.EqualFunc(ticks, c.ticks, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%v to %v: %v", c.low, c.high, ticks)
		}
		if s.low > c.low || s.high < c.high || s.at(s.low) != 300 || s.at(s.high) != 0 {
			t.Errorf("%v to %v: %+v", c.low, c.high, s)
		}
	}
	if _, ticks := niceScale(-math.MaxFloat64, math.MaxFloat64, 0, 1, 5); len(ticks) > 20 {
		t.Errorf("%d ticks", len(ticks))
	}
}

func TestYears(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{1980, 2015, []float64{1980, 1985, 1990, 1995, 2000, 2005, 2010, 2015}},
		{2021, 2022, []float64{2021, 2022}},
		{2016.25, 2016.75, []float64{2016}},
	} {
		if got := years(c.low, c.high, 8); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: %v", c.low, c.high, got)
		}
	}
}

func TestWhen(t *testing.T) {
	for period, want := range map[record.Period]float64{
		"2016": 2016, "2016-S2": 2016.5, "2016-Q3": 2016.5, "2016-07": 2016.5, "2016-07-01/P18M": 2016 + 182./366, "2016-W27": 2016 + 26*7/365.25, "2016-01-01": 2016,
	} {
		if got := when(period); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s begins at %v", period, got)
		}
	}
	if !math.IsNaN(when("x")) {
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
		if got := figures(c.number, c.decimals); got != c.want {
			t.Errorf("%s is written %s", c.number, got)
		}
	}
}

func TestSpread(t *testing.T) {
	names := []lineName{{0, 50}, {1, 52}, {2, 51}, {3, 200}, {4, 299}, {5, 299}}
	spread(names, 10, 300)
	for i := 1; i < len(names); i++ {
		if names[i].y-names[i-1].y < 15 || names[i].y > 300 {
			t.Errorf("%v", names)
		}
	}
}

// TestPanels: series of different units are not drawn on one scale, nor are a country and the
// world.
func TestPanels(t *testing.T) {
	of := func(unit string, values ...record.Number) *series {
		s := &series{unit: unit, label: unit}
		for i, v := range values {
			st := &record.HealthcareStatistic{Value: v}
			s.values = append(s.values, observation{st, float64(2000 + i), standing.Stands})
		}
		return s
	}
	if got := panels([]*series{of("%", "50", "60"), of("%", "80"), of("cases", "5")}, math.NaN()); len(got) != 2 ||
		len(got[0].series) != 2 ||
		got[0].small {
		t.Errorf("two units: %+v", got)
	}
	if got := panels([]*series{of("cases", "4000000"), of("cases", "8"), of("cases", "")}, math.NaN()); len(got) != 3 || !got[0].small {
		t.Errorf("sizes: %+v", got)
	}
	if _, _, _, _, ok := (&panel{series: []*series{of("cases", "")}}).extent(); ok {
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
		_, _, low, high, _ := (&panel{series: []*series{of("%", c.values...)}, from: c.from}).extent()
		if low != c.wantLow || high != c.wantHigh {
			t.Errorf("%v, axis from %v: from %v to %v", c.values, c.from, low, high)
		}
	}
}

// TestColors: an area has its colour whatever else is drawn, the first lines all have different
// ones, and none looks like another.
func TestColors(t *testing.T) {
	var list []*series
	for _, key := range []string{"AFG", "ALB", "BRA", "CHN", "DEU", "EGY", "FRA", "GBR", "IND", "JPN", "KEN", "MEX"} {
		list = append(list, &series{areaKey: key})
	}
	colorSeries(list)
	seen := map[[2]int]string{}
	for i, s := range list {
		if other := seen[[2]int{s.color, s.dash}]; other != "" || i < namedLines && s.dash > 0 {
			t.Errorf("%s has colour %d and dash %d, as %q", s.areaKey, s.color, s.dash, other)
		}
		seen[[2]int{s.color, s.dash}] = s.areaKey
	}
	alone := &series{areaKey: "AFG"}
	if colorSeries([]*series{alone}); alone.color != list[0].color {
		t.Error("the colour depends on what else there is")
	}
}

// TestGaps: a line leads from one value to the next only where they are as far apart as usual.
func TestGaps(t *testing.T) {
	for _, c := range []struct {
		years []float64
		gaps  int
	}{
		{[]float64{1980, 1981, 1982, 1985, 1986}, 1},
		{[]float64{1980, 1985, 1990, 1995}, 0}, // a survey every five years
		{[]float64{1980, 1985, 1990, 1991, 1992, 1993}, 2},
		{[]float64{2000, 2000 + 1./12, 2000 + 2./12, 2000 + 4./12}, 1},
		{[]float64{when("2023-W51"), when("2023-W52"), when("2024-W01"), when("2024-W02")}, 0},
		{[]float64{when("2023-02-27"), when("2023-02-28"), when("2023-03-01"), when("2023-03-03")}, 1},
	} {
		s := &series{}
		for _, at := range c.years {
			s.values = append(s.values, observation{&record.HealthcareStatistic{Value: "1"}, at, standing.Stands})
		}
		s.findStep()
		gaps := 0
		for i := 1; i < len(s.values); i++ {
			if !s.joined(i-1, i) {
				gaps++
			}
		}
		if gaps != c.gaps {
			t.Errorf("%v: %d gaps, want %d", c.years, gaps, c.gaps)
		}
	}
}

func TestSortSeries(t *testing.T) {
	of := func(name string, region bool, count int) *series {
		return &series{area: name, region: region, values: make([]observation, count)}
	}
	list := []*series{of("Chad", false, 10), of("Samoa", false, 8), of("World", true, 9), of("Europe", true, 9), of("Asia", true, 2)}
	sortSeries(list)
	var names []string
	for _, s := range list {
		names = append(names, s.name())
	}
	if want := []string{"Europe", "World", "Chad", "Samoa", "Asia"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	for code, want := range map[string]bool{"001": true, "276": false} {
		if got := isRegion(&record.HealthcareStatistic{RefAreaScheme: "un_m49", RefArea: code}); got != want {
			t.Errorf("%s is a region: %v", code, got)
		}
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
		s.values = append(s.values, observation{&v, float64(2000 + i), standing.Stands})
	}
	s.values[5].standing = standing.Retracted
	s.findStep()
	p := page{Page: &frame.Page{Common: &frame.Common{Words: &words.English}}}
	p.chart(&panels([]*series{s}, math.NaN())[0], "Name")
	svg := string(p.Bytes())
	for want, times := range map[string]int{
		`role="img"`: 1, `aria-label="Name, A &lt;b&gt;, per cent"`: 1, `class="band"`: 1, `class="break"`: 1, `class="hollow"`: 1, "<circle": 4, `class="name s`: 1, `>2000</text>`: 1, `>2004</text>`: 1, `>0</text>`: 1, `class="cut"`: 0, `class="lost"`: 1,
	} {
		if got := strings.Count(svg, want); got != times {
			t.Errorf("%d of %s in\n%s", got, want, svg)
		}
	}
	_, line, _ := strings.Cut(svg, `class="line" d="`)
	if line, _, _ = strings.Cut(line, `"`); strings.Count(line, "M") != 2 || strings.Count(line, "L") != 2 {
		t.Errorf("the line is %s", line)
	}
	p.chart(&panels([]*series{s}, 30)[0], "Name")
	if svg := string(p.Bytes()); strings.Count(svg, words.English.Script.AxisCut) != 2 || strings.Contains(svg, ">0</text>") {
		t.Errorf("a cut is not marked in\n%s", svg)
	}
}
