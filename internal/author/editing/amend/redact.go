package amend

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Redacted is the effect of a redaction on a publisher's folder.
type Redacted struct {
	// the list of redactions comes first, so that builds refuse the rest if anything fails after it
	Files    []File
	Versions string           // the redacted versions
	Naming   []string         // records that refer to a deleted one
	Found    []scrutiny.Found // removed words that other texts contain and may contain
}

// RevealedError says which texts repeat redacted content. Nothing is planned then.
type RevealedError struct {
	Found []scrutiny.Found
	Own   bool      // the reason or the new texts repeat it, not only other texts
	Plan  *Redacted // the redaction's changes, if the other texts are redacted too
}

func (e *RevealedError) Error() string {
	var b strings.Builder
	b.WriteString("other texts repeat the redacted content:\n")
	for _, f := range e.Found {
		fmt.Fprintf(&b, "  %q in %s", f.Word, strings.Join(f.Where, ", "))
		if more := f.Count - len(f.Where); more > 0 {
			fmt.Fprintf(&b, " and %d other texts", more)
		}
		b.WriteByte('\n')
	}
	b.WriteString("These texts are public. Remove the words there too; in the reason, say only what kind of content it was. " +
		"To allow a word that reveals nothing, use --ordinary WORD")
	return b.String()
}

// Redact plans a redaction. If it names no versions, all versions so far are redacted. words maps
// the JSON Pointer of a member to the text that replaces it; other members are removed. Required
// members need such a text.
func Redact(files fs.FS, r settings.Redaction, words map[string]string) (*Redacted, error) {
	r.Replaced = slices.Sorted(maps.Keys(words))
	if len(r.Ordinary) == 0 {
		r.Ordinary = nil // as it will be read back
	}
	for _, m := range r.Replaced {
		if !slices.Contains(r.Members, m) {
			r.Members = append(r.Members, m)
		}
	}
	is, err := findRedactable(files, &r, words)
	if err != nil {
		return nil, err
	}
	whole := len(r.Members) == 0 && r.Versions == ""
	r.Whole = whole || len(r.Members) == 0 && is.file == nil
	if err := is.setVersions(&r); err != nil {
		return nil, err
	}
	if whole && len(is.file.others) > 1 {
		return nil, fmt.Errorf("%s contains other records: remove %s from it, then run this command again with --versions %s",
			is.file.path, r.ID, r.Versions)
	}
	plan := &Redacted{Versions: r.Versions}
	list, err := addRedaction(files, r)
	if err != nil {
		return nil, err
	}
	plan.Files = append(plan.Files, list)
	switch {
	case whole:
		plan.Files = append(plan.Files, File{Path: is.file.path, Old: is.file.data, Removed: true})
	case len(is.members) > 0:
		changed, err := Plan(files, []string{string(r.ID)}, is.redactionChange(&r, words))
		if err != nil {
			return nil, fmt.Errorf("%w\nIf the member is required, replace its text: --set MEMBER=TEXT", err)
		}
		plan.Files = append(plan.Files, changed...)
	}
	plan.Files = slices.DeleteFunc(plan.Files, func(f File) bool { return bytes.Equal(f.Old, f.New) && !f.Removed })
	if err := plan.compare(files, &is, &r, words); err != nil {
		return nil, err
	}
	return plan, nil
}

// redactionChange returns the change that removes members or replaces their text.
func (is *redactable) redactionChange(r *settings.Redaction, words map[string]string) Change {
	c := Change{Date: r.Date}
	for _, m := range is.members {
		if text, ok := words[m]; ok {
			c.Set = append(c.Set, Setting{Path: strings.Join(schema.Steps(m), "."), Value: text})
		} else {
			c.Redact = append(c.Redact, m)
		}
	}
	return c
}

