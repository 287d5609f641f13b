package amend

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/record"
)

// Undo plans to undo changes to a record since its published JSON. It undoes the correction with
// the given index, and the changes to the members that it names, or everything if correction is -1.
// If no difference is left, the record gets its published version and dates again.
func Undo(fsys fs.FS, at, id string, published []byte, correction int) ([]File, error) {
	s, err := readState(fsys, at, hasID(id))
	if err != nil {
		return nil, err
	}
	was, err := valueFromJSON(string(published))
	if err != nil || len(s.chosen) != 1 {
		return nil, cmp.Or(err, fmt.Errorf("%s must be in %s exactly once", id, at))
	}
	before := s.beside
	number := s.selectedNumbers()[0]
	r := s.chosen[number]
	want, err := s.undoCorrection(r, &was, correction)
	if err != nil {
		return nil, err
	}
	after, err := s.applyChanges(fsys, map[int]value{number: want}, true)
	if err != nil {
		return nil, err
	}
	files := []File{{Path: at, Old: s.data, New: after.data, IDs: []string{id}}}
	if now := s.beside; !slices.Equal(before, now) {
		files = append(files, File{Path: input.CorrectionsPath(at), Old: before, New: now, Removed: len(now) == 0})
	}
	return files, nil
}

// bookkeeping lists the members that a change to any other member also changes.
var bookkeeping = []string{"version", "updated_date", "corrections", "source_updates"}

// undoCorrection returns the record in the file without a correction and the changes that it names.
// If the correction is in the corrections file, undoCorrection removes it from s.beside.
func (s *state) undoCorrection(r *written, was *value, correction int) (value, error) {
	want, is := valueAt(r.own, 0), valueAt(r.merged, 0)
	list, _ := is.lookUp([]string{"corrections"})
	var fields []string
	switch {
	case correction < 0:
		for _, m := range slices.Concat(is.members, was.members) {
			fields = append(fields, m.name)
		}
	case correction >= len(list.members):
		return want, errors.New("unknown correction")
	default:
		named, _ := list.members[correction].value.lookUp([]string{"fields"})
		for _, f := range named.members {
			fields = append(fields, schema.TopMember(f.value.text))
		}
	}
	for _, name := range fields {
		if !slices.Contains(bookkeeping, name) && name != "kind" {
			want, is = resetMember(want, is, was, name)
		}
	}
	published, _ := was.lookUp([]string{"corrections"})
	for i := len(list.members) - 1; i >= len(published.members); i-- {
		if correction >= 0 && i != correction {
			continue
		}
		list.members = slices.Delete(slices.Clone(list.members), i, i+1)
		if err := s.removeBeside(r.id, i); err != nil {
			return want, err
		}
	}
	if _, own := want.lookUp([]string{"corrections"}); own {
		want = want.withValueAt([]string{"corrections"}, list)
	}
	if correction >= 0 && (len(list.members) > len(published.members) || r.hasContentChange(&is, was)) {
		return want, nil
	}
	for _, name := range []string{"version", "updated_date", "source_updates"} {
		if _, own := want.lookUp([]string{name}); own {
			want, is = resetMember(want, is, was, name)
		}
	}
	return want, nil
}

// resetMember returns want and current with the member name as in old.
func resetMember(want, current value, old *value, name string) (value, value) {
	path := []string{name}
	v, ok := old.lookUp(path)
	now, there := current.lookUp(path)
	switch {
	case ok && (!there || !now.equal(&v)):
		return want.withValueAt(path, v), current.withValueAt(path, v)
	case !ok && there:
		if _, own := want.lookUp(path); own {
			return want.withoutPath(path), current.withoutPath(path)
		}
	}
	return want, current
}

// hasContentChange reports whether a member other than the bookkeeping differs from the published
// one.
func (r *written) hasContentChange(is, was *value) bool {
	for _, m := range r.kind.Shape().Members {
		if slices.Contains(bookkeeping, m.Name) || m.Name == "kind" {
			continue
		}
		a, ok1 := is.lookUp([]string{m.Name})
		b, ok2 := was.lookUp([]string{m.Name})
		if ok1 != ok2 || !a.equal(&b) {
			return true
		}
	}
	return false
}

// removeBeside removes a correction of a row from the corrections file, if it is there.
func (s *state) removeBeside(id string, index int) error {
	if len(s.beside) == 0 {
		return nil
	}
	entries, problem := input.Entries(input.CorrectionsPath(s.path), s.beside)
	if problem != nil {
		return malformedError(problem)
	}
	t := newSource(s.beside)
	for n, e := range entries {
		if e.ID != id || e.IsUpdate {
			continue
		}
		if index > 0 {
			index--
			continue
		}
		end := len(s.beside)
		if n+1 < len(entries) {
			end = t.lines[entries[n+1].Line-1]
		}
		s.beside = slices.Concat(s.beside[:t.lines[e.Line-1]], s.beside[end:])
		if len(entries) == 1 {
			s.beside = []byte{}
		}
		return nil
	}
	return nil
}

// replaceCorrection returns the record with an unpublished correction replaced by is, which keeps
// its other members and also names the members that it named.
func (s *state) replaceCorrection(r *written, v value, is record.Correction, index int) (value, error) {
	whole := valueAt(r.merged, 0)
	list, _ := whole.lookUp([]string{"corrections"})
	if index >= len(list.members) {
		return v, errors.New("unknown correction")
	}
	was := list.members[index].value
	named, _ := was.lookUp([]string{"fields"})
	for _, f := range named.members {
		if !slices.Contains(is.Fields, f.value.text) {
			is.Fields = append(is.Fields, f.value.text)
		}
	}
	slices.Sort(is.Fields)
	if in, ok := was.lookUp([]string{"in_version"}); ok {
		is.InVersion, _ = strconv.ParseInt(in.text, 10, 64) // it was checked when it was read
	}
	now := valueOf(is)
	for _, m := range was.members { // members that the form does not ask for stay
		if now.memberIndex(m.name) < 0 {
			now.members = append(now.members, m)
		}
	}
	list.members = slices.Clone(list.members)
	list.members[index].value = now
	if r.own.Find(0, "corrections") >= 0 || len(s.beside) == 0 {
		return v.withValueAt([]string{"corrections"}, list), nil
	}
	if err := s.removeBeside(r.id, index); err != nil {
		return v, err
	}
	s.addBeside(r.id, &now)
	return v, nil
}

// NewFile returns a file with one record, from its JSON.
func NewFile(k *record.Kind, id string, data []byte) (File, error) {
	v, err := valueFromJSON(string(data))
	f := File{Path: path.Join("records", k.Folder(), id+".yaml"), IDs: []string{id}}
	for _, m := range v.members {
		if m.name != "kind" {
			f.New = append(f.New, blockMember(m, "")...)
		}
	}
	return f, err
}
