package markup_test

import (
	"encoding/json"
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"stele/internal/show/site/markup"
)

func written(path string, f func(w *markup.Writer)) string {
	var w markup.Writer
	w.Begin(nil, path)
	f(&w)
	return string(w.Bytes())
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`a < b & c > "d"`:             `a &lt; b &amp; c &gt; &#34;d&#34;`,
		"tab\tline\nnul\x00bell\a":    "tab\tline\nnul\ufffdbell\ufffd",
		"two\r\nlines":                "two\r\nlines",
		"\u202eabc":                   "\u202eabc\u202c\u202c",
		"\u2067abc":                   "\u2067abc\u2069",
		"\u202e\u2066x":               "\u202e\u2066x\u202c\u2069\u202c",
		"caf\u00e9 \u20ac \U0001f9ea": "caf\u00e9 \u20ac \U0001f9ea",
		"\xe2":                        "\xe2",
	} {
		if got := written("x", func(w *markup.Writer) { w.Text(in) }); got != want {
			t.Errorf("%q is written %q, not %q", in, got, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ path, in, want string }{
		{"index.html", "/", ` href="./"`},
		{"index.html", "/a/", ` href="a/"`},
		{"signals/s/index.html", "/a/?b=1#c", ` href="../../a/?b=1#c"`},
		{"signals/s/index.html", "/", ` href="../../"`},
		{"x", "#here", ` href="#here"`},
		{"x", "https://example.org/?a=1&b=2", ` href="https://example.org/?a=1&amp;b=2"`},
		{"x", "mailto:a@example.org", ` href="mailto:a@example.org"`},
		{"x", "javascript:alert(1)", ""},
		{"x", "JavaScript:alert(1)", ""},
		{"x", "data:text/html,x", ""},
		{"x", "//evil.example", ""},
		{"x", `/\evil.example`, ""},
		{"x", "relative", ""},
		{"x", "", ""},
		{"x", "https://user:secret@example.org/", ""},
	} {
		if got := written(c.path, func(w *markup.Writer) { w.Attr("href", c.in) }); got != c.want {
			t.Errorf("in %s, %q is written %q, not %q", c.path, c.in, got, c.want)
		}
	}
	var w markup.Writer
	w.BeginAnywhere("/data/")
	w.Attr("src", "/logo.svg")
	if got := string(w.Bytes()); got != ` src="/data/logo.svg"` {
		t.Errorf("anywhere: %q", got)
	}
}

func TestNumbers(t *testing.T) {
	for in, want := range map[float64]string{0: "0", 1.04: "1", 1.06: "1.1", -2.5: "-2.5"} {
		if got := written("x", func(w *markup.Writer) { w.Float(in) }); got != want {
			t.Errorf("%v is written %s", in, got)
		}
	}
}

// TestTextStaysText: any text reads back as it was, and cannot leave its place.
func TestTextStaysText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.ToValidUTF8(rapid.String().Draw(t, "text"), "")
		out := written("x", func(w *markup.Writer) { w.Attr("title", s) })
		inner := strings.TrimSuffix(strings.TrimPrefix(out, ` title="`), `"`)
		if strings.ContainsAny(inner, `<>"`) {
			t.Fatalf("%q leaves its place: %q", s, out)
		}
		visible := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r == '\ufffd' || r == '\u202c' || r == '\u2069' || r < 0x20 || r == 0x7f {
					return -1
				}
				return r
			}, s)
		}
		if got := html.UnescapeString(inner); visible(got) != visible(s) {
			t.Fatalf("%q reads back as %q", s, got)
		}
		quoted := markup.AppendJSON(nil, s)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || back != s {
			t.Fatalf("%q is written %s in JSON and reads back as %q: %v", s, quoted, back, err)
		}
		if strings.ContainsAny(string(quoted), "<>&\u202e\u2067") || !utf8.Valid(quoted) {
			t.Fatalf("%s means something in HTML", quoted)
		}
	})
}

func TestData(t *testing.T) {
	got := written("x", func(w *markup.Writer) { w.Data("words", "application/json", map[string]string{"a": "</script><b>"}) })
	if want := `<script type="application/json" id="words">{"a":"\u003c/script\u003e\u003cb\u003e"}</script>` + "\n"; got != want {
		t.Errorf("%s", got)
	}
}

// TestEveryByte: each character is escaped or not as the table says, wherever it stands in a text.
func TestEveryByte(t *testing.T) {
	for c := range 0x80 {
		for at := range 17 {
			text := strings.Repeat("a", at) + string(rune(c)) + strings.Repeat("z", 16-at)
			want := text
			switch {
			case c == '&' || c == '<' || c == '>' || c == '"':
				want = html.EscapeString(text)
			case c < 0x20 && c != '\n' && c != '\t' && c != '\r', c == 0x7f:
				want = strings.Replace(text, string(rune(c)), "\ufffd", 1)
			}
			if got := written("x", func(w *markup.Writer) { w.Text(text) }); got != want {
				t.Fatalf("%q is written %q, not %q", text, got, want)
			}
			var back string
			if err := json.Unmarshal(markup.AppendJSON(nil, text), &back); err != nil || back != text {
				t.Fatalf("%q is %q in JSON: %v", text, back, err)
			}
		}
	}
}

// TestAgain: a piece is written anew for a page that reaches the root by another way, and only
// then.
func TestAgain(t *testing.T) {
	var p markup.Piece
	var w markup.Writer
	times := 0
	for _, c := range []struct {
		path, want string
		times      int
	}{
		{"a/index.html", `x href="../"`, 1}, {"b/index.html", `x href="../"`, 1}, {"a/b/index.html", `x href="../../"`, 2}, {"c/d/index.html", `x href="../../"`, 2}, {"index.html", `x href="./"`, 3},
	} {
		w.Begin([]byte("x"), c.path)
		w.Again(&p, func() {
			times++
			w.Attr("href", "/")
		})
		if got := string(w.Bytes()); got != c.want || times != c.times {
			t.Errorf("%s has %s after %d times", c.path, got, times)
		}
	}
}
