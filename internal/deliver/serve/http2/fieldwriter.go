package http2

import (
	"bytes"
	"strconv"
)

// fieldWriter encodes the heads of answers (HPACK, RFC 7541). Each connection has its own
// fieldWriter, which tracks the client's dynamic table: header lines that many answers share are
// sent once, and as an index afterwards. Nothing is evicted from the table, so that indexes are
// easy to compute.
type fieldWriter struct {
	blocks []fieldBlock
	used   int  // bytes of the client's table
	count  int  // number of lines in it
	off    bool // whether the table is not used
	tell   bool // whether to tell the client that its table is empty
}

type fieldBlock struct {
	lines []byte
	first int // index of the first line, counted from the oldest
	count int
}

// setTableSize sets the size of the client's table. A table smaller than the default is not used.
func (w *fieldWriter) setTableSize(size uint32) {
	if size < firstTable && !w.off {
		*w = fieldWriter{off: true, tell: true}
	}
}

// Indexes of names in the static table (RFC 7541, appendix A).
var staticNames = map[string]byte{
	"accept-ranges": 18, "access-control-allow-origin": 20, "allow": 22, "cache-control": 24, "content-encoding": 26, "content-length": 28, "content-range": 30,
	"content-type": 31, "date": 33, "etag": 34, "last-modified": 44, "link": 45, "vary": 59,
}

const (
	firstDynamic = 62 // index of the newest line in the client's table
	statusName   = 8

	asNumber   = 0x80 // a line in the client's table
	toBeKept   = 0x40 // a line to add to the client's table
	notKept    = 0x00
	emptyTable = 0x20

	numberBits  = 7 // of the first byte, in these forms
	toKeepBits  = 6
	notKeptBits = 4
	textBits    = 7
)

func (w *fieldWriter) appendStatus(b []byte, status int) []byte {
	if w.tell {
		b, w.tell = append(b, emptyTable), false
	}
	for i, known := range [...]int{200, 204, 206, 304, 400, 404, 500} {
		if status == known {
			return append(b, asNumber|byte(statusName+i))
		}
	}
	return strconv.AppendInt(append(b, notKept|statusName, 3), int64(status), 10)
}

func (w *fieldWriter) appendShared(b, lines []byte) []byte {
	for i := range w.blocks {
		if k := &w.blocks[i]; bytes.Equal(k.lines, lines) {
			for n := range k.count {
				b = appendNumber(b, asNumber, numberBits, firstDynamic+w.count-1-k.first-n)
			}
			return b
		}
	}
	if !w.addToTable(lines) {
		return appendLines(b, lines)
	}
	return appendFieldLines(b, lines, toBeKept, toKeepBits)
}

// addToTable adds lines to the client's table, and reports whether they fit.
func (w *fieldWriter) addToTable(lines []byte) bool {
	if w.off {
		return false
	}
	count, size := 0, 0
	for name, value := range headerLines(lines) {
		count++
		size += len(name) + len(value) + 32
	}
	if w.used+size > firstTable {
		return false
	}
	w.blocks = append(w.blocks, fieldBlock{bytes.Clone(lines), w.count, count})
	w.used += size
	w.count += count
	return true
}

func headerLines(lines []byte) func(yield func(name, value []byte) bool) {
	return func(yield func(name, value []byte) bool) {
		for len(lines) > 0 {
			end := bytes.IndexByte(lines, '\r')
			colon := bytes.IndexByte(lines, ':')
			if !yield(lines[:colon], lines[colon+len(": "):end]) {
				return
			}
			lines = lines[end+len("\r\n"):]
		}
	}
}

// appendLines writes lines that the client does not add to its table.
func appendLines(b, lines []byte) []byte { return appendFieldLines(b, lines, notKept, notKeptBits) }

func appendDate(b []byte, line string) []byte {
	value := line[len("Date: ") : len(line)-len("\r\n")]
	b = appendNumber(b, notKept, notKeptBits, int(staticNames["date"]))
	return append(appendNumber(b, 0, textBits, len(value)), value...)
}

func appendContentLength(b []byte, n int64) []byte {
	b = appendNumber(b, notKept, notKeptBits, int(staticNames["content-length"]))
	at := len(b) + 1
	b = strconv.AppendInt(append(b, 0), n, 10)
	b[at-1] = byte(len(b) - at) // at most nineteen digits
	return b
}

func appendFieldLines(b, lines []byte, form byte, bits int) []byte {
	var room [64]byte
	for name, value := range headerLines(lines) {
		lower := room[:0]
		for _, c := range name {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			lower = append(lower, c)
		}
		if number, ok := staticNames[string(lower)]; ok {
			b = appendNumber(b, form, bits, int(number))
		} else {
			b = appendText(append(b, form), lower)
		}
		b = appendText(b, value)
	}
	return b
}

func appendText(b, text []byte) []byte {
	return append(appendNumber(b, 0, textBits, len(text)), text...)
}

// appendNumber writes a number, whose first bits share a byte with before.
func appendNumber(b []byte, before byte, bits, n int) []byte {
	most := 1<<bits - 1
	if n < most {
		return append(b, before|byte(n))
	}
	b = append(b, before|byte(most))
	for n -= most; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}
