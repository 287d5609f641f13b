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

// cursor converts increasing offsets to lines and columns, reading each byte once.
type cursor struct {
	data   []byte
	offset int
	at     schema.Pos
	plain  bool // the text is one line of ASCII, so that offsets are columns
}

func newCursor(data []byte, line int32) cursor {
	plain := isASCII(data) && bytes.IndexByte(data, '\n') < 0
	return cursor{data: data, at: schema.Pos{Line: line, Column: 1}, plain: plain}
}

// moveTo moves forward to an offset and returns its position.
func (c *cursor) moveTo(offset int) schema.Pos {
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

// isASCII reports whether all bytes are below 128, eight at a time.
func isASCII(data []byte) bool {
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

// checkText returns the first problem that makes bytes invalid as UTF-8 text, or nil. Tabs and line
// breaks are the only control characters allowed.
func checkText(file string, data []byte, line int32) *schema.Problem {
	bad := firstInvalid(data)
	if bad < 0 {
		return nil
	}
	p := newCursor(data, line)
	at := p.moveTo(bad)
	var problem *schema.Problem
	switch {
	case isUTF16(data):
		problem = newProblem(codes.NotText, file, at, "the file is in UTF-16", "save it as UTF-8")
	case data[bad] < utf8.RuneSelf:
		problem = newProblem(codes.NotText, file, at, fmt.Sprintf("control character U+%04X", data[bad]), "delete it")
	default:
		problem = newProblem(codes.NotText, file, at, fmt.Sprintf("byte 0x%02X is not UTF-8", data[bad]), "save the file as UTF-8; it may be in Windows-1252 or Latin-1 now")
	}
	problem.Width = 1
	return problem
}

// checkLineEnds reports lines that end in CR only, as on Macs before 2001.
func checkLineEnds(file string, start []byte) *schema.Problem {
	line, _, _ := bytes.Cut(start, []byte{'\n'})
	if at := bytes.IndexByte(line, '\r'); at < 0 || at == len(line)-1 {
		return nil
	}
	return newProblem(codes.NotText, file, schema.Pos{}, "the lines end in CR only, as on old Macs", "save it with Unix (LF) or Windows (CR LF) line endings")
}

func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff})
}

func firstInvalid(data []byte) int {
	for i, size := 0, 0; i < len(data); i += size {
		r := rune(data[i])
		if size = 1; r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(data[i:])
		}
		if jsonline.IsControl(r) || r == utf8.RuneError && size == 1 {
			return i
		}
	}
	return -1
}

// hasControl reports whether text contains a control character. Escape sequences can produce one.
func hasControl(text string) bool { return strings.ContainsFunc(text, jsonline.IsControl) }

// isConflict reports whether line is a Git conflict marker.
func isConflict(line string) bool {
	line = strings.TrimRight(line, "\r\n")
	return strings.HasPrefix(line, "<<<<<<< ") || line == "=======" || strings.HasPrefix(line, ">>>>>>> ")
}

// firstConflict returns the number of the first line with a Git conflict marker, or 0.
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
	return newProblem(codes.Malformed, file, schema.Pos{Line: line}, "unresolved merge conflict",
		"choose between the two parts, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>")
}
