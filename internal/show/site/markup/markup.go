// Package markup writes HTML and escapes everything written into it.
//
// Markup itself can only be a constant of the program. Everything else goes through Text, Attr or
// Data, which escape it. URLs are checked: links lead to pages of this site or to http, https or
// mail addresses only.
package markup

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"stele/record"
)

// constant is markup in the program. Other packages cannot name the type, so they can pass only
// untyped constants.
type constant string

// Writer writes a page. URLs of the site are given with a leading slash and written relative to the
// page, so that a site can be served from any folder.
type Writer struct {
	b       []byte
	root    string               // relative path of the root: "../../"
	Number  func(n int64) string // formats whole numbers in the page's language
	Texts   map[string]string    // texts in the page's language, for forms
	Foreign func()               // writes the attributes of text in another language
}

// Begin begins the page at path, such as signals/sig-1/index.html. The page is appended to b.
func (w *Writer) Begin(b []byte, path string) {
	w.b, w.root = b, strings.Repeat("../", strings.Count(path, "/"))
}

// BeginAnywhere begins a page that may be shown at any URL. root is the path of the site's root,
// such as /.
func (w *Writer) BeginAnywhere(root string) { w.b, w.root = nil, root }

// Bytes returns the slice given to Begin with the page appended, which w no longer uses.
func (w *Writer) Bytes() []byte {
	b := w.b
	w.b = nil
	return b
}

// Len returns the number of bytes written.
func (w *Writer) Len() int { return len(w.b) }

// Wrote reports whether the page contains text after offset since.
func (w *Writer) Wrote(since int, text string) bool { return bytes.Contains(w.b[since:], []byte(text)) }

// Piece is a part that many pages share. It contains only output of a Writer.
type Piece struct {
	b    []byte
	root string
}

// Again writes p. It calls write for the first page, and whenever the path of the root changes.
func (w *Writer) Again(p *Piece, write func()) {
	if w.Has(p) {
		w.b = append(w.b, p.b...)
		return
	}
	start := len(w.b)
	write()
	p.b, p.root = append(p.b[:0], w.b[start:]...), w.root
}

// Has reports whether p was already written for a page with the same path to the root.
func (w *Writer) Has(p *Piece) bool { return p.b != nil && p.root == w.root }

func (w *Writer) HTML(s constant) { w.b = append(w.b, s...) }

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

// Text writes s, escaped, in an element or an attribute value.
func (w *Writer) Text(s string) { w.b = appendText(w.b, s) }

// JSON writes s as a JSON string, for data in an element (not in an attribute).
func (w *Writer) JSON(s string) { w.b = AppendJSON(w.b, s) }

// WriteMembers writes members of a JSON object. list contains their names and text values,
// alternating. It omits empty values, and writes a comma before each member.
func (w *Writer) WriteMembers(list ...string) {
	for i := 0; i < len(list); i += 2 {
		if list[i+1] != "" {
			w.b = append(AppendJSON(append(w.b, ','), list[i]), ':')
			w.JSON(list[i+1])
		}
	}
}

// Attr writes a space and an attribute. It omits attributes for URLs if the URL is invalid.
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
	case record.URL(strings.Clone(value)).Valid(): // of a copy: otherwise all fillings would be allocated on the heap
	default:
		return
	}
	w.b = append(append(append(w.b, ' '), name...), '=', '"')
	w.b = append(appendText(append(w.b, root...), value), '"')
}

// Refresh writes markup that immediately redirects readers to the page at address.
func (w *Writer) Refresh(address string) {
	w.b = append(append(w.b, `<meta http-equiv="refresh" content="0; url=`...), w.root...)
	w.b = append(appendText(w.b, strings.TrimPrefix(address, "/")), `">`...)
}

// Data writes a block of data for scripts and programs.
func (w *Writer) Data(id, mediaType constant, value any) {
	data, err := json.Marshal(value) // escapes <, > and &, so that the block cannot end early
	if err != nil {
		panic("markup: " + err.Error()) // the program's own structs can be encoded
	}
	w.b = append(append(w.b, `<script type="`...), mediaType...)
	if id != "" {
		w.b = append(append(w.b, `" id="`...), id...)
	}
	w.b = append(append(append(w.b, `">`...), data...), "</script>\n"...)
}
