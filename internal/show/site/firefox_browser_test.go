package site_test

import (
	"testing"

	"stele/internal/testkit/long"
)

// TestLongFirefox runs, in Firefox, the tests of everything that readers press, pick or type into.
func TestLongFirefox(t *testing.T) {
	long.Only(t)
	needsBrowser(t)
	for name, test := range map[string]func(*testing.T){
		"Table": TestTable, "TableFinds": TestTableFinds, "Chart": TestChart, "Views": TestViews, "Takeaway": TestTakeaway,
		"Find": TestFind, "FindFromAnywhere": TestFindFromAnywhere, "Graph": TestGraph, "GraphLayers": TestGraphLayers,
		"Changes": TestChanges, "TryIt": TestTryIt, "Copy": TestCopy, "Keyboard": TestKeyboard,
	} {
		t.Run(name, test)
	}
}
