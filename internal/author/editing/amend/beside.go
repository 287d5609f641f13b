package amend

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
)

// openFile reads the file at, and its corrections file if it is a table that has one.
func openFile(fsys fs.FS, at string) (oneFile, error) {
	data, err := fs.ReadFile(fsys, at)
	of := oneFile{FS: fsys, path: at, data: data}
	if err == nil && strings.EqualFold(path.Ext(at), ".csv") {
		if of.beside, err = fs.ReadFile(fsys, input.CorrectionsPath(at)); errors.Is(err, fs.ErrNotExist) {
			of.beside, err = nil, nil
		}
		of.beside = slices.Clip(of.beside) // appending must not change it
	}
	return of, err
}

// recordRowChange returns a record with everything that records a change. If the table has no
// columns for corrections, a correction goes to the corrections file, on its own line: no other
// line changes, so git can merge corrections by two people.
func (s *state) recordRowChange(r, before *written, c Change) (value, error) {
	v, err := s.recordChange(r, before, c)
	if err != nil || !s.belongsBeside(r, &c) {
		return v, err
	}
	// if it replaced another correction, it is there already
	if list, ok := v.lookUp([]string{"corrections"}); ok && len(list.members) > 0 {
		v = v.withoutPath([]string{"corrections"})
		s.addBeside(r.id, &list.members[len(list.members)-1].value)
	}
	for _, name := range []string{"version", "updated_date"} { // they follow from the correction
		if r.own.Find(0, name) < 0 {
			v = v.withoutPath([]string{name})
		}
	}
	return v, nil
}

// addBeside adds a correction of a row to the corrections file next to the table.
func (s *state) addBeside(id string, correction *value) {
	entry := value{typ: schema.Object, members: []member{{"id", textValue(id)}}}
	entry.members = append(entry.members, correction.members...)
	if len(s.beside) > 0 && !bytes.HasSuffix(s.beside, []byte("\n")) {
		s.beside = append(s.beside, '\n')
	}
	s.beside = append(s.beside, "- "+yamlFlow(&entry)+"\n"...)
}

// belongsBeside reports whether a correction of a row goes to the corrections file.
func (s *state) belongsBeside(r *written, c *Change) bool {
	if c.Correction == nil || c.Update != nil || !strings.EqualFold(path.Ext(s.path), ".csv") {
		return false
	}
	head, _, _ := bytes.Cut(s.data, []byte("\n"))
	if bytes.Contains(head, []byte("corrections.")) {
		return false
	}
	i := r.merged.Find(0, "corrections") // otherwise it would replace those of the defaults
	return i < 0 || !r.merged.Contains(i, i+1) ||
		r.merged.Files[r.merged.Nodes[i].File] == input.CorrectionsPath(s.path)
}
