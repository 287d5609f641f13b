// Package amend writes changes into the files of a publisher's records: a new version, dates, a
// correction, a source update, another value.
//
// Block YAML and CSV are edited as text, at the positions where members stand: comments, order,
// quotation marks and line breaks stay as they are. JSON, and what stands in braces or brackets in
// YAML, has no comments and is written anew: a record, or the value. What was edited is read again.
// Unless exactly the intended members differ in all files, and no new error appears, nothing is
// written.
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

// Change is what happens to each of the records.
type Change struct {
	Date   record.Date // the day of the change
	Set    []Setting   // members that get another value
	Redact []string    // JSON Pointers to what is taken out because nobody may read it
	Fields []string    // members that were changed by hand before
	// Correction is added to the corrections, Update to the source updates; each may be nil. Fields
	// and in_version are filled in.
	Correction *record.Correction
	Update     *record.SourceUpdate
	// Replace is 1 plus the index of the correction that Correction takes the place of. No release
	// has it yet.
	Replace  int
	Verified bool   // whether the record was compared with its sources
	By       string // who did that; "" where nobody is named
	Draft    bool   // it need not be right
	inCells  bool   // the cells of a row name who did that
	// Published returns what is known to be published of a record, if there is a record like that;
	// nil where nothing is known. What no release has is changed again in the same version.
	Published func(kind, id string) (Published, bool)
}

// Published is a record as a release has it.
type Published struct {
	Version int64
	SHA256  [sha256.Size]byte // of its JSON
}

// Setting is a new value for a member, or takes it out. The path leads inside with dots, as the
// columns of CSV do: claim_boundary.statement, source_links.0.url.
type Setting struct {
	Path, Value string
	JSON        bool // the value is a list or group, in JSON
	Unset       bool
}

// File is a file with its changes.
type File struct {
	Path     string // below the publisher's folder, with slashes
	Old, New []byte
	IDs      []string // of the records that changed, in the order of the file
	Same     int      // how many of those that were named have nothing to change
	Removed  bool     // the file goes
}

