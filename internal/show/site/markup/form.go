package markup

import (
	"regexp"
	"slices"
	"strings"
)

// Form is markup with holes, which is parsed once and filled often:
//
//	<header class="opening">
//		<h1>{title}</h1>
//		<p><a href="{address}">{text}</a></p>
//	</header>
//
// Lines are joined, without the white space that they begin with; the end of a section, a table or
// another large part is the end of a line. A hole is a name in braces. Between elements it takes
// text, a number, or what a function writes. As a value of an attribute, or a part of one, it takes
// text; an address that is none leaves the attribute out. Anywhere else in a tag it takes only what
// a function writes.
// Addresses that begin with a slash are those of the site, and become relative to the page.
//
// Three sorts of holes mean more. {=Title} is a word of the page's language. {lang} in a tag has
// the attributes of text in another language. What stands from {?name} to {/} is written only where
// name is filled with something: a text that is not empty, a number that is not 0, a function.
type Form struct {
	holes []hole
	end   constant // what stands after the last hole
	names []string // of the holes, each once
}

type hole struct {
	before constant // what stands before it
	name   string
	at     int      // which of the names that is
	attr   constant // the attribute whose whole value it is; "" for none
	fixed  string   // an address of the site that stands in the form: a hole, because it depends on the page
	inTag  bool     // whether it stands in a tag, outside of values
	value  bool     // whether it is a part of a value
	word   string   // of the page's language; "" for none
	mark   mark
	end    int // of a section: its last hole
}

// mark is a hole that nothing is written into.
type mark uint8

const (
	noMark mark = iota
	languageMark
	sectionMark
	endMark
)

// Parse reads a form. One that is wrong is a mistake in the program.
func Parse(form constant) *Form {
	p := parser{text: joined(string(form)), value: -1}
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
			i = p.hole(i)
		}
	}
	if len(p.open) > 0 {
		panic("markup: a section without an end in " + p.text)
	}
	p.form.end = constant(p.text[p.begun:])
	return &p.form
}

// parser reads a form.
type parser struct {
	form  Form
	text  string
	begun int // where what is not in the form yet begins
	inTag bool
	value int   // where the value begins that is being read; -1 for none
	open  []int // the holes that begin the sections which are being read
}

// endValue ends a value. An address of the site that stands in the form becomes a hole.
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

// hole reads the hole that begins at i, and returns where it ends. One that is a whole value is
// written as an attribute.
func (p *parser) hole(i int) (end int) {
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
			panic("markup: a part of an address is a hole in " + p.text)
		}
	}
	h.before = constant(before)
	p.name(&h)
	p.form.holes = append(p.form.holes, h)
	return p.begun - 1
}

// name finds out what a hole is for.
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

// endsLine is markup that ends a large part of a page.
var endsLine = regexp.MustCompile(`</(article|details|dl|div|footer|header|html|p|section|table|tr|ul)>$`)

// joined is a form in one line.
func joined(form string) string {
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

// attrBefore is the name of the attribute whose value begins after a text.
func attrBefore(text string) string {
	text = strings.TrimSuffix(text, `="`)
	return text[strings.LastIndexAny(text, " <")+1:]
}

func isAddress(attr string) bool { return attr == "href" || attr == "src" || attr == "action" }

// Filling is what goes into a hole.
type Filling struct {
	name   constant
	text   string
	number int64
	what   filled
	write  func()
}

// filled says what a hole is filled with.
type filled uint8

const (
	byText filled = iota
	byValue
	byNumber
	byFunction
)

// With fills a hole with text.
func With(name constant, text string) Filling { return Filling{name: name, text: text} }

// Exactly fills a hole with the value of a field, which is sent back as it is: nothing is added to
// it, not even the ends of marks that change the direction of text.
func Exactly(name constant, text string) Filling {
	return Filling{name: name, what: byValue, text: text}
}

// Number fills a hole with a whole number, as Int writes it.
func Number[T int | int64](name constant, n T) Filling {
	return Filling{name: name, what: byNumber, number: int64(n)}
}

// By lets a function fill a hole.
func By(name constant, write func()) Filling {
	return Filling{name: name, what: byFunction, write: write}
}

// When lets a function fill a hole where something is so.
func When(is bool, name constant, write func()) Filling {
	if !is {
		write = nil
	}
	return By(name, write)
}

// If says whether a section is written.
func If(name constant, is bool) Filling { return When(is, name, func() {}) }

// Each lets a function fill a hole with each of some things.
func Each[T any](name constant, list []T, write func(T)) Filling {
	return When(len(list) > 0, name, func() {
		for _, x := range list {
			write(x)
		}
	})
}

// empty reports whether a hole is filled with nothing.
func (f *Filling) empty() bool {
	return f.text == "" && f.number == 0 && f.write == nil
}

// Draw writes a form of a picture. Its holes take coordinates, in their order.
func (w *Writer) Draw(f *Form, at ...float64) {
	if len(at) != len(f.holes) {
		panic("markup: " + strings.Join(f.names, ", ") + " are to be drawn")
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

// Fill writes a form. Every hole needs a filling, and every filling a hole; all else is a mistake
// in the program.
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
				panic("markup: there is no word " + h.word)
			}
			w.fill(h, &Filling{text: text})
		default:
			w.fill(h, h.find(fillings))
		}
	}
	w.b = append(w.b, f.end...)
}

// fill writes what a hole is filled with.
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
		panic("markup: " + h.name + " cannot be filled so")
	}
}

// find finds the filling of a hole: mostly they are given in the order of the holes.
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
