package amend

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/record"
)

// splice replaces bytes of a file.
type splice struct {
	from, to int
	text     string
}

// apply makes records say what is wanted of them, and makes sure that nothing else changed. What it
// returns has the defaults too where more is to be written.
func (s *state) apply(fsys fs.FS, wanted map[int]value, more bool) (*state, error) {
	splices, err := s.splices(wanted)
	if err != nil {
		return nil, err
	}
	data, err := splicing(s.data, splices)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	after, err := oneFile{fsys, s.path, data, s.beside}.read(s.choose, more)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, errUnclear)
	}
	return after, s.only(after, wanted)
}

// only makes sure that the records became what was wanted, and that the others are as they were.
func (s *state) only(after *state, wanted map[int]value) error {
	if len(s.others) != len(after.others) {
		return fmt.Errorf("%s: %w", s.path, errUnclear)
	}
	for n, r := range s.chosen {
		now, ok := after.chosen[n]
		if !ok || now.id != r.id {
			return fmt.Errorf("%s: its ID would change with that, and IDs are never renamed", r.id)
		}
		is, want := valueAt(now.own, 0).sorted(), wanted[n].sorted()
		if !is.equal(&want) {
			return fmt.Errorf("%s: %w", r.id, errUnclear)
		}
	}
	if !slices.Equal(s.others, after.others) {
		return fmt.Errorf("%s: %w", s.path, errUnclear)
	}
	return nil
}

// splices are the replacements that turn records into what is wanted.
func (s *state) splices(wanted map[int]value) ([]splice, error) {
	ext := strings.ToLower(path.Ext(s.path))
	if ext == ".csv" {
		return s.csvSplices(wanted)
	}
	t := newSource(s.data)
	edit := t.edit
	if !strings.HasPrefix(ext, ".y") {
		edit = t.editJSON
	}
	for _, n := range s.numbers() {
		r, want := s.chosen[n], wanted[n]
		t.tree, t.kind = r.own, r.kind
		if err := edit(0, &want); err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
	}
	return t.splices, nil
}

