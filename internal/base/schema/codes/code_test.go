package codes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"stele/internal/testkit/must"

	"github.com/google/go-cmp/cmp"
)

// TestEveryCodeHasARow compares the constants in code.go with the table below them.
func TestEveryCodeHasARow(t *testing.T) {
	f := must.Get(parser.ParseFile(token.NewFileSet(), "code.go", nil, 0))(t)
	var constants, rows []string
	ast.Inspect(f, func(n ast.Node) bool {
		if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
			for _, s := range d.Specs {
				value := must.Get(strconv.Unquote(s.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value))(t)
				constants = append(constants, value)
			}
		}
		return true
	})
	for _, info := range Table {
		rows = append(rows, string(info.Code))
		if info.Title == "" || info.Severity.String() == "" || info.Code.Info() != info {
			t.Errorf("%s has no title or severity, or stands twice", info.Code)
		}
	}
	slices.Sort(constants)
	slices.Sort(rows)
	if diff := cmp.Diff(constants, rows); diff != "" {
		t.Errorf("constants (-) and rows (+) differ:\n%s", diff)
	}
	if Code("NO99").Info() != (Info{}) {
		t.Error("an unknown code has a row")
	}
}
