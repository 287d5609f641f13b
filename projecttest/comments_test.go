package projecttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// TestCommentsNameTheirFunction makes sure that the comment of a function begins with its name, so
// that no comment describes a function that was renamed or moved.
func TestCommentsNameTheirFunction(t *testing.T) {
	race.LeaveOut(t, "one goroutine reads files")
	for path, data := range filesNamed(t, ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		for _, d := range must.Get(parser.ParseFile(files, path, data, parser.ParseComments))(t).Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Doc == nil || f.Doc.Text() == "" {
				continue
			}
			if first := strings.Fields(f.Doc.Text())[0]; strings.Trim(first, ",:") != f.Name.Name {
				t.Errorf("%s: the comment of %s begins with %q", files.Position(f.Doc.Pos()), f.Name.Name, first)
			}
		}
	}
}
