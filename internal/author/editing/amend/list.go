package amend

import (
	"bytes"
	"fmt"
	"io/fs"
	pathpkg "path"
	"slices"
	"strings"

	"stele/internal/base/fileinfo"
	"stele/internal/base/schema"
)

// editList turns a block list into want. Existing elements keep their lines, even if they move.
// Others are changed in place if possible.
func (t *source) editList(i int32, want *value) {
	var is []value
	nodes := slices.Collect(t.tree.Children(i))
	for _, c := range nodes {
		is = append(is, valueAt(t.tree, c))
	}
	if len(want.members) == 0 {
		t.clearList(i, nodes)
		return
	}
	const most = 1 << 20
	mustBe(len(is)*len(want.members) <= most)
	now := make([]value, len(want.members))
	for n, m := range want.members {
		now[n] = m.value
	}
	for _, s := range differences(is, now, func(a, b value) bool { return a.equal(&b) }) {
		for ; s.from < s.to && s.newFrom < s.newTo; s.from, s.newFrom = s.from+1, s.newFrom+1 { // replaced in place
			t.editNode(nodes[s.from], &now[s.newFrom])
		}
		for _, c := range nodes[s.from:s.to] {
			t.removeLines(t.elementLines(c))
		}
		t.insertElements(i, nodes, s.from-1, now[s.newFrom:s.newTo], is)
	}
}

// elementLines returns the lines of a list element, which must contain nothing else.
func (t *source) elementLines(c int32) (from, to int) {
	return t.ownLines(t.byteOffset(t.tree.Nodes[c].At), t.endOffset(c), "-")
}

// ownLines returns the lines from offset o to end, which may have only before in front of them and
// a comment after them.
func (t *source) ownLines(o, end int, before string) (from, to int) {
	from, to = t.lineStart(o), t.lineEnd(end)
	rest := bytes.TrimSpace(t.data[end:to])
	mustBe(end >= o && string(bytes.TrimSpace(t.data[from:o])) == before && (len(rest) == 0 || rest[0] == '#'))
	return from, to
}

func (t *source) removeLines(from, to int) {
	if at := bytes.IndexByte(t.data[to:], '\n'); at >= 0 {
		to += at + 1
	} else if from > 0 { // for the last line, the break before it is removed
		from = t.lineEnd(t.lineStart(from - 1))
	}
	t.splices = append(t.splices, splice{from, to, ""})
}

// insertElements inserts elements into list i after nodes[after], or before the first node if after
// is -1. Moved elements keep their lines.
func (t *source) insertElements(i int32, nodes []int32, after int, elements, old []value) {
	lines, indent := "", strings.Repeat(" ", int(t.tree.Nodes[i].At.Column)-1)
	for _, e := range elements {
		if at := slices.IndexFunc(old, func(v value) bool { return v.equal(&e) }); at >= 0 {
			from, to := t.elementLines(nodes[at])
			lines += strings.ReplaceAll(string(t.data[from:to]), "\r\n", "\n") + "\n"
		} else {
			lines += blockElement(&e, indent)
		}
	}
	switch {
	case lines == "":
	case after < 0:
		from, _ := t.elementLines(nodes[0])
		t.splices = append(t.splices, splice{from, from, strings.ReplaceAll(lines, "\n", t.eol)})
	default:
		t.insertLines(t.endOffset(nodes[after]), lines)
	}
}

// clearList removes all elements of list i and leaves [] in their place.
func (t *source) clearList(i int32, nodes []int32) {
	n := &t.tree.Nodes[i]
	name := t.byteOffset(n.NameAt)
	mustBe(bytes.HasPrefix(t.data[name:], []byte(n.Name+":")))
	for _, c := range nodes {
		t.removeLines(t.elementLines(c))
	}
	at := name + len(n.Name) + 1
	t.splices = append(t.splices, splice{at, at, " []"})
}

// Record is a record in its file.
type Record struct {
	Own    *schema.Tree // its members in the file
	Merged *schema.Tree // with defaults
}

// Open reads one record of a file in a publisher's folder. It returns nil if the file does not
// contain the ID.
func Open(files fs.FS, path, id string) (*Record, error) {
	s, err := readState(files, path, hasID(id))
	if err != nil {
		return nil, err
	}
	for _, r := range s.chosen {
		return &Record{r.own, r.merged}, nil
	}
	return nil, nil
}

// With returns a view of files in which the changed files have their new contents.
func With(files fs.FS, changed []File) fs.FS { return changedFS{files, changed} }

type changedFS struct {
	fs.FS
	changed []File
}

func (w changedFS) Open(name string) (fs.File, error) {
	for _, f := range w.changed {
		switch {
		case f.Path == name && f.Removed:
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		case f.Path == name:
			return fileinfo.FromBytes(name, f.New), nil
		}
	}
	return w.FS.Open(name)
}

func (w changedFS) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, dir)
	for _, f := range w.changed {
		if pathpkg.Dir(f.Path) != dir {
			if strings.HasPrefix(f.Path, dir+"/") { // a folder that does not exist yet
				name, _, _ := strings.Cut(f.Path[len(dir)+1:], "/")
				if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
					entries, err = append(entries, fs.FileInfoToDirEntry(givenDir{fileinfo.Info{Path: name}})), nil
				}
			}
			continue
		}
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == pathpkg.Base(f.Path) })
		if err = nil; !f.Removed {
			entries = append(entries, fs.FileInfoToDirEntry(fileinfo.FromBytes(f.Path, f.New)))
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// givenDir is a folder that does not exist yet.
type givenDir struct{ fileinfo.Info }

func (givenDir) IsDir() bool       { return true }
func (givenDir) Mode() fs.FileMode { return fs.ModeDir | 0o755 }

// Remove plans to delete the unpublished record id: its file if the file contains no other record,
// otherwise its row of the table.
func Remove(files fs.FS, path, id string) ([]File, error) {
	s, err := readState(files, path, hasID(id))
	if err != nil {
		return nil, err
	}
	f := File{Path: path, Old: s.data, New: s.data, IDs: []string{id}}
	if len(s.others) == 1 && len(s.chosen) == 1 {
		f.Removed = true
		return []File{f}, nil
	}
	ext := strings.ToLower(pathpkg.Ext(path))
	if len(s.chosen) != 1 || ext != ".csv" && ext != ".ndjson" {
		return nil, fmt.Errorf("%s contains other records: remove %s with a text editor", path, id)
	}
	for _, r := range s.chosen {
		lines, line := append(newSource(s.data).lines, len(s.data)), r.own.Nodes[0].At.Line
		from, to := lines[line-1], lines[line]
		if ext == ".csv" { // rows may have several lines
			if to, err = (&table{data: s.data}).rowEnd(line); err != nil {
				return nil, err
			}
		}
		f.New = slices.Concat(s.data[:from], s.data[to:])
	}
	return []File{f}, nil
}
