package report

import (
	"bufio"
	"bytes"
	"io/fs"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

const (
	most   = 100 // characters of a line that are shown
	before = 30  // of them, those before the position that is meant, in a longer line
)

// quoter quotes from files. Asked in the order of files and lines, it reads each file once.
type quoter struct {
	files fs.FS
	name  string
	open  fs.File
	r     *bufio.Reader
	line  int    // the number of the current line; 0 before the first
	text  []rune // what is kept of the line
	ended bool   // whether that is all of it
}

// excerpt is a piece of a line with what is meant in it.
type excerpt struct {
	text          string
	indent, width int // of the mark below it, in columns of the terminal
}

// excerpt takes the piece of a line around a column that fits on a screen. It is not ok where there
// is none: the problem then stands without.
func (q *quoter) excerpt(name string, line, column, width int) (e excerpt, ok bool) {
	if line <= 0 || q.files == nil || !q.find(name, line) {
		return e, false
	}
	length := len(q.text)
	from := min(max(0, column-1), length)
	start := max(0, min(from-before, length-most))
	end := min(length, start+most)
	to := min(max(from+width, from+1), max(end, from+1), length)
	piece := func(a, b int) string { return Printable(string(q.text[a:max(a, b)])) }
	text, head := piece(start, end), piece(start, from)
	if start > 0 {
		text, head = "…"+text, "…"+head
	}
	if end < length || !q.ended {
		text += "…"
	}
	return excerpt{text, uniseg.StringWidth(head), max(1, uniseg.StringWidth(piece(from, to)))}, true
}

// find goes to a line.
func (q *quoter) find(name string, line int) bool {
	if name != q.name || line < q.line {
		q.close()
		f, err := q.files.Open(name)
		if err != nil {
			return false
		}
		q.name, q.open, q.r = name, f, bufio.NewReaderSize(f, 64<<10)
	}
	var text []byte
	for q.line < line {
		var ok bool
		if text, ok = q.next(text[:0]); !ok {
			return false
		}
		if q.line == line {
			q.text = []rune(string(bytes.TrimRight(text, "\r\n")))
		}
	}
	return true
}

// longest is how much is kept of a line, which can be as long as its file.
const longest = 4 << 20

// next reads the next line, if there is one.
func (q *quoter) next(text []byte) (_ []byte, ok bool) {
	err := bufio.ErrBufferFull
	for q.ended = true; err == bufio.ErrBufferFull; {
		var piece []byte
		piece, err = q.r.ReadSlice('\n')
		if q.ended = len(text)+len(piece) <= longest; q.ended {
			text = append(text, piece...)
		}
	}
	if err != nil && len(text) == 0 {
		return nil, false
	}
	if q.line++; q.line == 1 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	return text, true
}

func (q *quoter) close() {
	if q.open != nil {
		q.open.Close()
	}
	*q = quoter{files: q.files}
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
