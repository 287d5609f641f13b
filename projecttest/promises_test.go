package projecttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestPromises: every promise names a test that is there and that nothing leaves out by its name. A
// test is a package and a function, or the path of a script.
func TestPromises(t *testing.T) {
	page := must.Get(os.ReadFile("docs/promises.md"))(t)
	if makefile, err := os.ReadFile("Makefile"); err != nil || strings.Contains(string(makefile), "-skip") {
		t.Errorf("make leaves tests out by name: %v", err)
	}
	const most = 44
	promises := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) == 2 && strings.TrimSpace(cells[1]) == "tested by" {
			continue
		}
		if promises++; len(cells) != 2 {
			t.Errorf("not a promise and its tests: %s", line)
			continue
		}
		tests := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1)
		if len(tests) == 0 {
			t.Errorf("no test holds: %s", cells[0])
		}
		for _, test := range tests {
			if why := isTest(t, test[1]); why != "" {
				t.Errorf("%s: %s", test[1], why)
			}
		}
	}
	if promises == 0 || promises > most {
		t.Errorf("%d promises; %d are the most", promises, most)
	}
}

// TestMeetings: the tests that the table of meetings names are there.
func TestMeetings(t *testing.T) {
	page := must.Get(os.ReadFile("projecttest/meetings.md"))(t)
	named := regexp.MustCompile("`([a-z0-9/]+ Test[A-Za-z0-9]+|[^` ]+\\.txtar)`").FindAllStringSubmatch(string(page), -1)
	if len(named) == 0 {
		t.Error("no test is named")
	}
	for _, test := range named {
		if why := isTest(t, test[1]); why != "" {
			t.Errorf("%s: %s", test[1], why)
		}
	}
}

// isTest says what is wrong with the name of a test, or nothing.
func isTest(t *testing.T, name string) (why string) {
	t.Helper()
	pkg, function, isFunction := strings.Cut(name, " ")
	if !isFunction {
		if _, err := os.Stat(name); err != nil || filepath.Ext(name) != ".txtar" {
			return "there is no such script"
		}
		return ""
	}
	files := must.Get(filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*_test.go")))(t)
	for _, path := range files {
		f := must.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution))(t)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == function {
				if skipsAlways(fn) {
					return "it is skipped"
				}
				return ""
			}
		}
	}
	return "there is no such test"
}

// skipsAlways reports whether a test skips without a condition.
func skipsAlways(fn *ast.FuncDecl) bool {
	for _, s := range fn.Body.List {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Skip") {
			return true
		}
	}
	return false
}
