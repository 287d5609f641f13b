package report

import (
	"bufio"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

const (
	most   = 100 // characters of a line that are shown
	before = 30  // of them, those before the position that is meant, in a longer line
)

// quoter quotes from files. Asked in the order of files, lines and columns, it reads each file
// once; and it keeps little of a line, which can be as long as its file.
type quoter struct {
	files   fs.FS
	name    string
	open    fs.File
	r       *bufio.Reader
	line    int    // the number of the current line; 0 before the first
	skipped int    // characters of the line before those in text
	text    []rune // what is kept of the line
	ended   bool   // whether the text goes to the end of the line
}

// excerpt is a piece of a line with what is meant in it.
type excerpt struct {
	text          string
	indent, width int // of the mark below it, in columns of the terminal
}

// excerpt takes the piece of a line around a column that fits on a screen. It is not ok where there
// is none: the problem then stands without.
func (q *quoter) excerpt(name string, line, column, width int) (e excerpt, ok bool) {
	from := max(0, column-1)
	if line <= 0 || q.files == nil || !q.find(name, line, from) {
		return e, false
	}
	q.fill(from)
	length := q.skipped + len(q.text) // of the line, or as much of it as matters
	from = min(from, length)
	start, end := max(0, min(from-before, length-most)), length
	if !q.ended || length > most {
		end = min(length, start+most)
	}
	to := min(max(from+width, from+1), max(end, from+1), length)
	piece := func(a, b int) string { return Printable(string(q.text[a-q.skipped : max(a, b)-q.skipped])) }
	text, head := piece(start, end), piece(start, from)
	if start > 0 {
		text, head = "…"+text, "…"+head
	}
	if end < length || !q.ended {
		text += "…"
	}
	return excerpt{text, uniseg.StringWidth(head), max(1, uniseg.StringWidth(piece(from, to)))}, true
}

// find goes to a line, in which the text at a position must still be to come or be kept.
func (q *quoter) find(name string, line, from int) bool {
	if name != q.name || line < q.line || line == q.line && max(0, from-most) < q.skipped {
		q.close()
		f, err := q.files.Open(name)
		if err != nil {
			return false
		}
		q.name, q.open, q.r = name, f, bufio.NewReaderSize(f, 64<<10)
	}
	for q.line < line {
		if !q.next() {
			return false
		}
	}
	return true
}

// next goes to the next line, if there is one.
func (q *quoter) next() bool {
	for err := bufio.ErrBufferFull; q.line > 0 && !q.ended && err == bufio.ErrBufferFull; {
		_, err = q.r.ReadSlice('\n')
	}
	if _, err := q.r.Peek(1); err != nil {
		return false
	}
	if start, _ := q.r.Peek(len("\ufeff")); q.line == 0 && string(start) == "\ufeff" {
		q.r.Discard(len(start))
	}
	q.line, q.skipped, q.text, q.ended = q.line+1, 0, q.text[:0], false
	return true
}

// fill reads on to what is shown of a position in the line, and forgets what is far before it.
func (q *quoter) fill(from int) {
	for !q.ended && q.skipped+len(q.text) <= from+most {
		r, _, err := q.r.ReadRune()
		if q.ended = err != nil || r == '\n'; !q.ended {
			q.text = append(q.text, r)
		} else if n := len(q.text); n > 0 && q.text[n-1] == '\r' {
			q.text = q.text[:n-1]
		}
		if far := min(from-most-q.skipped, len(q.text)); far > 0 && len(q.text) > 40*most {
			q.text, q.skipped = slices.Delete(q.text, 0, far), q.skipped+far
		}
	}
}

func (q *quoter) close() {
	if q.open != nil {
		q.open.Close()
	}
	*q = quoter{files: q.files, text: q.text[:0]}
}

// Printable replaces what could steer a terminal or turn the direction of what is written, in a
// line of text: what stands in files, and what a service answers, is anybody's.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case visible(r):
			return r
		}
		return '·'
	}, s)
}

func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.Is(unicode.Bidi_Control, r) }
