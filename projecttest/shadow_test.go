package projecttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// TestNoShadows: nothing is called what Go calls something else, so that "make" or "new" is what
// everybody takes it for. Members and methods may be: what they are called stands after a dot.
func TestNoShadows(t *testing.T) {
	race.LeaveOut(t, "one goroutine reads files")
	for path, data := range filesNamed(t, ".go") {
		for _, shadow := range shadows(t, path, data) {
			t.Error(shadow + " is what Go calls something else")
		}
	}
}

// shadows are the declarations in a file that hide one of Go's own, each with its place.
func shadows(t *testing.T, path string, data []byte) (list []string) {
	t.Helper()
	files := token.NewFileSet()
	file := must.Get(parser.ParseFile(files, path, data, 0))(t)
	members := map[*ast.Ident]bool{}
	see := func(id *ast.Ident) {
		if types.Universe.Lookup(id.Name) != nil {
			list = append(list, files.Position(id.Pos()).String()+": "+id.Name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			addNames(members, n.Fields)
		case *ast.InterfaceType:
			addNames(members, n.Methods)
		case *ast.ImportSpec:
			if n.Name != nil {
				see(n.Name)
			}
		case *ast.Ident:
			// what is declared here, and not only used
			if n.Obj != nil && n.Obj.Pos() == n.Pos() && n.Obj.Kind != ast.Lbl && !members[n] {
				see(n)
			}
		}
		return true
	})
	return list
}

func addNames(names map[*ast.Ident]bool, fields *ast.FieldList) {
	for _, f := range fields.List {
		for _, name := range f.Names {
			names[name] = true
		}
	}
}