// compare looks for words of the redacted content in the reason and in everything that the folder
// publishes. If the record is deleted, it finds the records that refer to it.
func (plan *Redacted) compare(files fs.FS, is *redactable, r *settings.Redaction, words map[string]string) error {
	out := scrutiny.NewWords(r)
	whole := len(plan.Files) > 0 && plan.Files[len(plan.Files)-1].Removed
	if is.file != nil {
		for _, w := range is.file.chosen {
			if whole {
				out.AddRedactedTree(w.merged, nil)
			} else if len(is.members) > 0 {
				out.AddRedactedTree(w.merged, is.members)
				out.CompareTree(w.id, w.merged, is.members...)
			}
		}
	}
	if !whole && out.IsEmpty() {
		return nil
	}
	out.CompareText("the reason", r.Reason)
	for _, m := range r.Replaced {
		out.CompareText("the new text of "+m, words[m])
	}
	own := slices.ContainsFunc(out.Found(), func(f scrutiny.Found) bool { return f.Refused })
	s, _, err := input.ReadSettings(files)
	if err != nil {
		return err
	}
	out.CompareSettings(input.SettingsFile, &s)
	schemes, _ := input.ReadAreas(files, s.Areas, io.Discard)
	out.CompareAreas(schemes)
	if naming := searchRecords(files, string(r.ID), out); whole {
		plan.Naming = naming
	}
	plan.Found = out.Found()
	refused := plan.Found
	if n := slices.IndexFunc(refused, func(f scrutiny.Found) bool { return !f.Refused }); n >= 0 {
		refused = refused[:n]
	}
	if len(refused) > 0 {
		return &RevealedError{refused, own, plan}
	}
	return nil
}

// searchRecords compares the words in out with all records except id, and returns those that refer
// to id. It uses one core, so that the first texts with a word are always the same.
func searchRecords(files fs.FS, id string, out *scrutiny.Words) (naming []string) {
	one := func() func(input.Item) string {
		return func(i input.Item) string {
			if i.Tree == nil || i.Tree.Text("id") == id {
				return ""
			}
			out.AddKnownEntity(i.Kind, i.Tree)
			out.CompareTree(i.Tree.Text("id"), i.Tree)
			if !slices.ContainsFunc(i.Tree.Nodes, func(n schema.Node) bool { return n.Text == id }) {
				return ""
			}
			return strings.Clone(i.Tree.Text("id"))
		}
	}
	for name := range input.Read(input.Batches(files, nil), 1, one) {
		if name != "" {
			naming = append(naming, name)
		}
	}
	return naming
}

// redactable is a record to redact, if the folder contains it.
type redactable struct {
	file    *state
	version int64
	members []string // the members to remove that it has
}

func findRedactable(files fs.FS, r *settings.Redaction, words map[string]string) (is redactable, err error) {
	found, err := findRecords(files, []string{string(r.ID)})
	if errors.As(err, new(missingError)) {
		return is, nil
	}
	if err == nil {
		is.file, err = readState(files, found[0].file, hasID(string(r.ID)))
	}
	if err != nil {
		return is, err
	}
	for _, w := range is.file.chosen {
		if is.version, err = strconv.ParseInt(w.text("version"), 10, 64); err != nil {
			return is, fmt.Errorf("the version of %s is %q, which is not a number", r.ID, w.text("version"))
		}
		for _, m := range r.Members {
			i, whole := w.merged.At(m)
			if text := w.merged.Nodes[i].Text; !whole || text == settings.RedactedText || text != "" && text == words[m] {
				continue
			}
			is.members = append(is.members, m)
		}
	}
	return is, nil
}

// setVersions sets r.Versions to all versions so far if it is empty, and checks it otherwise.
func (is *redactable) setVersions(r *settings.Redaction) error {
	given := r.Versions
	switch {
	case given != "":
	case is.file == nil && len(r.Members) > 0 && isReadOnly(string(r.ID)):
		r.Versions = "1"
	case is.file == nil:
		return fmt.Errorf("unknown record %q: if it was removed, name its versions, as in --versions 1-3", r.ID)
	default:
		last := is.version
		if len(r.Members) > 0 && len(is.members) == 0 { // it was removed already
			last--
		}
		if last == 0 {
			return fmt.Errorf("%s has no member %s, and has only one version", r.ID, strings.Join(r.Members, ", "))
		}
		r.Versions = settings.Versions(1, last)
	}
	_, last, ok := r.Span()
	if !ok {
		return fmt.Errorf("malformed --versions %s: write one version, such as 2, or the first and the last, such as 1-3", given)
	}
	if len(is.members) > 0 && last < is.version {
		return fmt.Errorf("--versions %s: include version %d, which has %s too", given, is.version, strings.Join(is.members, ", "))
	}
	if is.file != nil && last > is.version {
		return fmt.Errorf("--versions %s: the latest version of %s is %d", given, r.ID, is.version)
	}
	return nil
}

