// Package markup writes HTML that cannot be broken by what is written into it.
//
// Markup itself can only be a constant of the program. Everything else goes through Text, Attr or
// Data, which escape it. Addresses are checked, so that a link leads to a page of this site or to
// an http, https or mail address, and to nothing else.
package markup

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"stele/record"
)

// constant is markup that stands in the program. Other packages cannot name the type, so that they
// can pass untyped constants only.
type constant string

// Writer writes a page. Addresses within the site are given from its root, with a slash before
// them, and written relative to the page, so that a site may be served from any folder.
type Writer struct {
	b       []byte
	root    string               // how the page reaches the root: "../../"
	Number  func(n int64) string // writes whole numbers as the page's language does
	Texts   map[string]string    // words of the page's language, for forms
	Foreign func()               // writes the attributes of text in another language
}

// Begin begins a page at a path, such as signals/sig-1/index.html. It is appended to b.
func (w *Writer) Begin(b []byte, path string) {
	w.b, w.root = b, strings.Repeat("../", strings.Count(path, "/"))
}

// BeginAnywhere begins a page that is shown at any address: it reaches the root by a path of its
// own, such as /.
func (w *Writer) BeginAnywhere(root string) { w.b, w.root = nil, root }

// Bytes returns what was written, after what the page was appended to. They are not the writer's
// any more.
func (w *Writer) Bytes() []byte {
	b := w.b
	w.b = nil
	return b
}

// Len returns how many bytes were written.
func (w *Writer) Len() int { return len(w.b) }

// Wrote reports whether a text is in what was written since the page had a length.
func (w *Writer) Wrote(since int, text string) bool { return bytes.Contains(w.b[since:], []byte(text)) }

// Piece is a part that many pages have alike. It holds only what a Writer wrote, and so is as safe
// as that.
type Piece struct {
	b    []byte
	root string
}

// Again writes a piece. What it is, write says for the first page, and for one that lies elsewhere
// than the page before.
func (w *Writer) Again(p *Piece, write func()) {
	if w.Has(p) {
		w.b = append(w.b, p.b...)
		return
	}
	start := len(w.b)
	write()
	p.b, p.root = append(p.b[:0], w.b[start:]...), w.root
}

// Has reports whether a piece was written, and for a page that reaches the root as this one does.
func (w *Writer) Has(p *Piece) bool { return p.b != nil && p.root == w.root }

// HTML writes markup of the program's own.
func (w *Writer) HTML(s constant) { w.b = append(w.b, s...) }

// Either writes one of two.
func (w *Writer) Either(first bool, s, otherwise constant) {
	if !first {
		s = otherwise
	}
	w.HTML(s)
}

// Int writes a whole number.
func (w *Writer) Int(n int64) { w.Text(w.Number(n)) }

// Float writes a coordinate of a picture, rounded to a tenth.
func (w *Writer) Float(f float64) {
	if whole := int64(f); float64(whole) == f && whole != 0 { // zero may be negative
		w.b = strconv.AppendInt(w.b, whole, 10)
		return
	}
	w.b = strconv.AppendFloat(w.b, f, 'f', 1, 64)
	w.b = bytes.TrimSuffix(w.b, []byte(".0"))
}

// Text writes text, in an element or between quotation marks.
func (w *Writer) Text(s string) { w.b = appendText(w.b, s) }

// JSON writes text as a JSON string, for data in a page and for JSON that a page shows. It stands
// in an element, not in an attribute.
func (w *Writer) JSON(s string) { w.b = AppendJSON(w.b, s) }

// Members writes members of a JSON object that hold text, without those that are empty: a name, its
// text, and so on. A comma stands before each.
func (w *Writer) Members(list ...string) {
	for i := 0; i < len(list); i += 2 {
		if list[i+1] != "" {
			w.b = append(AppendJSON(append(w.b, ','), list[i]), ':')
			w.JSON(list[i+1])
		}
	}
}

// Attr writes an attribute with a space before it. An address that is none is left out, so that
// there is no link.
func (w *Writer) Attr(name constant, value string) {
	if isAddress(string(name)) {
		w.address(name, value)
		return
	}
	w.b = append(append(append(w.b, ' '), name...), '=', '"')
	w.b = append(appendText(w.b, value), '"')
}

func (w *Writer) address(name constant, value string) {
	root := ""
	switch {
	case value == "/" && w.root == "":
		value = "./"
	case strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "//") && !strings.Contains(value, `\`):
		root, value = w.root, value[1:]
	case strings.HasPrefix(value, "#"), strings.HasPrefix(value, "mailto:"):
	case record.URL(strings.Clone(value)).Valid(): // of a copy: else all that fills a form would go to the heap
	default:
		return
	}
	w.b = append(append(append(w.b, ' '), name...), '=', '"')
	w.b = append(appendText(append(w.b, root...), value), '"')
}

// Refresh leads a reader on to another page of the site at once.
func (w *Writer) Refresh(address string) {
	w.b = append(append(w.b, `<meta http-equiv="refresh" content="0; url=`...), w.root...)
	w.b = append(appendText(w.b, strings.TrimPrefix(address, "/")), `">`...)
}

// Data writes a block of data that scripts and machines read. The type is that of the data.
func (w *Writer) Data(id, mediaType constant, value any) {
	data, err := json.Marshal(value) // escapes <, > and &, so that the block cannot be left
	if err != nil {
		panic("markup: " + err.Error()) // the program's own structs can be encoded
	}
	w.b = append(append(w.b, `<script type="`...), mediaType...)
	if id != "" {
		w.b = append(append(w.b, `" id="`...), id...)
	}
	w.b = append(append(append(w.b, `">`...), data...), "</script>\n"...)
}
