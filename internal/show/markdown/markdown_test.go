package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestInline: a text is written word by word, with a blank between words and a backslash before
// each mark.
func TestInline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[a-c *_<\\\\\n\t\u00a0\u2003\u0085é€\u202e]{0,30}").Draw(t, "text")
		if rapid.Bool().Draw(t, "broken") {
			text += string(rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "bytes"))
		}
		words := strings.Fields(text)
		for i, word := range words {
			words[i] = escapeMarks.Replace(word)
		}
		if got, want := Inline(text), strings.Join(words, " "); got != want {
			t.Fatalf("%q is written %q, not %q", text, got, want)
		}
	})
}

var escapeMarks = func() *strings.Replacer {
	var pairs []string
	for _, mark := range "\\`*_[]<>&|~" {
		pairs = append(pairs, string(mark), `\`+string(mark))
	}
	return strings.NewReplacer(pairs...)
}()

func TestParagraph(t *testing.T) {
	for in, want := range map[string]string{
		"# x": `\# x`, "12. x": `12\. x`, "12": "12", "1 x": "1 x", "": "", "- x": `\- x`, " 3) x": `3\) x`, "*": `\*`, "= x = y": `\= x = y`,
	} {
		if got := Paragraph(in); got != want {
			t.Errorf("%q is written %q, not %q", in, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{"a": "`a`", "": "``", "a`b": "`` a`b ``", "``": "``` `` ```"} {
		if got := Code(in); got != want {
			t.Errorf("%q is written %q, not %q", in, got, want)
		}
	}
}
