package site_test

import "testing"

// TestFirefox runs in Firefox what other tests run in Chromium: whatever a reader can press, pick
// or type into.
func TestFirefox(t *testing.T) {
	needsBrowser(t)
	for name, test := range map[string]func(*testing.T){
		"Table": TestTable, "TableFinds": TestTableFinds, "LargeTable": TestLargeTable,
		"Chart": TestChart, "Views": TestViews, "Takeaway": TestTakeaway,
		"Find": TestFind, "FindFromAnywhere": TestFindFromAnywhere, "FindFails": TestFindFails, "FindHostile": TestFindHostile,
		"Graph": TestGraph, "GraphLayers": TestGraphLayers, "LargeGraph": TestLargeGraph,
		"Changes": TestChanges, "TryIt": TestTryIt, "Copy": TestCopy, "Keyboard": TestKeyboard, "SignedPage": TestSignedPage,
		"FailuresAreShown": TestFailuresAreShown, "SameEdge": TestSameEdge, "Narrow": TestNarrow,
		"WithoutWebGL": TestWithoutWebGL, "Journalist": TestJournalist,
	} {
		t.Run(name, test)
	}
}

// TestWithoutWebGL holds the browsers of all these tests to having none, as on many machines.
func TestWithoutWebGL(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/graph/#graph")
	b.ready("#graph")
	if eval[bool](b, `["webgl", "webgl2"].some((kind) => document.createElement("canvas").getContext(kind))`) {
		t.Error("the browser has WebGL")
	}
}
