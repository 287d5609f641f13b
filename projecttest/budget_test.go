package projecttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stele/bench/budget"
	"stele/internal/testkit/must"
)

// TestBudget holds what everybody who gets Stele carries to budget.txt.
func TestBudget(t *testing.T) {
	most, err := budget.Read(".")
	must.Do(t, err)
	got := map[string]int64{}
	for _, w := range budget.Weights {
		got[w.Name] = must.Get(w.Count("."))(t)
	}
	if !testing.Short() {
		got[budget.Program] = programSize(t)
	}
	for name, n := range got {
		if limit, ok := most[name]; !ok || n > limit || n == 0 {
			t.Errorf("%s: %d, and %s allows %d: make it lighter, or raise the number in a commit that says what for",
				name, n, budget.Path, limit)
		}
	}
}

// programSize is the size of what a plain go build makes.
func programSize(t *testing.T) int64 {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stele")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/stele").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info := must.Get(os.Stat(program))(t)
	return info.Size()
}
