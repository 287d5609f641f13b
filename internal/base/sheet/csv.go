package sheet

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// sampleSize is the number of bytes from which the dialect is detected.
const sampleSize = 256 << 10

// dialect describes the encoding and syntax of a CSV file.
type dialect struct {
	name      string // of the encoding
	encoding  decodable
	delimiter rune
	skip      int  // lines before the table, such as Excel's sep=;
	oldMac    bool // whether lines end with CR alone
}

func openCSV(f *source, o Options) (*Table, error) {
	head := make([]byte, min(sampleSize, f.size))
	if _, err := io.ReadFull(f.reader(), head); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	d, err := findDialect(head, len(head) == sampleSize, o)
	if err != nil {
		return nil, err
	}
	t := &Table{Format: "csv", Notes: d.notes(), Delimiter: d.delimiter, Guessed: o.Encoding == "" && d.name == fallback}
	t.rows = func(yield func(Row, error) bool) { d.readRows(f.reader(), yield) }
	return t, nil
}

func (d *dialect) notes() []string {
	names := map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "bars"}
	return []string{"encoding " + d.name, "cells separated by " + cmp.Or(names[d.delimiter], fmt.Sprintf("%q", d.delimiter))}
}

// utf8Reader returns a reader of the file's text in UTF-8, without a byte-order mark, with LF line
// ends.
func (d *dialect) utf8Reader(r io.Reader) io.Reader {
	r = skipBOM(d.encoding.NewDecoder().Reader(r))
	if d.oldMac {
		r = &newlines{r}
	}
	return r
}

func skipBOM(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\ufeff" {
		b.Discard(3) // cannot fail: the bytes are buffered
	}
	return b
}

// newlines replaces CR with LF.
type newlines struct{ io.Reader }

func (l *newlines) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

func (d *dialect) newCSVReader(r io.Reader) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma, c.FieldsPerRecord, c.ReuseRecord = d.delimiter, -1, true
	return c
}

// eurostatKeys matches the first heading of Eurostat's files, whose first column has several keys.
var eurostatKeys = regexp.MustCompile(`^(\w+,)+\w+\\\w+$`)

