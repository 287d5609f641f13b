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

// jsonReader reads JSON values into trees, and keeps its memory from one to the next.
type jsonReader struct {
	dec    *jsontext.Decoder
	buf    bytes.Buffer
	file   string
	data   []byte
	text   string // the same bytes: what has no escapes is cut out of it
	line   int32  // the number of the first
	cursor cursor
	object []bool // for each open value, whether it is an object
}

func newJSONReader() *jsonReader {
	r := &jsonReader{}
	r.dec = jsontext.NewDecoder(&r.buf)
	return r
}

func (r *jsonReader) reset(file string, data []byte, line int32) {
	r.buf.Reset()
	r.buf.Write(data)
	r.dec.Reset(&r.buf, jsontext.AllowDuplicateNames(true)) // they are found later, with the rest
	r.file, r.data, r.text, r.line, r.cursor, r.object = file, data, string(
		data,
	), line, newCursor(
		data,
		line,
	), r.object[:0]
}

// readJSON passes on the record, or each record of the list, that a JSON file holds.
func (p *parser) readJSON(f *file, data []byte) {
	if problem := checkText(f.Path, data, 1); problem != nil {
		p.fail(f, *problem)
		return
	}
	r := p.json
	r.reset(f.Path, data, 1)
	list := r.dec.PeekKind() == '['
	if list {
		if _, err := r.dec.ReadToken(); err != nil {
			p.fail(f, r.syntax(err))
			return
		}
	}
	for r.dec.PeekKind() != ']' || !list {
		problem := r.value(p.tree)
		switch {
		case problem == nil:
			p.record(f)
		case problem.Code == codes.Malformed || !list || r.leave(1) != nil:
			p.fail(f, *problem)
			return
		default: // what follows can be read all the same
			p.fail(f, *problem)
		}
		if !list {
			break
		}
	}
	if list {
		if _, err := r.dec.ReadToken(); err != nil {
			p.fail(f, r.syntax(err))
			return
		}
	}
	p.end(f)
}

// leave reads on until no more than so many values are open.
func (r *jsonReader) leave(open int) error {
	for r.dec.StackDepth() > open {
		if _, err := r.dec.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}

// end makes sure that nothing follows.
func (p *parser) end(f *file) {
	at := p.json.cursor.move(p.json.next())
	if _, err := p.json.dec.ReadToken(); err != io.EOF {
		p.fail(f, fault(codes.Malformed, f.Path, at, "a JSON file holds one record or one list of records, and more follows here", "put the records into a list, or one on each line of an .ndjson file"))
	}
}

// readNDJSON passes on the record on each line.
func (p *parser) readNDJSON(f *file, lines string, line int32) {
	for ; lines != ""; line++ {
		var text string
		text, lines, _ = strings.Cut(lines, "\n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if problem := p.jsonLine(f, text, line); problem != nil {
			p.fail(f, *problem)
			continue
		}
		p.record(f)
	}
}

func (p *parser) jsonLine(f *file, text string, line int32) *schema.Problem {
	if p.tree.ScanJSON(f.Path, text, line) {
		return nil
	}
	return p.json.readLine(p.tree, f.Path, []byte(text), line)
}

// readLine reads the one value that a line holds.
func (r *jsonReader) readLine(t *schema.Tree, file string, data []byte, line int32) *schema.Problem {
	r.reset(file, data, line)
	if problem := r.value(t); problem != nil {
		if bad := checkText(file, data, line); bad != nil { // says it better
			return bad
		}
		return problem
	}
	at := r.cursor.move(r.next())
	if _, err := r.dec.ReadToken(); err != io.EOF {
		problem := fault(codes.Malformed, file, at, "more follows the record on this line", "write one record on each line")
		return &problem
	}
	return nil
}

// next returns where the next token begins.
func (r *jsonReader) next() int {
	i := int(r.dec.InputOffset())
	for i < len(r.data) {
		switch r.data[i] {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		default:
			return i
		}
	}
	return i
}

// value reads the next value into a tree.
func (r *jsonReader) value(t *schema.Tree) *schema.Problem {
	t.Reset(r.file)
	r.object = r.object[:0]
	for name := false; ; {
		start := r.next()
		at := r.cursor.move(start)
		token, err := r.dec.ReadToken()
		if err != nil {
			problem := r.syntax(err)
			return &problem
		}
		switch kind := token.Kind(); kind {
		case '{', '[':
			r.object = append(r.object, kind == '{')
			t.Open(typeOf(kind), at)
		case '}', ']':
			r.object = r.object[:len(r.object)-1]
			t.Close()
		case '"':
			text, clean := r.content(start, token)
			if !clean {
				problem := fault(codes.NotText, r.file, at, "the text holds a control character", "delete it")
				return &problem
			}
			if name {
				t.Member(text, at)
				name = false
				continue
			}
			t.Scalar(schema.String, text, at)
		default:
			t.Scalar(typeOf(kind), r.text[start:r.dec.InputOffset()], at)
		}
		if problem := limits(t, r.file, at); problem != nil {
			return problem
		}
		if len(r.object) == 0 {
			return nil
		}
		name = r.object[len(r.object)-1]
	}
}

func typeOf(kind jsontext.Kind) schema.Type {
	switch kind {
	case '{':
		return schema.Object
	case '[':
		return schema.Array
	case '0':
		return schema.Digits
	case 't', 'f':
		return schema.Bool
	}
	return schema.Null
}

// content returns a string's text, cut out of the file where it has no escapes. It is not clean if
// escapes stand for control characters; as they are, JSON has none.
func (r *jsonReader) content(start int, token jsontext.Token) (text string, clean bool) {
	raw := r.text[start:r.dec.InputOffset()]
	if strings.IndexByte(raw, '\\') < 0 {
		// JSON itself lets no other control character stand
		return raw[1 : len(raw)-1], strings.IndexByte(raw, 0x7f) < 0
	}
	text = token.String()
	return text, firstBad([]byte(text)) < 0
}

// syntax turns a decoder's error into a problem.
func (r *jsonReader) syntax(err error) schema.Problem {
	offset := r.next()
	message, fix := strings.TrimPrefix(err.Error(), "jsontext: "), ""
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		message, offset = e.Err.Error(), int(e.ByteOffset)
	}
	if conflict := firstConflict(r.data); conflict > 0 {
		return conflictProblem(r.file, r.line+conflict-1)
	}
	cursor := newCursor(r.data, r.line) // anew: the error may stand before what was read
	at := cursor.move(offset)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		message, fix = "the text ends in the middle of a record", "the file may have been cut off: complete it"
	case strings.Contains(message, "'\\''"):
		fix = "JSON writes texts in double quotation marks"
	case strings.Contains(message, "',' "):
		fix = "there may be a comma too many"
	case strings.Contains(message, "'/'"), strings.Contains(message, "'#'"):
		fix = "JSON has no comments; YAML does"
	}
	return fault(codes.Malformed, r.file, at, "not valid JSON: "+message, fix)
}
