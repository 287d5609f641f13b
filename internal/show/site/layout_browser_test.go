package site_test

import (
	"slices"
	"strings"
	"testing"
)

// TestSameEdge: name and headings stand at the same place on pages of every sort, so that nothing
// jumps on the way from one to another.
func TestSameEdge(t *testing.T) {
	b := open(t, serveSample(t))
	want := map[int64]float64{}
	for i, path := range []string{"/", "/evidence/", "/proof/clm-one-dose-protects/", "/healthcare-statistics/mcv1/"} {
		b.visit(path)
		for _, width := range []int64{1280, 1920} {
			b.width(width)
			edges := eval[[]float64](b, `[".masthead .name", "h1"].map((s) => document.querySelector(s).getBoundingClientRect().left)`)
			if i == 0 {
				want[width] = edges[0]
			}
			if edges[0] != want[width] || edges[1] != want[width] {
				t.Errorf("%s, %d pixels wide: name and heading stand at %v, not at %v", path, width, edges, want[width])
			}
		}
	}
	if want[1280] == want[1920] {
		t.Errorf("at both widths they stand at %v", want[1280])
	}
}

// TestNarrow: on a phone, the last of many areas can be picked, the search's boxes stand beside
// each other, and nothing moves when the graph is drawn.
func TestNarrow(t *testing.T) {
	b := open(t, serveSample(t))
	b.width(360)
	b.visit("/healthcare-statistics/mcv1/")
	b.ready(".charts")
	last := eval[bool](b, `(() => {
		const list = document.querySelector(".areas div"), last = [...list.querySelectorAll("label")].at(-1);
		if (list.scrollHeight <= list.clientHeight) return false; // all of them have room, which tests nothing
		list.scrollTop = list.scrollHeight;
		last.closest("fieldset").scrollIntoView({ block: "center" });
		const r = last.getBoundingClientRect();
		return [r.top + 2, r.bottom - 2].every((y) => last.contains(document.elementFromPoint(r.left + 5, y)));
	})()`)
	if !last {
		t.Error("the last area cannot be seen")
	}
	names := eval[[]string](b, `[...document.querySelectorAll(".stage text.name")].map((e) => e.textContent)`)
	for _, want := range []string{"Western", "Eastern", "South-East", "European", "African"} {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, want) }) {
			t.Errorf("the lines are named %q, without %q", names, want)
		}
	}
	broken := eval[[]string](b, `[...document.querySelectorAll(".readout td")].filter((e) => {
		const text = document.createRange();
		text.selectNodeContents(e);
		return text.getClientRects().length > e.textContent.trim().split(/\s+/).length;
	}).map((e) => e.textContent)`)
	if len(broken) > 0 {
		t.Errorf("words are broken: %q", broken)
	}
	b.visit("/search/?q=measles")
	b.ready("#search")
	boxes := eval[[]float64](b, `(([a, b]) => [a.right, b.left, a.top, b.top])(["input", "select"].map((s) => document.querySelector("#search " + s).getBoundingClientRect()))`)
	if boxes[2] == boxes[3] && boxes[0] > boxes[1] {
		t.Errorf("one box ends at %v, and the next begins at %v", boxes[0], boxes[1])
	}
	b.visit("/graph/#graph")
	b.ready("#graph")
	room := eval[float64](b, `((g) => { delete g.dataset.ready; g.replaceChildren(); return g.offsetHeight / innerHeight; })(document.querySelector("#graph"))`)
	if room < 1 {
		t.Errorf("before the graph is drawn, it takes %v of the window, and what is below moves then", room)
	}
}

// TestChartStays: nothing moves under the reader when the script draws the chart anew.
func TestChartStays(t *testing.T) {
	b := open(t, serveSample(t))
	for _, width := range []int64{360, 768, 1280} {
		b.width(width)
		for _, path := range []string{"/healthcare-statistics/mcv1/", "/healthcare-statistics/measles_deaths/"} {
			b.visit("/404.html")
			b.visit(path)
			b.ready(".charts")
			moved := eval[float64](b, `new Promise((done) => {
				let sum = 0;
				new PerformanceObserver((list) => { for (const e of list.getEntries()) sum += e.value; }).observe({ type: "layout-shift", buffered: true });
				requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum), 50)));
			})`)
			t.Logf("%s, %d pixels wide: %.3f", path, width, moved)
			if moved > 0.1 {
				t.Errorf("%s, %d pixels wide, moves by %v", path, width, moved)
			}
		}
	}
}
