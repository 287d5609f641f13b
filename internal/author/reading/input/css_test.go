package input

import (
	"bytes"
	"testing"
)

func TestStyleSheet(t *testing.T) {
	for _, c := range []struct {
		css, wrong string
		line       int
	}{
		{"", "", 0},
		{":root { --serif: Georgia, serif }\n/* url(x) */ .masthead { border: 0 }", "", 0},
		{`.crumbs::before { content: "/* {" }`, "", 0},
		{"a { }\n@IMPORT 'x';", "@import", 2},
		{"/* a\nb */ a { background: Url(x) }", "url(", 2},
		{`a::before { content: "/*" } b { background: url(//x/y) } /* */`, "url(", 1},
		{"a { background: u\\rl(x) }", `\`, 1},
		{`a::before { content: "\"" } b { background: url(x) }`, "a quoted string is not closed on its line", 1},
		{`a::before { content: "\2192" }`, `\`, 1},
		{"a { background: -webkit-image-set('x' 1x) }", "image-set(", 1},
		{"a {\nb { }\n", "{ is not closed", 1},
		{"a { } }", "superfluous }", 1},
		{"a {\n(]", "superfluous ]", 2},
		{"/* a", "a comment is not closed", 1},
		{"a { content: 'b\n' }", "a quoted string is not closed on its line", 1},
	} {
		bare, line, err := stripCSS([]byte(c.css))
		wrong := ""
		if err != nil {
			wrong = err.Error()
		} else {
			line, wrong = findLoading(bare)
		}
		if wrong != c.wrong || line != c.line {
			t.Errorf("%q: line %d, %q; want line %d, %q", c.css, line, wrong, c.line, c.wrong)
		}
	}
}

// FuzzStyleSheet: a style sheet is read to its end, whatever is in it, and what is left has as many
// lines.
func FuzzStyleSheet(f *testing.F) {
	for _, seed := range []string{"a{b:c}", "/* a\n */", `"a" 'b' ({[]})`, "@import url(x)"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, css []byte) {
		bare, _, err := stripCSS(css)
		if err == nil && bytes.Count(bare, []byte{'\n'}) != bytes.Count(css, []byte{'\n'}) {
			t.Errorf("%q becomes %q", css, bare)
		}
	})
}
