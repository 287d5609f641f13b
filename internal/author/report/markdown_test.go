package report

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/record"
)

// TestSpan: whatever a record says, what is written is one code span.
func TestSpan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"120", "`120`"},
		{"", "`  `"},
		{"a`b", "``a`b``"},
		{"`", "`` ` ``"},
		{"a``b`", "``` a``b` ```"},
		{" a", "`  a `"},
		{"@octocat\n\n# x\u202e", "`@octocat··# x·`"},
	} {
		if got := Span(c.text); got != c.want {
			t.Errorf("%q is written as %s, not %s", c.text, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got := Span(rapid.StringOf(rapid.SampledFrom([]rune("`` a\n<@[|\\"))).Draw(t, "text"))
		fence := got[:len(got)-len(strings.TrimLeft(got, "`"))]
		inner := strings.TrimSuffix(strings.TrimPrefix(got, fence), fence)
		if strings.Contains(got, "\n") || strings.HasPrefix(inner, "`") || strings.HasSuffix(inner, "`") {
			t.Fatalf("%q", got)
		}
		for _, run := range strings.FieldsFunc(inner, func(r rune) bool { return r != '`' }) {
			if len(run) == len(fence) {
				t.Fatalf("%q ends inside", got)
			}
		}
	})
}

// TestApart: of long values the part is shown in which they differ.
func TestApart(t *testing.T) {
	long := strings.Repeat("word ", 100)
	a, b := apart(long+"old", long+"new")
	if !strings.HasSuffix(a, "old") || !strings.HasSuffix(b, "new") || len(a) > 60 || !strings.HasPrefix(a, "…") {
		t.Errorf("%q and %q", a, b)
	}
}

// TestCommentHasALimit: a comment stays below what GitHub takes, and what was lost comes first.
func TestCommentHasALimit(t *testing.T) {
	m := &comment{users: map[string][]string{}}
	for i := range 5000 {
		m.add(m.entry(&change{
			Kind: record.KindSignal, ID: fmt.Sprintf("sig-%d", i), Change: record.ChangeUpdated,
			Before: &state{Version: 1}, After: &state{Version: 2},
			Fields: []field{{Pointer: "/title", Old: strings.Repeat("a", 5000), New: strings.Repeat("b", 5000)}},
		}))
	}
	if m.b.Len() > mostMarkdown || m.shown < 50 || m.shown == 5000 {
		t.Errorf("%d bytes, %d shown", m.b.Len(), m.shown)
	}
}
