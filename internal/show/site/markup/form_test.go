package markup

import (
	"testing"
)

var testForm = Parse(`
	<p class="a {class}" title="{title}"{more}>
		<a href="{address}" rel="x">{title}</a> <a href="/">{rest}</a>
	</p>

	`)

func TestForm(t *testing.T) {
	for _, c := range []struct{ address, want string }{
		{"/b/", `<p class="a &#34;b" title="c &lt; d" hidden><a href="../b/" rel="x">c &lt; d</a> <a href="../"><br></a></p>` + "\n"},
		{"javascript:alert(1)", `<p class="a &#34;b" title="c &lt; d" hidden><a rel="x">c &lt; d</a> <a href="../"><br></a></p>` + "\n"},
	} {
		var w Writer
		w.Begin(nil, "x/index.html")
		w.Fill(testForm, By("rest", func() { w.HTML("<br>") }), With("class", `"b`), With("title", "c < d"),
			By("more", func() { w.HTML(" hidden") }), With("address", c.address))
		if got := string(w.Bytes()); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestSections: words stand where forms name them, and a section only where its hole is filled.
func TestSections(t *testing.T) {
	f := Parse(`<p{?open} open{/}{lang} title="{=Title}">{?a}[{a} {?n}{n}{/}]{/}{?all}({all}){/}`)
	w := Writer{Texts: map[string]string{"Title": "a \" b"}}
	w.Foreign = func() { w.Attr("lang", "x") }
	write := func(s string) { w.Text(s) }
	w.Fill(f, ShowIf("open", true), With("a", "<"), Number("n", 0), Each("all", []string{"1", "2"}, write))
	w.Fill(f, ShowIf("open", false), With("a", ""), Number("n", 1), Each("all", nil, write))
	want := `<p open lang="x" title="a &#34; b">[&lt; ](12)<p lang="x" title="a &#34; b">`
	if got := string(w.Bytes()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestWrongForms: mistakes are found when the form is read, or when it is first filled.
func TestWrongForms(t *testing.T) {
	var w Writer
	for name, do := range map[string]func(){
		"no name":                  func() { Parse("<p>{}</p>") },
		"no end":                   func() { Parse("<p>{a</p>") },
		"a section without an end": func() { Parse("<p>{?a}b</p>") },
		"an end without a section": func() { w.Fill(Parse("<p>b{/}</p>")) },
		"a word that there is not": func() { w.Fill(Parse("<p>{=A}</p>")) },
		"a part of an address":     func() { Parse(`<a href="/x/{id}/">`) },
		"a part of a source":       func() { Parse(`<img alt="" src="{a}.svg">`) },
		"text in a tag":            func() { w.Fill(Parse("<p {a}>"), With("a", "b")) },
		"a number in a tag":        func() { w.Fill(Parse("<p {a}>"), Number("a", 1)) },
		"a number in a value":      func() { w.Fill(Parse(`<p class="{a}">`), Number("a", 1)) },
		"a function in a value":    func() { w.Fill(Parse(`<p class="{a}">`), By("a", func() {})) },
		"a function in a part":     func() { w.Fill(Parse(`<p class="x {a}">`), By("a", func() {})) },
		"too few":                  func() { w.Fill(Parse("<p>{a}{b}"), With("a", "")) },
		"too many":                 func() { w.Fill(Parse("<p>{a}"), With("a", ""), With("b", "")) },
		"another":                  func() { w.Fill(Parse("<p>{a}"), With("b", "")) },
		"one twice, another never": func() { w.Fill(Parse("<p>{a}{b}"), With("a", ""), With("a", "")) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nobody notices", name)
				}
			}()
			do()
		}()
	}
}

// TestDraw: coordinates stand where the holes are, in their order, and each has one.
func TestDraw(t *testing.T) {
	dot := Parse(`<circle cx="{x}" d="M{x} {y}"/>{y}`)
	var w Writer
	w.Draw(dot, 1, 2.25, -0.5, 4)
	if got, want := string(w.Bytes()), `<circle cx="1" d="M2.2 -0.5"/>4`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a hole without a coordinate is drawn")
		}
	}()
	w.Draw(dot, 1)
}

// TestMembers: members without a text are left out, and none can end the element that they are in.
func TestMembers(t *testing.T) {
	var w Writer
	w.WriteMembers("a", "</script>", "b", "", "c", "\"")
	if got, want := string(w.Bytes()), `,"a":"\u003c/script\u003e","c":"\""`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
