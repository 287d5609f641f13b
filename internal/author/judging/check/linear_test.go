package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// mentions reports whether a text has an ID in it, as a word of its own: mentioned, for one ID, by
// its definition.
func mentions(text, id string) bool {
	part := func(c byte) bool {
		return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	for at := range text {
		rest, ok := strings.CutPrefix(text[at:], id)
		if !ok || at > 0 && (part(text[at-1]) || text[at-1] == '.') {
			continue
		}
		if rest == "" || !part(rest[0]) && (rest[0] != '.' || len(rest) == 1 || !part(rest[1])) {
			return true
		}
	}
	return false
}

func TestMentioned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab.\-, ]{0,12}`).Draw(t, "text")
		id := rapid.StringMatching(`[ab]([ab.\-]{0,3}[ab])?`).Draw(t, "id")
		if got, want := slices.Contains(slices.Collect(possibleIDs(text)), id), mentions(text, id); got != want {
			t.Errorf("%q mentions %q: %v, want %v", text, id, got, want)
		}
	})
	// a word cannot be made of which every beginning counts
	for _, text := range []string{"a.. ", "a..", ".", "a."} {
		size := 0
		for id := range possibleIDs(strings.Repeat(text, 10_000)) {
			size += len(id)
		}
		if size > 200_000 {
			t.Errorf("%d bytes of %q", size, text)
		}
	}
}

// TestAcceptOne: an acceptance for one record is looked up, and only patterns are compared with
// each warning.
func TestAcceptOne(t *testing.T) {
	c := New()
	list := []settings.Acceptance{{Code: "SRC03", Record: "b*"}, {Code: "SRC03", Record: "a1"}, {Code: "SRC03", Record: "a1"}}
	for i := range 1000 {
		list = append(list, settings.Acceptance{Code: "SRC03", Record: fmt.Sprintf("c%d", i)})
	}
	c.Accept(list)
	if len(c.acceptMany) != 1 || len(c.acceptOne) != 1001 {
		t.Errorf("%d patterns, %d others", len(c.acceptMany), len(c.acceptOne))
	}
	for id, want := range map[string]bool{"a1": true, "b7": true, "c999": true, "a2": false} {
		if got := c.isAccepted(&schema.Problem{Code: codes.DoubtfulURL, Record: id}); got != want {
			t.Errorf("%s: %v", id, got)
		}
		if c.isAccepted(&schema.Problem{Code: codes.MalformedURL, Record: id}) {
			t.Errorf("an error of %s is accepted", id)
		}
	}
	if c.checkAccepted(); c.warnings != 999 {
		t.Errorf("%d are not used, and 999 are", c.warnings)
	}
}
