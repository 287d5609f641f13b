package input

import (
	"testing"
	"testing/fstest"
)

// FuzzBeside: whatever stands beside a table, each row that it names has one tree, or there is a
// problem.
func FuzzBeside(f *testing.F) {
	f.Add([]byte("- {id: a, date: 2026-02-01, type: correction, in_version: 2, fields: [value], summary: Was 1.}\n"))
	f.Add([]byte("- {id: a, effect: none}\n- {id: a, in_version: 99999999999999999999}\n- {id: b, id: b}\n"))
	f.Add([]byte("- &x {id: a, y: *x}\n---\n- *x\n"))
	f.Add([]byte("id: a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, named, problem := readCorrections(fstest.MapFS{"a.corrections.yaml": {Data: data}}, "a.csv", nil)
		if problem == nil && len(rows) != len(named) {
			t.Errorf("%d trees of %d rows", len(rows), len(named))
		}
		for id, tree := range rows {
			if tree == nil || len(tree.Nodes) == 0 {
				t.Errorf("%q has no tree", id)
			}
		}
	})
}
