package projecttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// A function is long from so many lines on, and so many of them may be.
const (
	longFunction  = 51
	longFunctions = 10
)

// TestLongFunctions: a function that does not fit on a screen is a rare one.
func TestLongFunctions(t *testing.T) {
	var long []string
	for path, data := range filesNamed(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			long = append(long, functionsFrom(t, path, data, longFunction)...)
		}
	}
	if slices.Sort(long); len(long) > longFunctions {
		t.Errorf("%d functions have %d lines or more; %d are the most:\n%s",
			len(long), longFunction, longFunctions, strings.Join(long, "\n"))
	}
}

// functionsFrom are the functions of a file that have so many lines, or more.
func functionsFrom(t *testing.T, path string, data []byte, lines int) (long []string) {
	t.Helper()
	set := token.NewFileSet()
	f := must.Get(parser.ParseFile(set, path, data, parser.SkipObjectResolution))(t)
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && set.Position(fn.End()).Line-set.Position(fn.Pos()).Line+1 >= lines {
			long = append(long, set.Position(fn.Pos()).String()+": "+fn.Name.Name)
		}
	}
	return long
}
