package scrutiny_test

import (
	"strings"
	"testing"

	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/author/reading/settings"
)

// TestRevealed: what of a redacted text is refused in another one, listed, or neither.
func TestRevealed(t *testing.T) {
	prose := "The case was reported by Anna Quaxworthy, a nurse of the district of Lagosia in Nigeria."
	for _, c := range []struct {
		redacted        string
		byName          bool
		text            string
		refused, listed string
	}{
		{prose, false, "A person was named.", "", ""},
		{prose, false, "Quaxworthy asked for it.", "Quaxworthy", ""},
		{prose, false, "It named QUAXWORTHY and Anna.", "Quaxworthy", "Anna"},
		{prose, false, "The case was reported by a nurse of the district.", "", ""},
		{prose, false, "Cases rose in Nigeria, where they were reported late.", "", "Nigeria"},
		{prose, false, "Cases rose in Lagosia.", "Lagosia", ""},
		{"jane quaxworthy", true, "a note of quaxworthy", "quaxworthy", ""},
		{"jane quaxworthy", true, "by jane  smith", "", "jane"},
		{"Jo Wu", true, "Jo Wu wrote it", "Jo Wu", "Jo Wu"},
		{"1977-03-04", true, "born on 1977-03-04", "1977-03-04", "03 04 1977"},
		{"anna.quaxworthy@example.org", false, "the quaxworthy file", "quaxworthy", ""},
		{"Zoe\u0308-Marie Quaxwo\u0308rthy", true, "by Quaxw\u00f6rthy", "Quaxwo\u0308rthy", ""},
		{"Das Kind Maximilian wurde genannt.", false, "Das Kind wurde genannt.", "", "Das Kind"},
		{"患者 田中太郎", true, "田中太郎 さん", "", "田中太郎"},
		{"Measles Institute", true, "The Measles Institute and its measles, which are many.", "Measles Institute", "Institute"},
	} {
		w := scrutiny.NewWords(&settings.Redaction{Ordinary: []string{"Institute"}})
		w.AddRedacted(c.redacted, c.byName)
		w.CompareText("a text", c.text)
		var refused, listed []string
		for _, f := range w.Found() {
			if f.Refused {
				refused = append(refused, f.Word)
			} else {
				listed = append(listed, f.Word)
			}
		}
		if is := strings.Join(refused, " "); is != c.refused {
			t.Errorf("%q in %q: refused is %q, want %q", c.redacted, c.text, is, c.refused)
		}
		if is := strings.Join(listed, " "); c.refused == "" && is != c.listed {
			t.Errorf("%q in %q: listed is %q, want %q", c.redacted, c.text, is, c.listed)
		}
	}
}
