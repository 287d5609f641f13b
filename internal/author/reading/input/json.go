package input

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)) // they are reported later
}

// readJSON yields the record, or each record of the list, in a JSON file.
func (p *Reader) readJSON(f *file, data []byte) {
	if problem := checkText(f.Path, data, 1); problem != nil {
		p.yieldProblem(f, problem)
		return
	}
	text, dec, cursor := string(data), newDecoder(data), newCursor(data, 1)
	list := dec.PeekKind() == '['
	if list {
		_, _ = dec.ReadToken() // the token was checked before
	}
	for !list || dec.PeekKind() != ']' {
		start := nextToken(data, dec)
		at := cursor.moveTo(start)
		if _, err := dec.ReadValue(); err != nil {
			if bytes.HasPrefix(data[start:], []byte("]")) { // after a comma
				p.yieldProblem(f, decoderProblem(f.Path, data, schema.Pos{Line: 1, Column: 1}, err))
			} else {
				p.yieldProblem(f, jsonProblem(f.Path, data[start:], at))
			}
			return
		}
		end := dec.InputOffset()
		if p.tree.ScanJSONAt(f.Path, text[start:end], at) {
			p.yieldRecord(f)
		} else { // the rest can still be read
			p.yieldProblem(f, jsonProblem(f.Path, data[start:end], at))
		}
		if !list {
			break
		}
	}
	if list {
		if _, err := dec.ReadToken(); err != nil {
			p.yieldProblem(f, decoderProblem(f.Path, data, schema.Pos{Line: 1, Column: 1}, err))
			return
		}
	}
	at := cursor.moveTo(nextToken(data, dec))
	if _, err := dec.ReadToken(); err != io.EOF {
		p.yieldProblem(f, newProblem(codes.Malformed, f.Path, at, "a JSON file must contain one record or one list of records, but more follows here", "put the records into a list, or into an .ndjson file with one record per line"))
	}
}

// readNDJSON yields the record on each line.
func (p *Reader) readNDJSON(f *file, lines string, line int32) {
	for ; lines != ""; line++ {
		var text string
		text, lines, _ = strings.Cut(lines, "\n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		at := schema.Pos{Line: line, Column: 1}
		if p.tree.ScanJSONAt(f.Path, text, at) {
			p.yieldRecord(f)
		} else {
			p.yieldProblem(f, jsonProblem(f.Path, []byte(text), at))
		}
	}
}

// nextToken returns the offset of the decoder's next token in data.
func nextToken(data []byte, dec *jsontext.Decoder) int {
	i := int(dec.InputOffset())
	return i + len(data[i:]) - len(bytes.TrimLeft(data[i:], " \t\r\n,:"))
}

// jsonProblem returns the problem of a JSON text that begins at a position: a syntax error, or
// content that records cannot have.
func jsonProblem(file string, data []byte, begins schema.Pos) *schema.Problem {
	if bad := checkText(file, data, begins.Line); bad != nil {
		return bad
	}
	dec, cursor := newDecoder(data), newCursor(data, begins.Line)
	for nodes := 0; ; {
		at := addPosition(begins, cursor.moveTo(nextToken(data, dec)))
		whole := nodes > 0 && dec.StackDepth() == 0
		token, err := dec.ReadToken()
		if in, n := dec.StackIndex(dec.StackDepth()); in != '{' || n%2 == 0 { // not the name of a member
			nodes++
		}
		switch {
		case whole:
			return newProblem(codes.Malformed, file, at, "text after the record on this line", "write one record on each line")
		case err != nil:
			return decoderProblem(file, data, begins, err)
		case checkLimits(dec.StackDepth(), nodes, file, at) != nil:
			return checkLimits(dec.StackDepth(), nodes, file, at)
		case token.Kind() == '"' && hasControl(token.String()):
			return newProblem(codes.NotText, file, at, "the text contains a control character", "delete it")
		}
	}
}

// addPosition converts a position in a text that begins at begins.
func addPosition(begins, at schema.Pos) schema.Pos {
	if at.Line == begins.Line {
		at.Column += begins.Column - 1
	}
	return at
}

// decoderProblem converts err, a decoder's error, to a problem.
func decoderProblem(file string, data []byte, begins schema.Pos, err error) *schema.Problem {
	offset := len(data)
	message, fix := strings.TrimPrefix(err.Error(), "jsontext: "), ""
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		message, offset = e.Err.Error(), int(e.ByteOffset)
	}
	if conflict := firstConflict(data); conflict > 0 {
		return conflictProblem(file, begins.Line+conflict-1)
	}
	cursor := newCursor(data, begins.Line)
	at := addPosition(begins, cursor.moveTo(offset))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		message, fix = "the file ends in the middle of a record", "the file may be truncated: complete it"
	case strings.Contains(message, "'\\''"):
		fix = "JSON writes texts in double quotation marks"
	case strings.Contains(message, "',' "):
		fix = "check for a superfluous comma"
	case strings.Contains(message, "'/'"), strings.Contains(message, "'#'"):
		fix = "remove the comment, or use YAML"
	}
	return newProblem(codes.Malformed, file, at, "malformed JSON: "+message, fix)
}
