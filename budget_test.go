package stele_test

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
	if got[budget.Modules], got[budget.Packages], err = budget.Linked("."); err != nil {
		t.Fatal(err)
	}
	if got[budget.Words], err = budget.CountWords("."); err != nil {
		t.Fatal(err)
	}
	if got[budget.Scripts], err = budget.CountScripts("."); err != nil {
		t.Fatal(err)
	}
	if got[budget.Lines], got[budget.Tests], err = budget.CountLines("."); err != nil {
		t.Fatal(err)
	}
	if got[budget.Flags], err = budget.CountFlags("."); err != nil {
		t.Fatal(err)
	}
	for name, besides := range map[string]string{budget.Client: "", budget.Release: "", budget.Record: "lists.go"} {
		if got[name], err = budget.CountNames(name, besides); err != nil {
			t.Fatal(err)
		}
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
