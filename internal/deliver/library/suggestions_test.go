package library

import (
	"strings"
	"testing"
)

// TestNoSuggestionWithoutWaiting: who may not wait never looks for an address, and a long one
// nobody looks for.
func TestNoSuggestionWithoutWaiting(t *testing.T) {
	l := openSpecimen(t, Options{})
	for path, want := range map[string]bool{
		"/api/v1/evidence/evd-mmr-one-doze.json":                             true,
		"/" + strings.Repeat("a", maxSuggestedFor-1):                         true,
		"/" + strings.Repeat("a", maxSuggestedFor):                           false,
		"/api/v1/evidence/" + strings.Repeat("a", maxSuggestedFor) + ".json": false,
	} {
		var a Answer
		l.Answer(&Request{Method: methodGet, Path: path}, &a, &Scratch{NoWait: true})
		if a.WouldBlock != want || a.Suggests != want || (a.Status == statusNotFound) == want {
			t.Errorf("%s: %d, later %t", path, a.Status, a.WouldBlock)
		}
	}
}

// TestWrongAddressesAllocateNothing: whatever is asked for, and as often as it is.
func TestWrongAddressesAllocateNothing(t *testing.T) {
	l := openSpecimen(t, Options{})
	l.suggestions.share = 1e8
	ForTest(l).Exhaust()
	for _, path := range []string{"/nothing", "/api/v1/evidence/evd-x.json", "/evidence/evd-x/", "/" + strings.Repeat("a", 4000)} {
		var a Answer
		var d Scratch
		r := Request{Method: methodGet, Path: path}
		if n := testing.AllocsPerRun(100, func() { l.Answer(&r, &a, &d) }); n != 0 || a.Status != statusNotFound {
			t.Errorf("%.40s: %v allocations for a %d", path, n, a.Status)
		}
	}
}
