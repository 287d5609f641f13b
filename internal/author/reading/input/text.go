package input

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// cursor turns offsets that only grow into lines and columns, looking at each byte once.
type cursor struct {
	data   []byte
	offset int
	at     schema.Pos
	plain  bool // one line of ASCII, where nothing has to be counted
}

func newCursor(data []byte, line int32) cursor {
	plain := ascii(data) && bytes.IndexByte(data, '\n') < 0
	return cursor{data: data, at: schema.Pos{Line: line, Column: 1}, plain: plain}
}

// move goes forward to an offset and says where that is.
func (c *cursor) move(offset int) schema.Pos {
	if c.plain {
		c.offset = max(c.offset, min(offset, len(c.data)))
		c.at.Column = int32(c.offset) + 1
		return c.at
	}
	passed := c.data[c.offset:max(c.offset, min(offset, len(c.data)))]
	if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
		c.at.Line += int32(bytes.Count(passed, []byte{'\n'}))
		c.at.Column = 1
		c.offset += last + 1
		passed = passed[last+1:]
	}
	c.at.Column += int32(utf8.RuneCount(passed))
	c.offset += len(passed)
	return c.at
}

// ascii reports whether no byte is above 127, eight at a time.
func ascii(data []byte) bool {
	for len(data) >= 8 {
		if binary.LittleEndian.Uint64(data)&0x8080808080808080 != 0 {
			return false
		}
		data = data[8:]
	}
	for _, c := range data {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var utf8BOM = []byte("\ufeff")

// checkText finds what keeps bytes from being plain UTF-8 text: the first such position, or nil.
// Tabs and line breaks are the only control characters that text has.
func checkText(file string, data []byte, line int32) *schema.Problem {
	bad := firstBad(data)
	if bad < 0 {
		return nil
	}
	p := newCursor(data, line)
	at := p.move(bad)
	var problem *schema.Problem
	switch {
	case isUTF16(data):
		problem = fault(codes.NotText, file, at, "the file is in UTF-16", "save it as UTF-8")
	case data[bad] < utf8.RuneSelf:
		problem = fault(codes.NotText, file, at, fmt.Sprintf("control character U+%04X", data[bad]), "delete it")
	default:
		problem = fault(codes.NotText, file, at, fmt.Sprintf("byte 0x%02X is not UTF-8", data[bad]), "save the file as UTF-8; it may be in Windows-1252 or Latin-1 now")
	}
	problem.Width = 1
	return problem
}

// oldMac finds that the lines of a text end as they did on Macs before 2001: CR stands inside what
// should be its first line.
func oldMac(file string, start []byte) *schema.Problem {
	line, _, _ := bytes.Cut(start, []byte{'\n'})
	if at := bytes.IndexByte(line, '\r'); at < 0 || at == len(line)-1 {
		return nil
	}
	return fault(codes.NotText, file, schema.Pos{}, "its lines end in CR alone, as on old Macs", "save it with the line ends of Unix (LF) or Windows (CR LF)")
}

func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff})
}

func firstBad(data []byte) int {
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c < utf8.RuneSelf:
			if jsonline.IsControl(rune(c)) {
				return i
			}
			i++
		default:
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && size == 1 {
				return i
			}
			i += size
		}
	}
	return -1
}

// hasControl reports whether a text holds a control character, as escapes can write them.
func hasControl(text string) bool { return strings.ContainsFunc(text, jsonline.IsControl) }

// isConflict reports whether a line is one of those that Git leaves where it could not merge.
func isConflict(line string) bool {
	line = strings.TrimRight(line, "\r\n")
	return strings.HasPrefix(line, "<<<<<<< ") || line == "=======" || strings.HasPrefix(line, ">>>>>>> ")
}

// firstConflict returns the number of the first line of a conflict; 0 where there is none.
func firstConflict(data []byte) int32 {
	n := int32(0)
	for line := range bytes.Lines(data) {
		if n++; isConflict(string(line)) {
			return n
		}
	}
	return 0
}

func conflictProblem(file string, line int32) *schema.Problem {
	return fault(codes.Malformed, file, schema.Pos{Line: line}, "a merge conflict that is not resolved",
		"choose between the two parts, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>")
}
