//go:build linux

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMain lets the attackers run, which are this program again.
func TestMain(m *testing.M) {
	for _, arg := range os.Args[1:] {
		if arg == "-attack" {
			main()
			return
		}
	}
	os.Exit(m.Run())
}

// TestShortCampaign runs a little of everything. How long something takes is for the full campaign;
// here nothing may be wrong.
func TestShortCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	s := short
	// fuzz tests have their own seeds, and mirrors are interrupted in tests of their own
	s.only = regexp.MustCompile("^(smuggling|floods|floods2|slow|swaps|kills|faults|releases|peers)$")
	folder := t.TempDir()
	if err := run(t.Context(), s, func(r *section) error { return r.keep(folder) }); err != nil {
		t.Fatal(err)
	}
	r, err := readReport(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(r) != len(parts)-3 {
		t.Errorf("%d parts were kept", len(r))
	}
	for _, section := range r {
		for _, why := range section.Unfinished {
			t.Error(why)
		}
		for _, trial := range section.Trials {
			for _, wrong := range trial.Wrong {
				t.Errorf("%s: %s", trial.What, wrong)
			}
			if trial.Tried == 0 {
				t.Errorf("%s: nothing was tried", trial.What)
			}
		}
		for _, f := range section.Floods {
			if f.Stele.Tried == 0 || f.Stele.Asked == 0 {
				t.Errorf("%s: %d tried, %d asked", f.Attack, f.Stele.Tried, f.Stele.Asked)
			}
		}
	}
	page := string(r.markdown())
	for _, line := range strings.Split(page, "\n") {
		if len([]rune(line)) > 100 && !strings.HasPrefix(line, "|") && strings.Contains(strings.TrimLeft(line, "- "), " ") {
			t.Errorf("a long line: %s", line)
		}
	}
}

// TestOSSFuzz: OSS-Fuzz gets every fuzz test that there is.
func TestOSSFuzz(t *testing.T) {
	list, err := exec.Command("bash", "../ossfuzz/build.sh", "--list").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, list)
	}
	got := strings.Split(strings.TrimSpace(string(list)), "\n")
	var want []string
	out, err := output(t.Context(), "go", "list", "-f", `{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}
{{end}}`, "stele/...")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		pkg, path, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok { // the end of a package
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
				want = append(want, pkg+" "+f.Name.Name)
			}
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) < 20 {
		t.Errorf("it gets\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