func (d *dialect) readRows(r io.Reader, yield func(Row, error) bool) {
	limit := &limitedReader{Reader: d.utf8Reader(r), left: math.MaxInt64, what: "a row"}
	limit.reset()
	text := bufio.NewReaderSize(limit, 1<<16)
	for range d.skip {
		if _, err := text.ReadString('\n'); err != nil && !errors.Is(err, io.EOF) {
			yield(Row{}, err)
			return
		}
	}
	c := d.newCSVReader(text)
	var row Row
	first, keys := true, 0
	for {
		cells, err := c.Read()
		limit.reset()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(Row{}, d.rewordError(err))
			return
		}
		line, _ := c.FieldPos(0)
		row.Line, row.Cells = line+d.skip, row.Cells[:0]
		if first && eurostatKeys.MatchString(cells[0]) {
			keys = strings.Count(cells[0], ",") + 1
			cells[0], _, _ = strings.Cut(cells[0], `\`)
		}
		if first = false; keys > 0 {
			cells = slices.Concat(strings.SplitN(cells[0], ",", keys), cells[1:])
		}
		if len(cells) > maxColumns {
			yield(Row{}, fmt.Errorf("line %d has %d cells: %w", row.Line, len(cells), ErrLimit))
			return
		}
		for i, text := range cells {
			if !utf8.ValidString(text) {
				yield(Row{}, fmt.Errorf("line %d, cell %d is not valid %s: set the encoding of the file, such as windows-1252", row.Line, i+1, d.name))
				return
			}
			row.Cells = append(row.Cells, Cell{Text: text})
		}
		if !yield(row, nil) {
			return
		}
	}
}

// rewordError returns a CSV error with its line first, in plain words.
func (d *dialect) rewordError(err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return err
	}
	why := p.Err.Error()
	switch {
	case errors.Is(p.Err, csv.ErrBareQuote):
		why = `quotation mark inside an unquoted cell: double it and quote the cell`
	case errors.Is(p.Err, csv.ErrQuote):
		why = `unclosed quotation mark, or text between a closing quotation mark and the separator`
	}
	return fmt.Errorf("line %d, character %d: %s", p.Line+d.skip, p.Column, why)
}

// findDialect detects the dialect from the beginning of a file. Options override it.
func findDialect(head []byte, truncated bool, o Options) (*dialect, error) {
	d := &dialect{}
	if err := d.setEncoding(head, truncated, o.Encoding); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(d.utf8Reader(bytes.NewReader(head)))
	if err != nil && !truncated {
		return nil, err
	}
	if !bytes.Contains(text, []byte("\n")) && bytes.Contains(text, []byte("\r")) {
		d.oldMac = true
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	first = bytes.TrimRight(first, "\r")
	if sep, found := strings.CutPrefix(strings.ToLower(string(first)), "sep="); found && utf8.RuneCountInString(sep) == 1 {
		d.skip, text = 1, rest
		d.delimiter, _ = utf8.DecodeRuneInString(sep)
	}
	switch {
	case utf8.RuneCountInString(o.Delimiter) == 1:
		d.delimiter, _ = utf8.DecodeRuneInString(o.Delimiter)
	case o.Delimiter == `\t` || o.Delimiter == "tab":
		d.delimiter = '\t'
	case o.Delimiter != "":
		return nil, fmt.Errorf("invalid delimiter %q: write one character, or tab", o.Delimiter)
	case d.delimiter == 0:
		d.delimiter = guessDelimiter(text)
	}
	return d, nil
}

var encodings = map[string]decodable{
	"utf-8":        encoding.Nop,
	"utf-16":       utf16Encoding{ByteOrder: binary.LittleEndian},
	"utf-16le":     utf16Encoding{ByteOrder: binary.LittleEndian},
	"utf-16be":     utf16Encoding{ByteOrder: binary.BigEndian},
	"windows-1250": charmap.Windows1250, "windows-1251": charmap.Windows1251, "windows-1252": charmap.Windows1252,
	"windows-1253": charmap.Windows1253, "windows-1254": charmap.Windows1254, "windows-1256": charmap.Windows1256,
	"iso-8859-1": charmap.ISO8859_1, "iso-8859-2": charmap.ISO8859_2, "iso-8859-15": charmap.ISO8859_15,
	"macintosh": charmap.Macintosh,
}

// fallback is the encoding of files that are neither UTF-8 nor UTF-16. Alternatives lists it first,
// and then others that such a file may have.
const fallback = "windows-1252"

var Alternatives = []string{fallback, "windows-1250", "windows-1251", "windows-1253", "windows-1254", "windows-1256"}

// decodable is an encoding that tables are read from.
type decodable interface{ NewDecoder() *encoding.Decoder }

// utf16Encoding is UTF-16 without a byte-order mark.
type utf16Encoding struct {
	transform.NopResetter
	binary.ByteOrder
}

// NewDecoder returns a decoder to UTF-8.
func (u utf16Encoding) NewDecoder() *encoding.Decoder { return &encoding.Decoder{Transformer: u} }

// Transform implements transform.Transformer. It replaces unpaired surrogates, and an odd byte at
// the end.
func (u utf16Encoding) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		rest := src[nSrc:]
		if len(rest) < 4 && !atEOF {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if len(dst)-nDst < utf8.UTFMax {
			return nDst, nSrc, transform.ErrShortDst
		}
		r, size := utf8.RuneError, 1
		if len(rest) >= 2 {
			r, size = rune(u.Uint16(rest)), 2
		}
		if len(rest) >= 4 {
			if pair := utf16.DecodeRune(r, rune(u.Uint16(rest[2:]))); pair != utf8.RuneError {
				r, size = pair, 4
			}
		}
		nDst, nSrc = nDst+utf8.EncodeRune(dst[nDst:], r), nSrc+size
	}
	return nDst, nSrc, nil
}

func (d *dialect) setEncoding(head []byte, truncated bool, asked string) error {
	d.name = cmp.Or(strings.ToLower(asked), guessEncoding(head, truncated))
	var known bool
	if d.encoding, known = encodings[d.name]; !known {
		names := slices.Sorted(maps.Keys(encodings))
		return fmt.Errorf("unknown encoding %q (known: %s)", asked, strings.Join(names, ", "))
	}
	// A byte-order mark overrides the requested order.
	mark := guessEncoding(head[:min(2, len(head))], false)
	if strings.HasPrefix(d.name, "utf-16") && strings.HasPrefix(mark, "utf-16") {
		d.encoding = encodings[mark]
	}
	return nil
}

// guessEncoding recognizes UTF-16 by its byte-order mark or its zero bytes, then UTF-8. Anything
// else counts as windows-1252.
func guessEncoding(head []byte, truncated bool) string {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return "utf-16le"
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return "utf-16be"
	case len(head) >= 4 && head[1] == 0 && head[3] == 0:
		return "utf-16le"
	case len(head) >= 4 && head[0] == 0 && head[2] == 0:
		return "utf-16be"
	}
	if truncated { // the last character may be incomplete
		for range utf8.UTFMax {
			if r, size := utf8.DecodeLastRune(head); r != utf8.RuneError || size != 1 {
				break
			}
			head = head[:len(head)-1]
		}
	}
	if utf8.Valid(head) {
		return "utf-8"
	}
	return fallback
}

// guessDelimiter returns the delimiter that splits the most rows into the same number of cells.
func guessDelimiter(text []byte) rune {
	type score struct {
		by    rune
		same  int // rows with the most frequent number of cells
		cells int
	}
	var scores []score
	for _, by := range []rune{',', ';', '\t', '|'} {
		d := dialect{delimiter: by}
		c := d.newCSVReader(bytes.NewReader(text))
		counts := map[int]int{}
		for range 100 {
			cells, err := c.Read()
			if err != nil {
				break // the sample may end inside a row
			}
			if len(cells) > 1 {
				counts[len(cells)]++
			}
		}
		best := score{by: by}
		for cells, n := range counts {
			if n > best.same || n == best.same && cells > best.cells {
				best.same, best.cells = n, cells
			}
		}
		scores = append(scores, best)
	}
	return slices.MaxFunc(scores, func(a, b score) int {
		return cmp.Or(cmp.Compare(a.same, b.same), cmp.Compare(a.cells, b.cells))
	}).by
}
