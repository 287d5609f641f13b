package tables

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"stele/internal/testkit/must"
)

// TestPhrases: every language has every phrase, with the same holes, and the program asks for no
// other.
func TestPhrases(t *testing.T) {
	holes := func(text string) []string {
		return slices.Compact(slices.Sorted(slices.Values(bareHole.FindAllString(text, -1))))
	}
	for language, texts := range phrases() {
		for _, name := range slices.Concat(slices.Collect(maps.Keys(texts)), slices.Collect(maps.Keys(phrases()["en"]))) {
			if texts[name] == "" || phrases()["en"][name] == "" {
				t.Errorf("%s: %q is not in both languages", language, name)
			}
		}
		for name, text := range texts {
			if want := holes(phrases()["en"][name]); !slices.Equal(holes(text), want) {
				t.Errorf("%s, %s: %s needs the holes %q", language, name, text, want)
			}
		}
	}
	for name := range saidNames(t) {
		if phrases()["en"][name] == "" {
			t.Errorf("unknown phrase %q", name)
		}
	}
	for _, reading := range slices.Concat(areaReadings, financialChoices, numberingNames(), []string{
		openReading, mixedPeriods, "1,234.5" + asFraction, codesOf + "fylker", namesOf + "fylker" + firstDay,
	}) {
		_ = readingWords(reading).In("ar")
	}
	for i := range periodReadings {
		if name := periodReadings[i].name; isPeriodReading(name) {
			_ = readingWords(name).In("ar")
		}
	}
}

var bareHole = regexp.MustCompile(`\{\d\}`)

// saidNames are the names in the program's calls, with those of choices.
func saidNames(t *testing.T) map[string]bool {
	t.Helper()
	names, files := map[string]bool{}, gotoken.NewFileSet()
	for _, path := range must.Get(filepath.Glob("*.go"))(t) {
		ast.Inspect(must.Get(parser.ParseFile(files, path, nil, 0))(t), func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if name := literalOf(call.Fun, call.Args); name != "" {
				names[name] = true
			}
			if len(call.Args) < 2 {
				return true
			}
			if text, is := call.Args[1].(*ast.CallExpr); is && literalOf(text.Fun, text.Args) != "" {
				for _, choice := range call.Args[2:] {
					if lit, is := choice.(*ast.BasicLit); is && lit.Value != `""` {
						names[literalOf(text.Fun, text.Args)+" "+must.Get(strconv.Unquote(lit.Value))(t)] = true
					}
				}
			}
			return true
		})
	}
	for _, choice := range slices.Concat(markChoices, aloneChoices) {
		names["mark "+choice] = true
	}
	if len(names) < 100 {
		t.Fatalf("only %d names found", len(names))
	}
	return names
}

// literalOf returns the name in a call of say; "" if it is another call, or the name is computed.
func literalOf(function ast.Expr, args []ast.Expr) string {
	if of, is := function.(*ast.Ident); !is || of.Name != "say" {
		return ""
	}
	lit, is := args[0].(*ast.BasicLit)
	if !is {
		return ""
	}
	name, _ := strconv.Unquote(lit.Value)
	return name
}
