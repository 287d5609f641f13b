// Package race says whether the race detector watches a test, which makes everything ten times as
// slow: a test in which one goroutine computes much does less of it then.
package race

import "testing"

// LeaveOut leaves a test out where the detector watches, and says why nothing can meet in
// it.
func LeaveOut(t testing.TB, why string) {
	if t.Helper(); Enabled {
		t.Skip(why)
	}
}
