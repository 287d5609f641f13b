// Package amend edits the files of a publisher's records: a new version, dates, a correction, a
// source update, another value.
//
// Block YAML and CSV are edited as text, at the positions of the members: comments, order,
// quotation marks and line breaks stay as they are. JSON, and YAML in braces or brackets, has no
// comments and is rewritten: the record, or the value. The result is read again. Nothing is written
// unless exactly the intended members differ in all files and no new error appears.
package amend

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Change is a change to each of the chosen records.
type Change struct {
	Date   record.Date // the day of the change
	Set    []Setting   // new values of members
	Redact []string    // JSON Pointers to members to redact
	Fields []string    // members that were already changed by hand
	// Correction is added to the corrections, and Update to the source updates; each may be nil.
	// Fields and in_version are filled in.
	Correction *record.Correction
	Update     *record.SourceUpdate
	// Replace is 1 plus the index of the correction that Correction replaces. No release contains
	// that correction yet.
	Replace  int
	Verified bool   // the record was compared with its sources
	By       string // who compared it; "" if nobody is named
	Draft    bool   // the record may have errors
	inCells  bool   // the cells of a row name who verified it
	// Published returns what is known about a record in the published release, if there is such a
	// record. It is nil if nothing is known. A version that no release contains is changed without
	// a new version number.
	Published func(kind, id string) (Published, bool)
}

// Published is a record in a release.
type Published struct {
	Version int64
	SHA256  [sha256.Size]byte // digest of its JSON
}

// Setting sets a member to a new value, or removes it. The path uses dots like the columns of CSV:
// claim_boundary.statement, source_links.0.url.
type Setting struct {
	Path, Value string
	JSON        bool // the value is a list or object, as JSON
	Unset       bool
}

// File is a changed file.
type File struct {
	Path     string // in the publisher's folder, with slashes
	Old, New []byte
	IDs      []string // IDs of the changed records, in file order
	Same     int      // number of chosen records without a change
	Removed  bool     // the file is deleted
}