// isReadOnly reports whether id is that of a change event, which the program writes, or of the
// settings. Their texts are redacted only in earlier releases.
func isReadOnly(id string) bool { return strings.HasPrefix(id, "chg-") || id == input.SettingsFile }

// addRedaction adds a redaction to the folder's list, unless it is there already, and reads back
// the result.
func addRedaction(files fs.FS, r settings.Redaction) (f File, err error) {
	f.Path = input.RedactionsFile
	if f.Old, err = fs.ReadFile(files, f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	tree, list, problems := input.ParseRedactions(f.Old)
	for _, p := range problems {
		if p.Severity() == codes.Error {
			return f, malformedError(&p)
		}
	}
	f.New = f.Old
	same := func(x settings.Redaction) bool {
		return x.ID == r.ID && x.Versions == r.Versions && slices.Equal(x.Members, r.Members)
	}
	if slices.ContainsFunc(list, same) { // by an interrupted run
		return f, nil
	}
	if f.New, err = withRedaction(f.Old, tree, valueOf(r)); err != nil {
		return f, fmt.Errorf("%s: %w", f.Path, err)
	}
	_, now, found := input.ParseRedactions(f.New)
	for _, p := range found {
		if p.Severity() == codes.Error || strings.HasPrefix(p.Pointer, fmt.Sprintf("/redactions/%d/", len(list))) {
			return f, fmt.Errorf("the reason is public: %s: %s", p.Code, p.Message)
		}
	}
	if !reflect.DeepEqual(now, append(list, r)) {
		return f, fmt.Errorf("%s: %w", f.Path, errUnclear)
	}
	return f, nil
}

// withRedaction returns the text of the list with one more redaction.
func withRedaction(text []byte, tree *schema.Tree, r value) ([]byte, error) {
	path := []string{"redactions"}
	if tree == nil { // it contains only comments, or does not exist
		text = append(bytes.TrimRight(text, "\r\n\t "),
			"\n# Redacted content, which releases leave out for ever. stele redact writes this file. It does not contain the content.\n"...)
		want := wrapInPath(path, value{typ: schema.Array, members: []member{{"", r}}})
		return append(bytes.TrimLeft(text, "\n"), blockMember(want.members[0], "")...), nil
	}
	want := valueAt(tree, 0)
	all, ok := want.lookUp(path)
	if !ok {
		return nil, errUnclear
	}
	if all.isScalar() { // the list is empty
		return nil, errors.New("redactions is empty: write redactions: []")
	}
	all.members = append(slices.Clone(all.members), member{"", r})
	want = want.withValueAt(path, all)
	return editAll(text, tree, nil, &want)
}

// redact returns the record without the members at pointers. In a correction or source update, the
// summary is replaced instead, because these lists must stay.
func (r *written) redact(v value, pointers []string) (value, error) {
	for _, p := range pointers {
		path := schema.Steps("/" + strings.TrimPrefix(p, "/"))
		at, _ := r.merged.At(p)
		last := len(path) - 1
		outer, _ := v.lookUp(path[:last])
		switch _, own := v.lookUp(path); {
		case !own:
			return v, fmt.Errorf("%s is set in %s: remove it there", p,
				r.merged.Files[min(max(int(r.merged.Nodes[at].File), 1), len(r.merged.Files)-1)])
		case slices.Contains([]string{"id", "kind", "version", "updated_date", r.kind.IDMember()}, path[0]):
			return v, fmt.Errorf("cannot redact %s alone, because readers of the history need it: redact the whole record",
				path[0])
		case outer.typ == schema.Array:
			return v, fmt.Errorf("%s is a list element: name a member of it, such as %s/summary", p, p)
		case (path[0] == "corrections" || path[0] == "source_updates") && path[last] == "summary":
			v = v.withValueAt(path, textValue(settings.RedactedText))
		default:
			v = v.withoutPath(path)
		}
	}
	return v, nil
}
