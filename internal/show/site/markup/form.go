package markup

import (
	"regexp"
	"slices"
	"strings"
)

// Form is a template that is parsed once and filled often:
//
//	<header class="opening">
//		<h1>{title}</h1>
//		<p><a href="{address}">{text}</a></p>
//	</header>
//
// Lines are joined without their indentation; a line break remains after the end of a section, a
// table or another large part. A hole is a name in braces. Between elements it takes text, a
// number, or the output of a function. In the value of an attribute it takes text; an invalid URL
// omits the attribute. Elsewhere in a tag it takes only the output of a function. URLs that begin
// with a slash belong to the site, and become relative to the page.
//
// Three sorts of holes are special. {=Title} is a text in the page's language. {lang} in a tag
// writes the attributes of text in another language. The part between {?name} and {/} is written
// only if name is filled with something: a non-empty text, a number other than 0, or a function.
type Form struct {
	holes []hole
	end   constant // the text after the last hole
	names []string // of the holes, without duplicates
}

type hole struct {
	before constant // the text before it
	name   string
	at     int      // index of its name
	attr   constant // the attribute whose whole value it is; "" for none
	fixed  string   // a URL of the site in the template: a hole, because it depends on the page
	inTag  bool     // whether it is in a tag, outside of values
	value  bool     // whether it is part of a value
	word   string   // name of a text in the page's language, or ""
	mark   mark
	end    int // of a section: index of its last hole
}

// mark is a hole that is not filled.
type mark uint8

const (
	noMark mark = iota
	languageMark
	sectionMark
	endMark
)

// Parse parses a form. It panics if the form is malformed.
func Parse(form constant) *Form {
	p := parser{text: joinLines(string(form)), value: -1}
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '<' && p.value < 0:
			p.inTag = true
		case c == '>' && p.value < 0:
			p.inTag = false
		case c == '"' && p.inTag && p.value < 0:
			p.value = i + 1
		case c == '"' && p.inTag:
			p.endValue(i)
		case c == '{':
			i = p.parseHole(i)
		}
	}
	if len(p.open) > 0 {
		panic("markup: a section without an end in " + p.text)
	}
	p.form.end = constant(p.text[p.begun:])
	return &p.form
}

// parser parses a form.
type parser struct {
	form  Form
	text  string
	begun int // where the unparsed text begins
	inTag bool
	value int   // beginning of the current value; -1 for none
	open  []int // the holes that begin the open sections
}

// endValue ends an attribute value at offset end. A URL of the site in the template becomes a hole.
func (p *parser) endValue(end int) {
	if attr := attrBefore(p.text[:p.value]); isAddress(attr) && p.begun <= p.value && p.text[p.value] == '/' {
		before := strings.TrimSuffix(p.text[p.begun:p.value], " "+attr+`="`)
		p.form.holes = append(p.form.holes, hole{
			before: constant(before), attr: constant(attr), fixed: p.text[p.value:end],
		})
		p.begun = end + 1
	}
	p.value = -1
}

// parseHole parses the hole at i, and returns its end. A hole that is a whole value is written as
// an attribute.
func (p *parser) parseHole(i int) (end int) {
	size := strings.IndexByte(p.text[i:], '}')
	if size < 2 {
		panic("markup: a hole without a name in " + p.text)
	}
	h := hole{name: p.text[i+1 : i+size], inTag: p.inTag && p.value < 0, value: p.value >= 0}
	before := p.text[p.begun:i]
	p.begun = i + size + 1
	if h.value {
		attr := attrBefore(p.text[:p.value])
		switch whole := p.value == i && strings.HasPrefix(p.text[p.begun:], `"`); {
		case whole:
			h.attr, h.value = constant(attr), false
			before = strings.TrimSuffix(before, " "+attr+`="`)
			p.begun++
			p.value = -1
		case isAddress(attr):
			panic("markup: part of an address is a placeholder in " + p.text)
		}
	}
	h.before = constant(before)
	p.name(&h)
	p.form.holes = append(p.form.holes, h)
	return p.begun - 1
}

// name determines the type of h from its name.
func (p *parser) name(h *hole) {
	switch kind, rest := h.name[0], h.name[1:]; {
	case kind == '=':
		h.word = rest
		return
	case h.name == "lang" && h.inTag:
		h.mark = languageMark
		return
	case kind == '/' && len(p.open) > 0:
		h.mark = endMark
		p.form.holes[p.open[len(p.open)-1]].end = len(p.form.holes)
		p.open = p.open[:len(p.open)-1]
		return
	case kind == '?' && !h.value:
		h.mark, h.name = sectionMark, rest
		p.open = append(p.open, len(p.form.holes))
	}
	if h.at = slices.Index(p.form.names, h.name); h.at < 0 {
		h.at = len(p.form.names)
		p.form.names = append(p.form.names, h.name)
	}
}

// endsLine matches markup that ends a large part of a page.
var endsLine = regexp.MustCompile(`</(article|details|dl|div|footer|header|html|p|section|table|tr|ul)>$`)