// Plan returns the files that c would change in the records that targets name. Write writes them.
func Plan(fsys fs.FS, targets []string, c Change) ([]File, error) {
	records, err := findRecords(fsys, targets)
	if err != nil {
		return nil, err
	}
	byFile := map[string][]string{} // the IDs
	for _, p := range records {
		byFile[p.file] = append(byFile[p.file], p.id)
	}
	var files []File
	for path, ids := range byFile {
		planned, err := PlanRecords(fsys, path, c, ids...)
		if err != nil {
			return nil, err
		}
		files = append(files, planned...)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

// PlanRecords returns the files that c would change in the records ids of the file at path.
func PlanRecords(fsys fs.FS, path string, c Change, ids ...string) ([]File, error) {
	if !c.Date.Valid() {
		return nil, fmt.Errorf("%q is not a date: write it as YYYY-MM-DD", c.Date)
	}
	before, err := readState(fsys, path, hasID(ids...))
	if err != nil {
		return nil, err
	}
	return before.changeRecords(fsys, c, func(r *written) (value, error) {
		v, err := r.applySettings(c.Set)
		if err == nil {
			v, err = r.redact(v, c.Redact)
		}
		return v, err
	})
}

// changeRecords applies c to the chosen records: first the values, then version, dates, corrections
// and source updates.
func (s *state) changeRecords(fsys fs.FS, c Change, settings func(*written) (value, error)) ([]File, error) {
	f := File{Path: s.path, Old: s.data}
	values := map[int]value{}
	for _, n := range s.selectedNumbers() {
		r := s.chosen[n]
		var err error
		if values[n], err = settings(r); err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
	}
	changed, err := s.applyChanges(fsys, values, true)
	if err != nil {
		return nil, err
	}
	notes := map[int]value{}
	for _, n := range changed.selectedNumbers() {
		r := changed.chosen[n]
		if r.isEmptyChange(s.chosen[n], &c) {
			notes[n] = valueAt(s.chosen[n].own, 0)
			f.Same++
			continue
		}
		if notes[n], err = changed.recordRowChange(r, s.chosen[n], c); err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
		f.IDs = append(f.IDs, r.id)
	}
	clear(values)
	for n, r := range s.chosen { // there may be very many; only their errors are needed
		r.own, r.merged, changed.chosen[n].merged = nil, nil, nil
	}
	after, err := changed.applyChanges(fsys, notes, false)
	if err != nil {
		return nil, err
	}
	for n, r := range after.chosen {
		if c.Draft {
			break
		}
		if err := r.checkNoNewErrors(s.chosen[n]); err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
	}
	f.New = after.data
	if bytes.Equal(s.beside, after.beside) {
		return []File{f}, nil
	}
	return []File{f, {Path: input.CorrectionsPath(f.Path), Old: s.beside, New: after.beside}}, nil
}

// readState reads the file at path, with the records that choose selects, and its corrections file.
func readState(fsys fs.FS, path string, choose func(id string, line int32) bool) (*state, error) {
	of, err := openFile(fsys, path)
	if err != nil {
		return nil, err
	}
	return of.parse(choose, true)
}

// hasID returns a function that chooses records by their IDs.
func hasID(ids ...string) func(string, int32) bool {
	chosen := map[string]bool{}
	for _, id := range ids {
		chosen[id] = true
	}
	return func(id string, _ int32) bool { return chosen[id] }
}

// applySettings returns the record with the values in set.
func (r *written) applySettings(set []Setting) (value, error) {
	v := valueAt(r.own, 0)
	for _, s := range set {
		path := strings.Split(s.Path, ".")
		if path[0] == "id" || path[0] == "kind" || path[0] == r.kind.IDMember() {
			return v, fmt.Errorf("cannot change %s: it is part of an address that others have saved", path[0])
		}
		if slices.Contains([]string{"version", "updated_date", "corrections", "source_updates"}, path[0]) {
			return v, fmt.Errorf("cannot set %s: this command sets it; remove it from --set", path[0])
		}
		if s.Unset {
			var err error
			if v, err = r.removeMember(v, path); err != nil {
				return v, err
			}
			continue
		}
		to, err := valueFromJSON(s.Value)
		if !s.JSON {
			to, err = r.parseTyped(path, s.Value)
		}
		if err != nil {
			return v, err
		}
		v = r.overlay(v, path, to)
	}
	return v, nil
}

func (r *written) removeMember(v value, path []string) (value, error) {
	name := strings.Join(path, ".")
	if _, ok := v.lookUp(path); !ok {
		if _, whole := r.merged.At(jsonPointer(path)); whole {
			return v, fmt.Errorf("%s is set in %s: remove it there", name, input.DefaultsFile)
		}
		return v, fmt.Errorf("the record has no member %s", name)
	}
	if outer, _ := v.lookUp(path[:len(path)-1]); outer.typ == schema.Array {
		return v, fmt.Errorf("%s is a list element: remove it with a text editor, and name %s in --fields", name, path[0])
	}
	return v.withoutPath(path), nil
}

// addVerification returns v with the day of the verification and the name of the person who
// verified the record, in place of the earlier name.
func (r *written) addVerification(v value, c *Change) (value, error) {
	const by = "verified_by"
	v = v.withValueAt([]string{"verification_date"}, textValue(string(c.Date)))
	switch _, own := v.lookUp([]string{by}); {
	case c.By != "":
		return v.withValueAt([]string{by}, textValue(c.By)), nil
	case own && c.inCells:
	case own:
		return v.withoutPath([]string{by}), nil
	case r.text(by) != "":
		return v,
			fmt.Errorf("%s names %q in %s: name the person who verified the record now, with --by NAME for reverify, set: {verified_by: NAME} in the series of the map for import, and --verified=NAME otherwise", by, r.text(by), input.DefaultsFile)
	}
	return v, nil
}

// isEmptyChange reports whether c has no effect: no value differs and nothing else is recorded.
func (r *written) isEmptyChange(before *written, c *Change) bool {
	if len(c.Fields) > 0 || c.Update != nil || len(r.changedMembers(before)) > 0 {
		return false
	}
	if c.Correction != nil {
		return c.Replace == 0 && len(c.Correction.BecauseOf) == 0 && namesMembers(c.Correction.Type)
	}
	if c.Verified && r.has("verification_date") && r.text("verification_date") != string(c.Date) {
		return false
	}
	if c.Verified || len(c.Set)+len(c.Redact) > 0 {
		return true
	}
	if c.Published == nil { // it may have been changed by hand
		return false
	}
	was, ok := c.Published(r.kind.Name, r.id)
	return ok && was.SHA256 == r.digest()
}

// namesMembers reports whether a correction of type t says that members changed.
func namesMembers(t record.CorrectionType) bool {
	return t == record.CorrectionCorrection || t == record.CorrectionClarification
}

// recordChange returns the record with everything that records a change: version, dates,
// correction, source update.
func (s *state) recordChange(r, before *written, c Change) (value, error) {
	v := valueAt(r.own, 0)
	version, err := strconv.ParseInt(r.text("version"), 10, 64)
	if err != nil || version < 1 {
		return v, fmt.Errorf("the version %q is not a number; correct it first", r.text("version"))
	}
	for _, name := range []string{"updated_date", "published_date", "verification_date"} {
		if was := record.Date(r.text(name)); was > c.Date && !c.Draft && (name != "verification_date" || c.Verified) {
			return v, fmt.Errorf("the %s %s is after %s; use a later --date", name, was, c.Date)
		}
	}
	next, err := r.nextVersion(before, version, &c)
	if err != nil {
		return v, err
	}
	if next != version {
		v = v.withValueAt([]string{"version"}, value{typ: schema.Digits, text: strconv.FormatInt(next, 10)})
	}
	const day = "updated_date" // a row that no release contains keeps the version of its defaults
	if _, own := v.lookUp([]string{day}); r.has(day) && (own || next != version || r.merged.Find(0, day) < 0) {
		v = v.withValueAt([]string{day}, textValue(string(c.Date)))
	}
	if c.Verified && r.has("verification_date") {
		if v, err = r.addVerification(v, &c); err != nil {
			return v, err
		}
	}
	if c.Correction != nil {
		if v, err = s.addCorrection(r, before, v, &c, next); err != nil {
			return v, err
		}
	}
	if c.Update != nil {
		is := *c.Update
		if is.Effect != record.EffectNone {
			is.InVersion = next
		}
		v = r.appendToList(v, "source_updates", valueOf(is))
	}
	return v, nil
}

// nextVersion returns the version of a changed record: the one after version, or version itself if
// no release contains it yet.
func (r *written) nextVersion(before *written, version int64, c *Change) (int64, error) {
	if c.Published == nil {
		return version + 1, nil
	}
	was, ok := c.Published(r.kind.Name, r.id)
	if ok && version <= was.Version || !ok && (c.Correction != nil || c.Update != nil) {
		return version + 1, nil
	}
	if c.Correction == nil && (c.Update == nil || c.Update.Effect != record.EffectRecordChanged) {
		return version, r.checkReason(version, r.changedMembers(before))
	}
	return version, nil
}

// checkReason returns an error for a change without a reason in an unpublished version that has
// corrections, because their reasons would seem to explain this change too.
func (r *written) checkReason(version int64, changed []string) error {
	for _, name := range changed {
		switch name {
		case "verification_date", "verified_by":
			continue
		}
		corrected, _ := r.findCorrection(version, nil)
		if own, _ := r.findCorrection(version, []string{name}); corrected != "" && own == "" {
			return fmt.Errorf("version %d is not published yet and corrects %s: say why %s changes too (stele correct %s --set %s=… --summary …)", version, corrected, name, r.id, name)
		}
	}
	return nil
}

// addCorrection returns the record with a correction in its next version. It replaces a correction
// of the same member in that version if c asks for that, or in the cells of a table.
func (s *state) addCorrection(r, before *written, v value, c *Change, next int64) (value, error) {
	is := *c.Correction
	is.Date, is.InVersion = c.Date, next
	var err error
	if is.Fields, err = r.correctedFields(before, c.Fields); err != nil {
		return v, err
	}
	if c.Replace > 0 {
		return s.replaceCorrection(r, v, is, c.Replace-1)
	}
	name, at := r.findCorrection(next, is.Fields)
	switch {
	case name == "" || !namesMembers(is.Type):
		return r.appendToList(v, "corrections", valueOf(is)), nil
	case c.inCells:
		return s.replaceCorrection(r, v, is, at)
	}
	return v, fmt.Errorf("unpublished version %d already has a correction of %s: change that correction and its summary with a text editor", next, name)
}

// findCorrection returns the first of fields, or of all members if fields is nil, that a correction
// already names for a version, and the index of that correction; "" if there is none.
func (r *written) findCorrection(version int64, fields []string) (name string, at int) {
	list := r.merged.Find(0, "corrections")
	if list < 0 {
		return "", 0
	}
	at = -1
	for c := range r.merged.Children(list) {
		at++
		in, named := r.merged.Find(c, "in_version"), r.merged.Find(c, "fields")
		if in < 0 || named < 0 || r.merged.Nodes[in].Text != strconv.FormatInt(version, 10) {
			continue
		}
		for f := range r.merged.Children(named) {
			if name = schema.TopMember(r.merged.Nodes[f].Text); fields == nil || slices.Contains(fields, name) {
				return name, at
			}
		}
	}
	return "", 0
}

// correctedFields returns the members that a correction changed: those that differ now, and those
// that were changed by hand before.
func (r *written) correctedFields(before *written, byHand []string) ([]string, error) {
	fields := append([]string{}, r.changedMembers(before)...)
	for _, name := range byHand {
		if r.merged.Find(0, name) < 0 && r.kind.Shape().Member(name) == nil { // it may have been removed
			return nil, fmt.Errorf("unknown member %q in --fields: the record does not have it", name)
		}
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return fields, nil
}

// errUnclear means that a position cannot be found safely.
var errUnclear = errors.New("cannot edit the file safely (it may contain an anchor, an alias or a tag); make the change with a text editor")

// checkNoNewErrors returns an error if the change adds an error to the record.
func (r *written) checkNoNewErrors(before *written) error {
	known := map[string]bool{}
	for _, p := range before.problems {
		known[string(p.Code)+p.Pointer] = true
	}
	for _, p := range r.problems {
		if p.Severity() == codes.Error && !known[string(p.Code)+p.Pointer] {
			return fmt.Errorf("refused, because the change adds an error: %s", problemText(&p))
		}
	}
	return nil
}

func problemText(p *schema.Problem) string {
	s := fmt.Sprintf("%s: %s", p.Code, p.Message)
	if p.Fix != "" {
		s += "; " + p.Fix
	}
	return s
}

// malformedError returns an error for a file that cannot be edited because it cannot be read.
func malformedError(p *schema.Problem) error {
	return fmt.Errorf("cannot edit %s: %s. Correct that first; stele check lists all problems", p.Position(), problemText(p))
}
