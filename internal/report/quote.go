package report

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// quoter reads lines out of files, each file once, if it is asked in their order.
type quoter struct {
	files fs.FS
	name  string
	open  fs.File
	r     *bufio.Reader
	at    int
	text  string
}

// line is the text of a line, or not ok where that cannot be had: the problem then stands without it.
func (q *quoter) line(name string, n int) (string, bool) {
	if n <= 0 || q.files == nil {
		return "", false
	}
	if name != q.name || n < q.at {
		q.close()
		f, err := q.files.Open(name)
		if err != nil {
			return "", false
		}
		q.name, q.open, q.r, q.at = name, f, bufio.NewReader(f), 0
	}
	for q.at < n {
		text, err := readLine(q.r)
		if err != nil {
			return "", false
		}
		q.at, q.text = q.at+1, text
	}
	return q.text, true
}

func (q *quoter) close() {
	if q.open != nil {
		q.open.Close() // it was only read
	}
	*q = quoter{files: q.files}
}

// readLine reads a line but keeps no more of it than anybody wants to see.
func readLine(r *bufio.Reader) (string, error) {
	const most = 64 << 10
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		if b.Len() < most {
			b.Write(part)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && b.Len() > 0:
			return strings.TrimRight(strings.TrimPrefix(b.String(), "\ufeff"), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// excerpt is a piece of a line with what is meant in it.
type excerpt struct {
	text          string
	indent, width int // of the mark below it, in columns of the terminal
}

// cut takes the piece of a line around a column that fits on a screen.
func cut(line string, column, width int) excerpt {
	const most, before = 100, 30
	runes := []rune(printable(line))
	from := max(0, min(column-1, len(runes)))
	start, end := 0, len(runes)
	if len(runes) > most {
		start = max(0, min(from-before, len(runes)-most))
		end = min(len(runes), start+most)
	}
	to := min(max(from+width, from+1), max(end, from+1))
	text, head := string(runes[start:end]), string(runes[start:from])
	marked := string(runes[from:min(to, len(runes))])
	if start > 0 {
		text, head = "…"+text, "…"+head
	}
	if end < len(runes) {
		text += "…"
	}
	return excerpt{text, uniseg.StringWidth(head), max(1, uniseg.StringWidth(marked))}
}

// printable replaces what could steer a terminal; text in files is anybody's.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsGraphic(r) && !unicode.Is(unicode.Bidi_Control, r):
			return r
		}
		return '·'
	}, s)
}
