package site_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"stele/record"
)

// TestGraph: a record is searched for, its neighbours are added by a click on it in the picture,
// kinds are filtered, and the address names the record.
func TestGraph(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/graph/#clm-one-dose-protects")
	b.ready("#graph")
	b.wait(`document.querySelector("#graph .stage").dataset.settled`)
	drawn := `document.getElementById("graph").explorer.picture.drawn()[0]`
	before := eval[int](b, drawn)
	if before < 3 || before > 30 {
		t.Fatalf("around the claim %d records are drawn", before)
	}
	// A click on a neighbour chooses it; another click adds its neighbours.
	at := eval[[]float64](b, whereDrawn("evd-mmr-one-dose"))
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]), chromedp.MouseClickXY(at[0], at[1]))
	b.wait(`location.hash === "#evd-mmr-one-dose"`)
	if got := eval[string](b, `[...document.querySelectorAll(".detail h2, .detail h2 + p")].map((e) => e.textContent).join(", ")`); got != "One dose of MMR vaccine and measles, evidence record" {
		t.Errorf("chosen is %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS(`.expand`)))
	b.wait(drawn + fmt.Sprintf(` > %d`, before))

	b.do(chromedp.SendKeys(chromedp.CSS(`#graph input[type=search]`), "samoa coverage"))
	b.wait(`document.querySelectorAll(".hits li").length > 0`)
	b.do(chromedp.Click(chromedp.CSS(`.hits button`)))
	b.wait(`document.querySelector(".detail h2").textContent.includes("Samoa")`)

	b.do(chromedp.Click(chromedp.Search(`//div[@class="tools"]/button[.="Show everything"]`)))
	b.wait(drawn + ` > 200`)
	whole := eval[int](b, drawn)
	b.do(chromedp.Click(chromedp.Search(`//summary[.="Kinds"]`)), chromedp.Click(chromedp.CSS(`#graph input[value=healthcare_statistic]`)))
	b.wait(drawn + fmt.Sprintf(` < %d`, whole-100))
	b.do(chromedp.Click(chromedp.Search(`//summary[.="Relations"]`)), chromedp.Click(chromedp.CSS(`#graph input[value=derived_from]`)))
	b.wait(`document.getElementById("graph").explorer.picture.drawn()[1] < 400`)
}

// TestLargeGraph: 5,000 records and 20,000 relations are drawn, or a few of them, and again all.
func TestLargeGraph(t *testing.T) {
	files := copyOf(t)
	files["search/graph.json"] = largeGraph(5_000, 20_000)
	b := open(t, serveFiles(t, filesOf(files)))
	b.visit("/graph/#graph")
	b.ready("#graph")
	if got := eval[[]int](b, `document.getElementById("graph").explorer.picture.drawn()`); !slices.Equal(got, []int{5_000, 20_000}) {
		t.Errorf("drawn are %v records and relations", got)
	}
	eval[bool](b, `(location.hash = "#n-4321", true)`)
	b.wait(`document.querySelector(".detail h2")?.textContent === "Record number 4321"`)
	b.do(chromedp.Click(chromedp.Search(`//button[.="Show only this and its neighbours"]`)))
	b.wait(`document.getElementById("graph").explorer.picture.drawn()[0] < 100`)
	b.do(chromedp.Click(chromedp.Search(`//button[.="Show everything"]`)))
	b.wait(`document.getElementById("graph").explorer.picture.drawn()[0] === 5_000`)
}

// countDrawing counts what a page gives to WebGL to draw, and lets a test hold the timers of the
// page. Without a graphics card every point, line and instance of a shape costs time, instances the
// most. What goes into a buffer, and not onto the screen, tells which dot is under the pointer.
const countDrawing = `(() => {
  const gl = WebGL2RenderingContext.prototype, { drawArrays, drawArraysInstanced } = gl, { setTimeout, clearTimeout } = window;
  window.resetDrawing = () => { window.drawn = { points: 0, lines: 0, instances: 0, hidden: 0 }; };
  resetDrawing();
  const onto = (context, what) => (context.getParameter(gl.FRAMEBUFFER_BINDING) ? "hidden" : what);
  gl.drawArrays = function (mode, first, count) {
    drawn[onto(this, mode === gl.POINTS ? "points" : "lines")] += mode === gl.POINTS ? count : count / 2;
    drawArrays.call(this, mode, first, count);
  };
  gl.drawArraysInstanced = function (mode, first, count, instances) {
    drawn[onto(this, "instances")] += instances;
    drawArraysInstanced.call(this, mode, first, count, instances);
  };
  let held = null, id = 0;
  window.holdTimers = () => { held = new Map(); };
  window.releaseTimers = () => { const all = held; held = null; for (const f of all.values()) f(); };
  window.setTimeout = (f, delay, ...rest) => {
    if (!held || !delay) return setTimeout(f, delay, ...rest);
    held.set(--id, f);
    return id;
  };
  window.clearTimeout = (id) => { if (!held?.delete(id)) clearTimeout(id); };
})()`

type drawing struct{ Points, Lines, Instances, Hidden int }

// TestGraphMovesCheaply: while 500 records and 2,000 relations move, dots are all that is drawn.
// When they rest all is drawn again, and before that, if somebody clicks, so that it is known on
// what.
func TestGraphMovesCheaply(t *testing.T) {
	files := copyOf(t)
	files["search/graph.json"] = largeGraph(500, 2_000)
	b := open(t, serveFiles(t, filesOf(files)))
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: countDrawing}); err != nil {
		t.Fatal(err)
	}
	b.visit("/graph/#graph")
	b.ready("#graph")
	b.wait(`document.querySelector("#graph .stage").dataset.settled`)
	where := whereDrawn("n-432")
	// frames, which is longer than any glide takes
	stopped := `(window.still = window.last === (window.last = String(` + where + `)) ? window.still + 1 : 0) > 30`
	eval[bool](b, `(window.still = 0, true)`)
	b.wait(stopped)
	moved := func(by string, move func()) {
		t.Helper()
		before := eval[[]float64](b, where)
		eval[bool](b, `(holdTimers(), resetDrawing(), window.still = 0, true)`)
		move()
		b.wait(fmt.Sprintf(`drawn.points && (([x]) => Math.abs(x - %f) > 20)(%s)`, before[0], where))
		if got := eval[drawing](b, `drawn`); got.Lines > 0 || got.Hidden > 0 || got.Instances > 100 {
			t.Errorf("while %s moves the view, drawn are %+v", by, got)
		}
	}

	at := eval[[]float64](b, where)
	moved("the mouse", func() {
		b.do(chromedp.MouseEvent(chromedp.MousePressed, at[0], at[1], chromedp.ButtonLeft))
		for i := range 8 {
			b.do(chromedp.MouseEvent(chromedp.MouseMoved, at[0]+float64(10*i), at[1]+float64(5*i), chromedp.ButtonLeft))
		}
	})
	b.do(chromedp.MouseEvent(chromedp.MouseReleased, at[0]+70, at[1]+35, chromedp.ButtonLeft))
	b.wait(stopped)
	eval[bool](b, `(releaseTimers(), true)`)
	b.wait(`drawn.lines >= 2_000 && drawn.hidden >= 500`)

	moved("the keyboard", func() {
		eval[bool](b, `(document.querySelector("#graph .stage").focus(), true)`)
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	})
	b.wait(stopped)
	at = eval[[]float64](b, where)
	b.do(chromedp.MouseClickXY(at[0], at[1])) // while the timer is held
	b.wait(`location.hash`)
}

