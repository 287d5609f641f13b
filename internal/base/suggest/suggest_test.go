package suggest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTo(t *testing.T) {
	names := []string{"id", "kind", "version", "title", "summary", "source_links", "verification_date", "corrections", "published_date", "license"}
	for _, c := range []struct{ word, want string }{
		{"verfication_date", "verification_date"},
		{"verificationDate", "verification_date"},
		{"Title", "title"},
		{"titel", "title"}, // two letters swapped are one mistake
		{"sumary", "summary"},
		{"source_link", "source_links"},
		{"licence", "license"},
		{"ids", "id"},
		{"title", "title"},
		{"population", ""},
		{"publ", "published_date"}, // a beginning
		{"date", "published_date"}, // a part, of the shortest
		{"tion", ""},               // in the middle of a word
		{"x", ""},
		{"", ""},
	} {
		if got := Closest(c.word, names); got != c.want {
			t.Errorf("To(%q) = %q, want %q", c.word, got, c.want)
		}
	}
	if got := Closest("word", nil); got != "" {
		t.Errorf("%q is near where there is nothing", got)
	}
	if got := Closest("abcdef", []string{"abcxef", "abcdeg", "abcdef2"}); got != "abcxef" {
		t.Errorf("of equals the first is meant, not %q", got)
	}
}

// TestDistance compares the count with one that follows the definition word for word.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,7}`)
		a, b, most := word.Draw(t, "a"), word.Draw(t, "b"), rapid.IntRange(1, 9).Draw(t, "most")
		if got, want := Distance([]byte(a), []byte(b), most), slowDistance(a, b); min(got, most) != min(want, most) {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", a, b, most, got, want)
		}
	})
}

func slowDistance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	least := min(slowDistance(a[1:], b), slowDistance(a, b[1:])) + 1
	replaced := slowDistance(a[1:], b[1:])
	if a[0] != b[0] {
		replaced++
	}
	least = min(least, replaced)
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, slowDistance(a[2:], b[2:])+1)
	}
	return least
}
