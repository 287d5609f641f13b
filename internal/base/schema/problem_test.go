package schema

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"stele/internal/base/schema/codes"
)

func TestProblemInOneLine(t *testing.T) {
	for want, p := range map[string]Problem{
		"a.yaml:14:3: error SCH02: m; f": {Code: codes.UnknownMember, File: "a.yaml", Line: 14, Column: 3, Message: "m", Fix: "f"},
		"a.yaml:14: error FIL03: m":      {Code: codes.Malformed, File: "a.yaml", Line: 14, Message: "m"},
		"a.yaml: warning FIL08: m":       {Code: codes.NoRecords, File: "a.yaml", Message: "m"},
	} {
		if p.String() != want {
			t.Errorf("%s, want %s", p.String(), want)
		}
	}
}

func TestProblemsHaveOneOrder(t *testing.T) {
	sorted := []Problem{
		{File: "a", Line: 2, Column: 1, Code: "B", Pointer: "/b", Message: "b"},
		{File: "b"},
		{File: "b", Line: 1, Column: 9, Code: "Z"},
		{File: "b", Line: 2, Column: 1, Code: "Z"},
		{File: "b", Line: 2, Column: 2, Code: "A", Pointer: "/z"},
		{File: "b", Line: 2, Column: 2, Code: "B", Pointer: "/a", Message: "z"},
		{File: "b", Line: 2, Column: 2, Code: "B", Pointer: "/b", Message: "a"},
		{File: "b", Line: 2, Column: 2, Code: "B", Pointer: "/b", Message: "b"},
	}
	shuffled := slices.Clone(sorted)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, func(p, q Problem) int { return p.Compare(&q) })
	if !slices.Equal(shuffled, sorted) {
		t.Errorf("sorted as %v", shuffled)
	}
}

func TestShorten(t *testing.T) {
	for _, s := range []string{"", "short", strings.Repeat("a", 60), strings.Repeat("ü", 60)} {
		if Shorten(s) != s {
			t.Errorf("%q became %q", s, Shorten(s))
		}
	}
	for _, s := range []string{strings.Repeat("a", 61), strings.Repeat("ü", 61), strings.Repeat("日本", 500)} {
		got := Shorten(s)
		if utf8.RuneCountInString(got) != 60 || !utf8.ValidString(got) ||
			!strings.HasPrefix(s, strings.TrimSuffix(got, "…")) {
			t.Errorf("%q became %q", s, got)
		}
	}
}