// whereDrawn is an expression for the place of a record's dot in the window.
func whereDrawn(id string) string {
	return `(() => { const g = document.getElementById("graph").explorer, p = g.picture.at(g.numbers.get("` + id + `")), s = g.picture.stage, r = s.getBoundingClientRect(); return [r.left + s.clientLeft + p.x, r.top + s.clientTop + p.y]; })()`
}

// largeGraph is what the graph page reads, made up.
func largeGraph(nodes, edges int) []byte {
	var kinds, relations, list, joined []string
	for _, k := range record.Kinds {
		kinds = append(kinds, fmt.Sprintf("[%q,%q,%q,%q]", k.Name, k.Many, "kind-"+k.Name, k.One))
	}
	for _, v := range record.ListOf[record.Relation]() {
		relations = append(relations, fmt.Sprintf("[%q,%q,%q]", v.Word, v.Word, v.Word))
	}
	for i := range nodes {
		list = append(list, fmt.Sprintf(`["n-%[1]d",%[2]d,"Record number %[1]d","/signals/n-%[1]d/"]`, i, i%6))
	}
	for i := range edges {
		joined = append(joined, fmt.Sprintf("[%d,%d,%d]", i%nodes, (i*i*7+i/nodes*31+1)%nodes, i%len(relations)))
	}
	return fmt.Appendf(
		nil,
		`{"columns":{"nodes":["id","kind","title","address","standing"],"edges":["from","to","relation"]},"kinds":[%s],"relations":[%s],"nodes":[%s],"edges":[%s]}`,
		strings.Join(kinds, ","),
		strings.Join(relations, ","),
		strings.Join(list, ","),
		strings.Join(joined, ","),
	)
}
