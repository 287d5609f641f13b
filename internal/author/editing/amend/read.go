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

// state is a file that was read, with the chosen records and digests of all others.
type state struct {
	path   string
	data   []byte
	beside []byte           // the corrections file next to a table, or nil
	chosen map[int]*written // by number in the file
	others []uint64         // by number; 0 for chosen records
	choose func(id string, line int32) bool
}

func (s *state) selectedNumbers() []int { return slices.Sorted(maps.Keys(s.chosen)) }

var seed = maphash.MakeSeed()

// parse reads the file with its defaults. If whole is true, it keeps the defaults of each chosen
// record, of which there may be very many.
func (o oneFile) parse(choose func(id string, line int32) bool, whole bool) (*state, error) {
	type result struct {
		w       *written
		digest  uint64
		problem *schema.Problem
	}
	s := &state{path: o.path, data: o.data, beside: o.beside, chosen: map[int]*written{}, choose: choose}
	for r := range input.Read(o.readBatches(), 0, func() func(input.Item) result {
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
				return result{digest: hashTree(i.Own)}
			}
			w := &written{id: strings.Clone(id), kind: i.Kind, own: cloneTree(i.Own)}
			if whole {
				w.merged = cloneTree(i.Tree)
			}
			_, _, problems := d.Decode(i.Kind, i.Tree)
			w.problems = slices.Concat(i.Problems, problems)
			return result{w: w}
		}
	}) {
		switch {
		case r.problem != nil:
			return nil, malformedError(r.problem)
		case r.w != nil:
			for _, p := range r.w.problems {
				if p.Code == codes.DuplicateMember || p.Code == codes.UnusableDefault {
					return nil, malformedError(&p)
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

func cloneTree(t *schema.Tree) *schema.Tree {
	return &schema.Tree{Files: slices.Clone(t.Files), Nodes: slices.Clone(t.Nodes)}
}

// hashTree returns a hash of a record's content, never 0.
func hashTree(t *schema.Tree) uint64 {
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

// oneFile is a file of a records folder with new content, and with its corrections file if it is a
// table that has one.
type oneFile struct {
	fs.FS
	path   string
	data   []byte
	beside []byte
}

// readBatches yields the records of the file with their defaults.
func (o oneFile) readBatches() iter.Seq[input.Batch] {
	files := []File{{Path: o.path, New: o.data}}
	if o.beside != nil {
		files = append(files, File{Path: input.CorrectionsPath(o.path), New: o.beside})
	}
	return input.Batches(With(singleFileFS{o.FS, o.path}, files), nil)
}

// singleFileFS is a view of a records folder that contains one file besides the defaults.
type singleFileFS struct {
	fs.FS
	path string
}

func (o singleFileFS) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, dir)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		at := path.Join(dir, e.Name())
		return at != o.path && !strings.HasPrefix(o.path, at+"/") && e.Name() != input.DefaultsFile
	}), err
}