// joinLines returns form without line breaks and indentation.
func joinLines(form string) string {
	var b strings.Builder
	lines := strings.Split(form, "\n")
	for i, line := range lines {
		if i > 0 {
			line = strings.TrimLeft(line, "\t ")
		}
		b.WriteString(line)
	}
	if endsLine.MatchString(b.String()) {
		b.WriteByte('\n')
	}
	return b.String()
}

// attrBefore returns the name of the attribute whose value begins after text.
func attrBefore(text string) string {
	text = strings.TrimSuffix(text, `="`)
	return text[strings.LastIndexAny(text, " <")+1:]
}

func isAddress(attr string) bool { return attr == "href" || attr == "src" || attr == "action" }

// Filling is the content of a hole.
type Filling struct {
	name   constant
	text   string
	number int64
	what   filled
	write  func()
}

// filled is the type of a filling.
type filled uint8

const (
	byText filled = iota
	byValue
	byNumber
	byFunction
)

// With fills the hole with the given name with text.
func With(name constant, text string) Filling { return Filling{name: name, text: text} }

// Exactly fills a hole with the value of a form field, which the browser sends back unchanged. It
// adds nothing, not even the ends of changes of text direction.
func Exactly(name constant, text string) Filling {
	return Filling{name: name, what: byValue, text: text}
}

// Number fills a hole with n, formatted as Int does.
func Number[T int | int64](name constant, n T) Filling {
	return Filling{name: name, what: byNumber, number: int64(n)}
}

// By fills a hole with the output of write.
func By(name constant, write func()) Filling {
	return Filling{name: name, what: byFunction, write: write}
}

// When fills a hole with the output of write if is is true.
func When(is bool, name constant, write func()) Filling {
	if !is {
		write = nil
	}
	return By(name, write)
}

// ShowIf says whether a section is written.
func ShowIf(name constant, is bool) Filling { return When(is, name, func() {}) }

// Each fills a hole with the output of write for each element of list.
func Each[T any](name constant, list []T, write func(T)) Filling {
	return When(len(list) > 0, name, func() {
		for _, x := range list {
			write(x)
		}
	})
}

func (f *Filling) empty() bool {
	return f.text == "" && f.number == 0 && f.write == nil
}

// Draw writes f, a form of a picture. It fills the holes of f with the coordinates at, in order.
func (w *Writer) Draw(f *Form, at ...float64) {
	if len(at) != len(f.holes) {
		panic("markup: " + strings.Join(f.names, ", ") + " must be filled")
	}
	for i := range f.holes {
		h := &f.holes[i]
		w.b = append(w.b, h.before...)
		if h.attr != "" {
			w.b = append(append(append(w.b, ' '), h.attr...), '=', '"')
		}
		if w.Float(at[i]); h.attr != "" {
			w.b = append(w.b, '"')
		}
	}
	w.b = append(w.b, f.end...)
}

// Fill writes f with its holes filled. It panics unless the fillings match the holes.
func (w *Writer) Fill(f *Form, fillings ...Filling) {
	if len(fillings) != len(f.names) {
		panic("markup: " + strings.Join(f.names, ", ") + " are to be filled")
	}
	for i := 0; i < len(f.holes); i++ {
		h := &f.holes[i]
		w.b = append(w.b, h.before...)
		switch {
		case h.fixed != "":
			w.address(h.attr, h.fixed)
		case h.mark == languageMark:
			if w.Foreign != nil {
				w.Foreign()
			}
		case h.mark == sectionMark:
			if h.find(fillings).empty() {
				i = h.end
			}
		case h.mark == endMark:
		case h.word != "":
			text, ok := w.Texts[h.word]
			if !ok {
				panic("markup: unknown word " + h.word)
			}
			w.fill(h, &Filling{text: text})
		default:
			w.fill(h, h.find(fillings))
		}
	}
	w.b = append(w.b, f.end...)
}

func (w *Writer) fill(h *hole, f *Filling) {
	switch {
	case f.what == byFunction && h.attr == "" && !h.value:
		if f.write != nil {
			f.write()
		}
	case f.what == byNumber && h.attr == "" && !h.value && !h.inTag:
		w.Int(f.number)
	case f.what == byText && h.attr != "":
		w.Attr(h.attr, f.text)
	case f.what == byValue && h.attr != "":
		w.b = append(append(append(w.b, ' '), h.attr...), '=', '"')
		w.b = append(appendValue(w.b, f.text), '"')
	case f.what == byValue && !h.inTag:
		w.b = appendValue(w.b, f.text)
	case f.what == byText && !h.inTag:
		w.Text(f.text)
	default:
		panic("markup: " + h.name + " cannot be filled in this way")
	}
}

// find returns the filling of h. Fillings are usually in the order of the holes.
func (h *hole) find(fillings []Filling) *Filling {
	if string(fillings[h.at].name) == h.name {
		return &fillings[h.at]
	}
	for i := range fillings {
		if string(fillings[i].name) == h.name {
			return &fillings[i]
		}
	}
	panic("markup: nothing fills " + h.name)
}
