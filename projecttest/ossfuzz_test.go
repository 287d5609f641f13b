package projecttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestOSSFuzz: OSS-Fuzz gets every fuzz test that there is.
func TestOSSFuzz(t *testing.T) {
	list, err := exec.Command("bash", "ossfuzz/build.sh", "--list").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, list)
	}
	got := strings.Split(strings.TrimSpace(string(list)), "\n")
	var want []string
	out := must.Get(exec.Command("go", "list", "-f", `{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}
{{end}}`, "./...").Output())(t)
	for line := range strings.Lines(string(out)) {
		pkg, path, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok { // the end of a package
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution))(t)
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
