package amend

import (
	"hash/maphash"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"stele/internal/author/reading/input"
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

// read reads the file, with the defaults that hold for it. They are kept with each chosen record,
// of which there may be very many, where they are needed.
func (o oneFile) read(choose func(id string, line int32) bool, whole bool) (*state, error) {
	type result struct {
		w       *written
		digest  uint64
		problem *schema.Problem
	}
	s := &state{path: o.path, data: o.data, beside: o.beside, chosen: map[int]*written{}, choose: choose}
	for r := range input.Read(o.batches(), 0, func() func(input.Item) result {
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
			id := i.Tree.Text("id")
			if !choose(id, i.Own.Nodes[0].At.Line) {
				return result{digest: digest(i.Own)}
			}
			w := &written{id: strings.Clone(id), kind: i.Kind, own: clone(i.Own)}
			if whole {
				w.merged = clone(i.Tree)
			}
			_, _, problems := d.Decode(i.Kind, i.Tree)
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

// oneFile is a file of a folder of records with other bytes, and with the corrections beside it, if
// it is a table that has some.
type oneFile struct {
	fs.FS
	path   string
	data   []byte
	beside []byte
}

// batches are the records of the file, laid over their defaults.
func (o oneFile) batches() iter.Seq[input.Batch] {
	files := []File{{Path: o.path, New: o.data}}
	if o.beside != nil {
		files = append(files, File{Path: input.BesideOf(o.path), New: o.beside})
	}
	return input.Batches(With(only{o.FS, o.path}, files), nil)
}

// only is a folder of records in which one file is to be seen, besides the defaults.
type only struct {
	fs.FS
	path string
}

func (o only) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, dir)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		at := path.Join(dir, e.Name())
		return at != o.path && !strings.HasPrefix(o.path, at+"/") && e.Name() != input.DefaultsFile
	}), err
}
