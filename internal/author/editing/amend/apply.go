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
)

// splice replaces bytes of a file.
type splice struct {
	from, to int
	text     string
}

// applyChanges edits the file so that each record n becomes wanted[n], and checks that nothing else
// changed. If whole is true, the result includes the defaults, which further edits need.
func (s *state) applyChanges(fsys fs.FS, wanted map[int]value, whole bool) (*state, error) {
	splices, err := s.findSplices(wanted)
	if err != nil {
		return nil, err
	}
	data, err := applySplices(s.data, splices)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	after, err := oneFile{fsys, s.path, data, s.beside}.parse(s.choose, whole)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, errUnclear)
	}
	return after, s.checkResult(after, wanted)
}

// checkResult returns an error unless each record n is equal to wanted[n] and all others are
// unchanged.
func (s *state) checkResult(after *state, wanted map[int]value) error {
	if len(s.others) != len(after.others) {
		return fmt.Errorf("%s: %w", s.path, errUnclear)
	}
	for n, r := range s.chosen {
		now, ok := after.chosen[n]
		if !ok || now.id != r.id {
			return fmt.Errorf("%s: this would change its ID, and IDs cannot be renamed", r.id)
		}
		if !wanted[n].equalUnordered(valueAt(now.own, 0)) {
			return fmt.Errorf("%s: %w", r.id, errUnclear)
		}
	}
	if !slices.Equal(s.others, after.others) {
		return fmt.Errorf("%s: %w", s.path, errUnclear)
	}
	return nil
}

// findSplices returns the replacements that turn each record n into wanted[n].
func (s *state) findSplices(wanted map[int]value) ([]splice, error) {
	ext := strings.ToLower(path.Ext(s.path))
	if ext == ".csv" {
		return s.csvSplices(wanted)
	}
	t := newSource(s.data)
	edit := t.editNode
	if !strings.HasPrefix(ext, ".y") {
		edit = t.editJSON
	}
	for _, n := range s.selectedNumbers() {
		r, want := s.chosen[n], wanted[n]
		t.tree, t.order = r.own, r.kind.Shape().MemberNames()
		if err := editSafely(func() { edit(0, &want) }); err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
	}
	return t.splices, nil
}

// editSafely calls edit, and returns errUnclear if edit found something unclear. The caller then
// writes nothing.
func editSafely(edit func()) (err error) {
	defer func() {
		if r := recover(); r == errUnclear {
			err = errUnclear
		} else if r != nil {
			panic(r)
		}
	}()
	edit()
	return nil
}

// editAll returns the YAML text data, whose values are in tree, with the values in want. New
// members are inserted in the given order.
func editAll(data []byte, tree *schema.Tree, order []string, want *value) ([]byte, error) {
	t := newSource(data)
	t.tree, t.order = tree, order
	if err := editSafely(func() { t.editNode(0, want) }); err != nil {
		return nil, err
	}
	return applySplices(data, t.splices)
}

// mustBe stops the edit unless ok is true; see editSafely.
func mustBe(ok bool) {
	if !ok {
		panic(errUnclear)
	}
}

// applySplices applies non-overlapping replacements to data.
func applySplices(data []byte, splices []splice) ([]byte, error) {
	slices.SortStableFunc(splices, func(a, b splice) int { // insertions before deletions at the same offset
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

// source is the text of a YAML or JSON file whose values are in tree. If a method cannot find a
// position safely, it stops the edit; see editSafely.
type source struct {
	data    []byte
	lines   []int // offset of the beginning of each
	eol     string
	tree    *schema.Tree
	order   []string // order of the top-level members
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

// editNode turns node i of a YAML file into want, with as few splices as possible. Values in braces
// or brackets are rewritten.
func (t *source) editNode(i int32, want *value) {
	is := valueAt(t.tree, i)
	if is.equal(want) {
		return
	}
	start := t.startOffset(i)
	mustBe(is.isScalar() == want.isScalar())
	if is.isScalar() {
		t.replaceScalar(i, want)
		return
	}
	mustBe(is.typ == want.typ && start < len(t.data))
	switch {
	case t.data[start] == '{' || t.data[start] == '[':
		t.replaceFlow(i, start, want)
	case is.typ == schema.Object:
		t.editObject(i, want)
	default:
		t.editList(i, want)
	}
}

func (t *source) editObject(i int32, want *value) {
	for c := range t.tree.Children(i) {
		if want.memberIndex(t.tree.Nodes[c].Name) < 0 {
			t.removeLines(t.ownLines(t.byteOffset(t.tree.Nodes[c].NameAt), t.endOffset(c), ""))
		}
	}
	for _, m := range want.members {
		if c := t.tree.Find(i, m.name); c >= 0 {
			t.editNode(c, &m.value)
		} else {
			t.insertMember(i, m, want)
		}
	}
}

func (t *source) byteOffset(pos schema.Pos) int {
	mustBe(pos.Line >= 1 && int(pos.Line) <= len(t.lines) && pos.Column >= 1)
	o := t.lines[pos.Line-1]
	for range pos.Column - 1 {
		_, size := utf8.DecodeRune(t.data[o:])
		mustBe(size > 0)
		o += size
	}
	return o
}

// lineStart returns the offset of the beginning of the line that contains o.
func (t *source) lineStart(o int) int {
	i, found := slices.BinarySearch(t.lines, o)
	if !found {
		i--
	}
	return t.lines[max(i, 0)]
}

// lineEnd returns the offset of the end of the line that contains o, before its line break.
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

// startOffset returns the offset at which a node begins. If it has a name, the name must be before
// it.
func (t *source) startOffset(i int32) int {
	n := &t.tree.Nodes[i]
	o := t.byteOffset(n.At)
	mustBe(n.NameAt.Line == 0 || t.byteOffset(n.NameAt) < o) // otherwise an alias, whose value is elsewhere
	return o
}

func (t *source) endOffset(i int32) int {
	o, n := t.startOffset(i), &t.tree.Nodes[i]
	if n.Type == schema.Object || n.Type == schema.Array {
		return t.endOfCollection(i, o)
	}
	if o < len(t.data) && n.Text != "" || n.Type == schema.String {
		switch c := t.data[o]; {
		case c == '&' || c == '!' || c == '*':
			panic(errUnclear)
		case c == '"' || c == '\'':
			return t.endOfQuoted(o)
		case c == '|' || c == '>':
			return t.endOfBlock(i, o)
		}
	}
	// The characters of a word are in the file unchanged, with spaces and line breaks between them.
	for _, c := range []byte(n.Text) {
		if isBlank(c) {
			continue
		}
		for o < len(t.data) && isBlank(t.data[o]) {
			o++
		}
		mustBe(o < len(t.data) && t.data[o] == c)
		o++
	}
	return o
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (t *source) endOfCollection(i int32, o int) int {
	last, end := int32(-1), o+1
	for c := range t.tree.Children(i) {
		last = c
	}
	if last >= 0 {
		end = t.endOffset(last)
		mustBe(end >= o)
	}
	if o < len(t.data) && (t.data[o] == '{' || t.data[o] == '[') {
		return t.closingBracket(end) + 1
	}
	mustBe(last >= 0)
	return end
}

// closingBracket returns the offset of the bracket that closes an object or list whose last element
// ends at o.
func (t *source) closingBracket(o int) int {
	for ; o < len(t.data); o++ {
		switch c := t.data[o]; {
		case c == '}' || c == ']':
			return o
		case c == '#':
			o = t.lineEnd(o)
		default:
			mustBe(isBlank(c) || c == ',' || c == ':')
		}
	}
	panic(errUnclear)
}

func (t *source) endOfQuoted(o int) int {
	quote := t.data[o]
	for o++; o < len(t.data); o++ {
		switch {
		case t.data[o] == '\\' && quote == '"':
			o++
		case t.data[o] == quote && quote == '\'' && o+1 < len(t.data) && t.data[o+1] == quote:
			o++
		case t.data[o] == quote:
			return o + 1
		}
	}
	panic(errUnclear)
}

// endOfBlock returns the offset at which a block text, after | or >, ends: before the line break of
// its last line. Empty lines after it belong to it only if the indicator has a +.
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

// indent returns the indentation of the line of member or element i. Lines that are indented
// further belong to it.
func (t *source) indent(i int32) int {
	n := &t.tree.Nodes[i]
	if n.NameAt.Line > 0 {
		return int(n.NameAt.Column) - 1
	}
	o := t.byteOffset(n.At)
	return bytes.LastIndexByte(t.data[t.lineStart(o):o], '-')
}
