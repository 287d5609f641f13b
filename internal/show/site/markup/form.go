package markup

import (
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
// Lines are joined, without the white space that they begin with; an empty line between them is a
// line break. A hole is a name in braces. Between elements it takes text, a number, or what a
// function writes. As a value of an attribute, or a part of one, it takes text; an address that is
// none leaves the attribute out. Anywhere else in a tag it takes only what a function writes.
// Addresses that begin with a slash are those of the site, and become relative to the page.
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
}

// Parse reads a form. One that is wrong is a mistake in the program.
func Parse(form constant) *Form {
	text := joined(string(form))
	f := &Form{}
	begun, inTag, value := 0, false, -1 // where what is not in f yet begins, and the value that is being read
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '<' && value < 0:
			inTag = true
		case c == '>' && value < 0:
			inTag = false
		case c == '"' && inTag && value < 0:
			value = i + 1
		case c == '"' && inTag:
			if attr := attrBefore(text[:value]); isAddress(attr) && begun <= value && text[value] == '/' {
				before := strings.TrimSuffix(text[begun:value], " "+attr+`="`)
				f.holes = append(f.holes, hole{before: constant(before), attr: constant(attr), fixed: text[value:i]})
				begun = i + 1
			}
			value = -1
		case c == '{':
			size := strings.IndexByte(text[i:], '}')
			if size < 2 {
				panic("markup: a hole without a name in " + text)
			}
			h := hole{name: text[i+1 : i+size], inTag: inTag && value < 0, value: value >= 0}
			before := text[begun:i]
			begun = i + size + 1
			i = begun - 1
			if h.value {
				attr := attrBefore(text[:value])
				switch whole := value == begun-size-1 && strings.HasPrefix(text[begun:], `"`); {
				case whole:
					h.attr, h.value = constant(attr), false
					before = strings.TrimSuffix(before, " "+attr+`="`)
					begun++
					i, value = begun-1, -1
				case isAddress(attr):
					panic("markup: a part of an address is a hole in " + text)
				}
			}
			h.before = constant(before)
			if h.at = slices.Index(f.names, h.name); h.at < 0 {
				h.at = len(f.names)
				f.names = append(f.names, h.name)
			}
			f.holes = append(f.holes, h)
		}
	}
	f.end = constant(text[begun:])
	return f
}

// joined is a form in one line.
func joined(form string) string {
	var b strings.Builder
	lines := strings.Split(form, "\n")
	for i, line := range lines {
		if i > 0 {
			line = strings.TrimLeft(line, "\t ")
			if line == "" && i < len(lines)-1 {
				line = "\n"
			}
		}
		b.WriteString(line)
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
	byNumber
	byFunction
)

// With fills a hole with text.
func With(name constant, text string) Filling { return Filling{name: name, text: text} }

// Number fills a hole with a whole number, as Int writes it.
func Number[T int | int64](name constant, n T) Filling {
	return Filling{name: name, what: byNumber, number: int64(n)}
}

// By lets a function fill a hole.
func By(name constant, write func()) Filling {
	return Filling{name: name, what: byFunction, write: write}
}

// Fill writes a form. Every hole needs a filling, and every filling a hole; all else is a mistake
// in the program.
func (w *Writer) Fill(f *Form, fillings ...Filling) {
	if len(fillings) != len(f.names) {
		panic("markup: " + strings.Join(f.names, ", ") + " are to be filled")
	}
	for i := range f.holes {
		h := &f.holes[i]
		w.b = append(w.b, h.before...)
		if h.fixed != "" {
			w.address(h.attr, h.fixed)
			continue
		}
		filling := h.find(fillings)
		switch {
		case filling.what == byFunction && h.attr == "" && !h.value:
			filling.write()
		case filling.what == byNumber && h.attr == "" && !h.value && !h.inTag:
			w.Int(filling.number)
		case filling.what == byText && h.attr != "":
			w.Attr(h.attr, filling.text)
		case filling.what == byText && !h.inTag:
			w.Text(filling.text)
		default:
			panic("markup: " + h.name + " cannot be filled so")
		}
	}
	w.b = append(w.b, f.end...)
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