// splicing replaces bytes, each once.
func splicing(data []byte, splices []splice) ([]byte, error) {
	slices.SortStableFunc(splices, func(a, b splice) int { // what is put in before what is taken out there
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	var b bytes.Buffer
	at := 0
	for _, s := range splices {
		if s.from < at || s.to < s.from || s.to > len(data) {
			return nil, errUnclear
		}
		b.Write(data[at:s.from])
		b.WriteString(s.text)
		at = s.to
	}
	b.Write(data[at:])
	return b.Bytes(), nil
}

// source is the text of a YAML or JSON file, in which the values of a tree stand.
type source struct {
	data    []byte
	lines   []int // where each begins
	eol     string
	tree    *schema.Tree
	kind    *record.Kind
	splices []splice
}

func newSource(data []byte) *source {
	t := &source{data: data, eol: "\n"}
	start := 0
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		start = len("\ufeff")
	}
	t.lines = append(t.lines, start)
	for i, c := range data {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	if len(t.lines) > 1 && bytes.HasSuffix(data[:t.lines[1]], []byte("\r\n")) {
		t.eol = "\r\n"
	}
	return t
}

// edit makes node i of a YAML file what is wanted, with as few splices as possible. What stands in
// braces or brackets is written anew.
func (t *source) edit(i int32, want *value) error {
	is := valueAt(t.tree, i)
	start, err := t.begin(i)
	switch {
	case is.equal(want):
		return nil
	case err != nil || start > len(t.data) || is.plain() != want.plain():
		return errUnclear
	case is.plain():
		return t.replace(i, want)
	case is.typ != want.typ || start == len(t.data):
		return errUnclear
	case t.data[start] == '{' || t.data[start] == '[':
		return t.replaceFlow(i, start, want)
	case is.typ == schema.Object:
		return t.editObject(i, want)
	}
	return t.editList(i, want)
}

func (t *source) editObject(i int32, want *value) error {
	for c := range t.tree.Children(i) {
		if want.index(t.tree.Nodes[c].Name) < 0 {
			if err := t.removeMember(c); err != nil {
				return err
			}
		}
	}
	for _, m := range want.members {
		if c := t.tree.Find(i, m.name); c >= 0 {
			if err := t.edit(c, &m.value); err != nil {
				return err
			}
			continue
		}
		if err := t.insertMember(i, m, want); err != nil {
			return err
		}
	}
	return nil
}

// offset is where a position is in the file.
func (t *source) offset(at schema.Pos) (int, error) {
	if at.Line < 1 || int(at.Line) > len(t.lines) || at.Column < 1 {
		return 0, errUnclear
	}
	o := t.lines[at.Line-1]
	for range at.Column - 1 {
		_, size := utf8.DecodeRune(t.data[o:])
		if o += size; size == 0 {
			return 0, errUnclear
		}
	}
	return o, nil
}

// lineStart is where the line of an offset begins.
func (t *source) lineStart(o int) int {
	i, found := slices.BinarySearch(t.lines, o)
	if !found {
		i--
	}
	return t.lines[max(i, 0)]
}

// lineEnd is where the line of an offset ends, before its break.
func (t *source) lineEnd(o int) int {
	end := bytes.IndexByte(t.data[o:], '\n')
	if end < 0 {
		return len(t.data)
	}
	end += o
	if end > o && t.data[end-1] == '\r' {
		end--
	}
	return end
}

// begin is where a node begins: before it there must be its name, if it has one.
func (t *source) begin(i int32) (int, error) {
	n := &t.tree.Nodes[i]
	o, err := t.offset(n.At)
	if err != nil || n.NameAt.Line == 0 {
		return o, err
	}
	name, err := t.offset(n.NameAt)
	if err != nil || name >= o {
		return 0, errUnclear // an alias: the value stands elsewhere
	}
	return o, nil
}

// end is where a node ends.
func (t *source) end(i int32) (int, error) {
	o, err := t.begin(i)
	if err != nil {
		return 0, err
	}
	n := &t.tree.Nodes[i]
	if n.Type == schema.Object || n.Type == schema.Array {
		return t.endOfMany(i, o)
	}
	if o < len(t.data) && n.Text != "" || n.Type == schema.String {
		switch c := t.data[o]; {
		case c == '&' || c == '!' || c == '*':
			return 0, errUnclear
		case c == '"' || c == '\'':
			return t.endOfQuoted(o)
		case c == '|' || c == '>':
			return t.endOfBlock(i, o), nil
		}
	}
	// The characters of a word stand as they are, with spaces and line breaks among them.
	for _, c := range []byte(n.Text) {
		if blank(c) {
			continue
		}
		for o < len(t.data) && blank(t.data[o]) {
			o++
		}
		if o >= len(t.data) || t.data[o] != c {
			return 0, errUnclear
		}
		o++
	}
	return o, nil
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (t *source) endOfMany(i int32, o int) (int, error) {
	last, end := int32(-1), o+1
	for c := range t.tree.Children(i) {
		last = c
	}
	flow := o < len(t.data) && (t.data[o] == '{' || t.data[o] == '[')
	if last >= 0 {
		var err error
		if end, err = t.end(last); err != nil || end < o {
			return 0, errUnclear
		}
	}
	if !flow {
		if last < 0 {
			return 0, errUnclear
		}
		return end, nil
	}
	closing, err := t.closing(end)
	return closing + 1, err
}

// closing is where the bracket stands that closes an object or list, whose last element ends here.
func (t *source) closing(o int) (int, error) {
	for ; o < len(t.data); o++ {
		switch c := t.data[o]; {
		case c == '}' || c == ']':
			return o, nil
		case c == '#':
			o = t.lineEnd(o)
		case !blank(c) && c != ',' && c != ':':
			return 0, errUnclear
		}
	}
	return 0, errUnclear
}

func (t *source) endOfQuoted(o int) (int, error) {
	quote := t.data[o]
	for o++; o < len(t.data); o++ {
		switch {
		case t.data[o] == '\\' && quote == '"':
			o++
		case t.data[o] == quote && quote == '\'' && o+1 < len(t.data) && t.data[o+1] == quote:
			o++
		case t.data[o] == quote:
			return o + 1, nil
		}
	}
	return 0, errUnclear
}

// endOfBlock is where a text ends that stands on lines of its own, after | or >: before the break
// of its last line. Empty lines below belong to it only if the + says so.
func (t *source) endOfBlock(i int32, o int) int {
	outside := t.indent(i)
	head := t.lineEnd(o)
	keep := bytes.IndexByte(t.data[o:head], '+') >= 0
	end := head
	for at := head; ; {
		next := bytes.IndexByte(t.data[at:], '\n')
		if next < 0 || at+next+1 >= len(t.data) {
			return end
		}
		at += next + 1
		lineEnd := t.lineEnd(at)
		line := t.data[at:lineEnd]
		content := len(line) - len(bytes.TrimLeft(line, " "))
		if content == len(line) {
			if keep {
				end = lineEnd
			}
			continue
		}
		if content <= outside {
			return end
		}
		end = lineEnd
	}
}

// indent is how far the line is indented that the member or element i belongs to: what stands
// further in belongs to it.
func (t *source) indent(i int32) int {
	n := &t.tree.Nodes[i]
	if n.NameAt.Line > 0 {
		return int(n.NameAt.Column) - 1
	}
	o, err := t.offset(n.At)
	if err != nil {
		return -1
	}
	start := t.lineStart(o)
	line := t.data[start:o]
	dash := bytes.LastIndexByte(line, '-')
	return max(dash, -1)
}
