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
	most   = 100 // maximum number of characters to show of a line
	before = 30  // number of characters before the position, in a longer line
)

// quoter quotes lines of files. If the calls are in the order of files and lines, it reads each
// file once.
type quoter struct {
	files fs.FS
	name  string
	open  fs.File
	r     *bufio.Reader
	line  int    // number of the current line; 0 before the first
	text  []rune // the start of the line
	ended bool   // whether text is the whole line
}

// excerpt is a part of a line and the position of the mark below it.
type excerpt struct {
	text          string
	indent, width int // of the mark, in terminal columns
}

// findExcerpt returns the part of a line around a column that fits on a screen. ok is false if the
// line does not exist.
func (q *quoter) findExcerpt(name string, line, column, width int) (e excerpt, ok bool) {
	if line <= 0 || q.files == nil || !q.seekLine(name, line) {
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

// seekLine reads up to a line of the file name, and reports whether the line exists.
func (q *quoter) seekLine(name string, line int) bool {
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
		if text, ok = q.readLine(text[:0]); !ok {
			return false
		}
		if q.line == line {
			q.text = []rune(string(bytes.TrimRight(text, "\r\n")))
		}
	}
	return true
}

// longest is the maximum number of bytes to store of a line.
const longest = 4 << 20

// readLine reads the next line, if there is one.
func (q *quoter) readLine(text []byte) (_ []byte, ok bool) {
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

// Printable replaces the characters of a line that could control a terminal or change the direction
// of text, because files and servers may contain anything.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case isVisible(r):
			return r
		}
		return '·'
	}, s)
}

func isVisible(r rune) bool { return unicode.IsGraphic(r) && !unicode.Is(unicode.Bidi_Control, r) }