// Plan makes the changes in memory. Nothing is written; see Write.
func Plan(fsys fs.FS, targets []string, c Change) ([]File, error) {
	records, err := find(fsys, targets)
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

// PlanRecords changes records of one file that is known to have them.
func PlanRecords(fsys fs.FS, path string, c Change, ids ...string) ([]File, error) {
	if !c.Date.Valid() {
		return nil, fmt.Errorf("%q is not a date: write YYYY-MM-DD", c.Date)
	}
	before, err := readState(fsys, path, withID(ids...))
	if err != nil {
		return nil, err
	}
	return before.change(fsys, c, func(r *written) (value, error) {
		v, err := r.settings(c.Set)
		if err == nil {
			v, err = r.redact(v, c.Redact)
		}
		return v, err
	})
}

// change changes the chosen records: first the values, then what tells of them.
func (s *state) change(fsys fs.FS, c Change, settings func(*written) (value, error)) ([]File, error) {
	f := File{Path: s.path, Old: s.data}
	values := map[int]value{}
	for _, n := range s.numbers() {
		r := s.chosen[n]
		var err error
		if values[n], err = settings(r); err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
	}
	changed, err := s.apply(fsys, values, true)
	if err != nil {
		return nil, err
	}
	notes := map[int]value{}
	for _, n := range changed.numbers() {
		r := changed.chosen[n]
		if r.nothing(s.chosen[n], &c) {
			notes[n] = valueAt(s.chosen[n].own, 0)
			f.Same++
			continue
		}
		if notes[n], err = changed.note(r, s.chosen[n], c); err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
		f.IDs = append(f.IDs, r.id)
	}
	clear(values)
	for n, r := range s.chosen { // there may be very many, and only what is wrong with them is needed
		r.own, r.merged, changed.chosen[n].merged = nil, nil, nil
	}
	after, err := changed.apply(fsys, notes, false)
	if err != nil {
		return nil, err
	}
	for n, r := range after.chosen {
		if c.Draft {
			break
		}
		if err := r.noWorse(s.chosen[n]); err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
	}
	f.New = after.data
	if bytes.Equal(s.beside, after.beside) {
		return []File{f}, nil
	}
	return []File{f, {Path: input.BesideOf(f.Path), Old: s.beside, New: after.beside}}, nil
}

// readState reads a file with the records that are chosen, and the corrections beside it.
func readState(fsys fs.FS, path string, choose func(id string, line int32) bool) (*state, error) {
	of, err := openOne(fsys, path)
	if err != nil {
		return nil, err
	}
	return of.read(choose, true)
}

// withID chooses records by their IDs.
func withID(ids ...string) func(string, int32) bool {
	chosen := map[string]bool{}
	for _, id := range ids {
		chosen[id] = true
	}
	return func(id string, _ int32) bool { return chosen[id] }
}

// settings is the record with the new values.
func (r *written) settings(set []Setting) (value, error) {
	v := valueAt(r.own, 0)
	for _, s := range set {
		path := strings.Split(s.Path, ".")
		if path[0] == "id" || path[0] == "kind" || path[0] == r.kind.IDMember() {
			return v, fmt.Errorf("%s is never changed: it is part of an address that others have written down", path[0])
		}
		if slices.Contains([]string{"version", "updated_date", "corrections", "source_updates"}, path[0]) {
			return v, fmt.Errorf("%s is written by this command itself; leave it out of --set", path[0])
		}
		if s.Unset {
			var err error
			if v, err = r.unset(v, path); err != nil {
				return v, err
			}
			continue
		}
		to, err := fromJSON(s.Value)
		if !s.JSON {
			to, err = r.typed(path, s.Value)
		}
		if err != nil {
			return v, err
		}
		v = r.overlay(v, path, to)
	}
	return v, nil
}

// unset is the record without a member.
func (r *written) unset(v value, path []string) (value, error) {
	name := strings.Join(path, ".")
	if _, ok := v.at(path); !ok {
		if _, whole := r.merged.At(pointer(path)); whole {
			return v, fmt.Errorf("%s is that of %s: take it out there", name, input.DefaultsFile)
		}
		return v, fmt.Errorf("there is no %s in it", name)
	}
	if outer, _ := v.at(path[:len(path)-1]); outer.typ == schema.Array {
		return v, fmt.Errorf("%s is an element of a list: take it out by hand, and name %s in --fields", name, path[0])
	}
	return v.without(path), nil
}

// verified is the record with the day and the name of whoever compared it with its sources now; the
// name of whoever did it before goes.
func (r *written) verified(v value, c *Change) (value, error) {
	const by = "verified_by"
	v = v.with([]string{"verification_date"}, text(string(c.Date)))
	switch _, own := v.at([]string{by}); {
	case c.By != "":
		return v.with([]string{by}, text(c.By)), nil
	case own && c.inCells:
	case own:
		return v.without([]string{by}), nil
	case r.text(by) != "":
		return v,
			fmt.Errorf("%s names %q in %s: say who compared it with its sources now: --by NAME for reverify, set: {verified_by: NAME} in the series of the map for import, else --verified=NAME", by, r.text(by), input.DefaultsFile)
	}
	return v, nil
}

// nothing reports whether there is nothing to tell of: no value differs, and nothing else happened.
func (r *written) nothing(before *written, c *Change) bool {
	if len(c.Fields) > 0 || c.Update != nil || len(r.differs(before)) > 0 {
		return false
	}
	if c.Correction != nil {
		return c.Replace == 0 && len(c.Correction.BecauseOf) == 0 && changesMembers(c.Correction.Type)
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
	return ok && was.SHA256 == r.sum()
}

// changesMembers reports whether a correction of a type says that members changed.
func changesMembers(t record.CorrectionType) bool {
	return t == record.CorrectionCorrection || t == record.CorrectionClarification
}

// notes is the record with what tells of a change: version, dates, a correction, a source update.
func (s *state) notes(r, before *written, c Change) (value, error) {
	v := valueAt(r.own, 0)
	version, err := strconv.ParseInt(r.text("version"), 10, 64)
	if err != nil || version < 1 {
		return v, fmt.Errorf("its version is %q, so the next one is not clear; mend that first", r.text("version"))
	}
	for _, name := range []string{"updated_date", "published_date", "verification_date"} {
		if was := record.Date(r.text(name)); was > c.Date && !c.Draft && (name != "verification_date" || c.Verified) {
			return v, fmt.Errorf("its %s is %s, which is after %s; give a later --date", name, was, c.Date)
		}
	}
	next, err := r.next(before, version, &c)
	if err != nil {
		return v, err
	}
	if next != version {
		v = v.with([]string{"version"}, number(next))
	}
	const day = "updated_date" // a row that no release has keeps that of its defaults
	if _, own := v.at([]string{day}); r.has(day) && (own || next != version || r.merged.Find(0, day) < 0) {
		v = v.with([]string{day}, text(string(c.Date)))
	}
	if c.Verified && r.has("verification_date") {
		if v, err = r.verified(v, &c); err != nil {
			return v, err
		}
	}
	if c.Correction != nil {
		if v, err = s.correct(r, before, v, &c, next); err != nil {
			return v, err
		}
	}
	if c.Update != nil {
		is := *c.Update
		if is.Effect != record.EffectNone {
			is.InVersion = next
		}
		v = r.add(v, "source_updates", valueOf(is))
	}
	return v, nil
}

// next returns the version of a change: the one after version, or version itself if no release has
// it yet.
func (r *written) next(before *written, version int64, c *Change) (int64, error) {
	if c.Published == nil {
		return version + 1, nil
	}
	was, ok := c.Published(r.kind.Name, r.id)
	if ok && version <= was.Version || !ok && (c.Correction != nil || c.Update != nil) {
		return version + 1, nil
	}
	if c.Correction == nil && (c.Update == nil || c.Update.Effect != record.EffectRecordChanged) {
		return version, r.needsReason(version, r.differs(before))
	}
	return version, nil
}

// needsReason refuses a change of members without a reason in a version that has corrections, and
// that no release has: their reasons would be read as the reasons of this change too.
func (r *written) needsReason(version int64, changed []string) error {
	for _, name := range changed {
		switch name {
		case "verification_date", "verified_by":
			continue
		}
		corrected, _ := r.correctedIn(version, nil)
		if own, _ := r.correctedIn(version, []string{name}); corrected != "" && own == "" {
			return fmt.Errorf("version %d is not published yet and corrects %s: say why %s changes too (stele correct %s --set %s=… --summary …)", version, corrected, name, r.id, name)
		}
	}
	return nil
}

// correct returns the record with a correction in its next version. A correction of a member that
// has one in that version already takes its place, if that is asked for, or in the cells of a
// table.
func (s *state) correct(r, before *written, v value, c *Change, next int64) (value, error) {
	is := *c.Correction
	is.Date, is.InVersion = c.Date, next
	var err error
	if is.Fields, err = r.fields(before, c.Fields); err != nil {
		return v, err
	}
	if c.Replace > 0 {
		return s.replaced(r, v, is, c.Replace-1)
	}
	name, at := r.correctedIn(next, is.Fields)
	switch {
	case name == "" || !changesMembers(is.Type):
		return r.add(v, "corrections", valueOf(is)), nil
	case c.inCells:
		return s.replaced(r, v, is, at)
	}
	return v, fmt.Errorf("version %d has a correction of %s already, and no release has it: change that one, its summary too, by hand", next, name)
}

// correctedIn returns one of some members, or of all if that is nil, that a correction names for a
// version already; "" for none.
func (r *written) correctedIn(version int64, fields []string) (name string, at int) {
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

// fields names what a correction changed: the members that differ now, and those that were changed
// by hand before.
func (r *written) fields(before *written, byHand []string) ([]string, error) {
	fields := append([]string{}, r.differs(before)...)
	for _, name := range byHand {
		if r.merged.Find(0, name) < 0 && r.kind.Shape().Member(name) == nil { // it may have been taken out
			return nil, fmt.Errorf("it has no member %q; --fields names members that the record has", name)
		}
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return fields, nil
}

// errUnclear says that a position cannot be found safely.
var errUnclear = errors.New("it is written in a way that cannot be edited safely here (an anchor, an alias or a tag, say); make the change by hand")

// noWorse makes sure that a record is as right as it was.
func (r *written) noWorse(before *written) error {
	known := map[string]bool{}
	for _, p := range before.problems {
		known[string(p.Code)+p.Pointer] = true
	}
	for _, p := range r.problems {
		if p.Severity() == codes.Error && !known[string(p.Code)+p.Pointer] {
			return fmt.Errorf("that would be wrong: %s", reason(&p))
		}
	}
	return nil
}

func reason(p *schema.Problem) string {
	s := fmt.Sprintf("%s: %s", p.Code, p.Message)
	if p.Fix != "" {
		s += "; " + p.Fix
	}
	return s
}

// malformed answers with a file that cannot be edited because it cannot be read.
func malformed(p *schema.Problem) error {
	return fmt.Errorf("%s cannot be edited: %s. Mend that first; stele check shows all", p.Position(), reason(p))
}
