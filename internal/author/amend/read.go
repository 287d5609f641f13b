package amend

import (
	"bytes"
	"crypto/sha256"
	"hash/maphash"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"stele/internal/author/input"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// state is a file as it was read: of the chosen records all, of the others a digest.
type state struct {
	path   string
	data   []byte
	beside []byte           // the corrections beside a table; nil where there are none
	chosen map[int]*written // by their number in the file
	others []uint64         // by number; 0 for chosen ones
	choose func(id string, line int32) bool
}

func (s *state) numbers() []int { return slices.Sorted(maps.Keys(s.chosen)) }

var seed = maphash.MakeSeed()

// readFile reads a file that has certain bytes, with the defaults that hold for it.
func readFile(fsys fs.FS, at string, data, beside []byte, choose func(id string, line int32) bool) (*state, error) {
	type result struct {
		w       *written
		digest  uint64
		problem *schema.Problem
	}
	s := &state{path: at, data: data, beside: beside, chosen: map[int]*written{}, choose: choose}
	for r := range input.Read(input.Batches(oneFile{fsys, at, data, beside}, nil), 0, func() func(input.Item) result {
		d := &record.Parser{}
		return func(i input.Item) result {
			if i.Tree == nil {
				for _, p := range i.Problems {
					if p.Severity() == codes.Error {
						return result{problem: &p}
					}
				}
				return result{}
			}
			id := idOf(i.Tree)
			if !choose(id, i.Own.Nodes[0].At.Line) {
				return result{digest: digest(i.Own)}
			}
			w := &written{id: strings.Clone(id), kind: i.Kind, own: clone(i.Own), merged: clone(i.Tree)}
			rec, _, problems := d.Decode(i.Kind, i.Tree)
			w.sum = sha256.Sum256(i.Kind.AppendJSON(nil, rec))
			w.problems = slices.Concat(i.Problems, problems)
			return result{w: w}
		}
	}) {
		switch {
		case r.problem != nil:
			return nil, malformed(r.problem)
		case r.w != nil:
			for _, p := range r.w.problems {
				if p.Code == codes.DuplicateMember || p.Code == codes.UnusableDefault {
					return nil, malformed(&p)
				}
			}
			s.chosen[len(s.others)] = r.w
			s.others = append(s.others, 0)
		case r.digest != 0:
			s.others = append(s.others, r.digest)
		}
	}
	return s, nil
}

func idOf(t *schema.Tree) string {
	if t.Nodes[0].Type != schema.Object {
		return ""
	}
	if i := t.Find(0, "id"); i >= 0 {
		return t.Nodes[i].Text
	}
	return ""
}

func clone(t *schema.Tree) *schema.Tree {
	return &schema.Tree{Files: slices.Clone(t.Files), Nodes: slices.Clone(t.Nodes)}
}

// digest is a number for what a record says; never 0.
func digest(t *schema.Tree) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		maphash.WriteComparable(&h, [3]int{int(n.Type), len(n.Name), len(n.Text)})
		h.WriteString(n.Name)
		h.WriteString(n.Text)
	}
	return h.Sum64() | 1
}

// oneFile is a folder of records in which only one file is to be seen, and has other bytes, besides
// the defaults. With it go the corrections beside it, if it is a table that has some.
type oneFile struct {
	fs.FS
	path   string
	data   []byte
	beside []byte
}

func (o oneFile) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, dir)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		at := path.Join(dir, e.Name())
		return at != o.path && !strings.HasPrefix(o.path, at+"/") && e.Name() != input.DefaultsFile
	})
	if o.beside != nil && dir == path.Dir(o.path) {
		entries = append(entries, fs.FileInfoToDirEntry(o.info()))
	}
	return entries, err
}

// info describes the file beside the table, whether it is there or not.
func (o oneFile) info() fs.FileInfo {
	return besideInfo{path.Base(input.BesideOf(o.path)), int64(len(o.beside))}
}

func (o oneFile) isBeside(name string) bool { return o.beside != nil && name == input.BesideOf(o.path) }

type besideInfo struct {
	name string
	size int64
}

func (i besideInfo) Name() string       { return i.name }
func (i besideInfo) Size() int64        { return i.size }
func (i besideInfo) Mode() fs.FileMode  { return 0o644 }
func (i besideInfo) ModTime() time.Time { return time.Time{} }
func (i besideInfo) IsDir() bool        { return false }
func (i besideInfo) Sys() any           { return nil }

type besideFile struct {
	besideInfo
	*bytes.Reader
}

func (f besideFile) Stat() (fs.FileInfo, error) { return f.besideInfo, nil }
func (f besideFile) Close() error               { return nil }
func (f besideFile) Size() int64                { return f.besideInfo.size }

func (o oneFile) Open(name string) (fs.File, error) {
	if o.isBeside(name) {
		return besideFile{besideInfo{path.Base(name), int64(len(o.beside))}, bytes.NewReader(o.beside)}, nil
	}
	f, err := o.FS.Open(name)
	if err != nil || name != o.path {
		return f, err
	}
	return &openFile{f, bytes.NewReader(o.data)}, nil
}

func (o oneFile) Stat(name string) (fs.FileInfo, error) {
	if o.isBeside(name) {
		return o.info(), nil
	}
	info, err := fs.Stat(o.FS, name)
	if err != nil || name != o.path {
		return info, err
	}
	return sized{info, int64(len(o.data))}, nil
}

type openFile struct {
	fs.File
	r *bytes.Reader
}

func (f *openFile) Read(b []byte) (int, error) { return f.r.Read(b) }

func (f *openFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return sized{info, f.r.Size()}, err
}

type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }
