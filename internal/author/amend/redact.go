package amend

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/input"
	"stele/internal/author/settings"
	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/disk/durable"
)

// Redacted is what a redaction does to a publisher's folder.
type Redacted struct {
	Files    []File // the list of redactions first: if anything fails after it, a build finds what is left
	Removed  string // the file of a record that is redacted whole
	Versions string // those that are left out
}

// Redact plans what a redaction changes. Its versions may be left out: those so far.
func Redact(files fs.FS, r settings.Redaction) (*Redacted, error) {
	is, err := findRecord(files, string(r.ID), r.Members)
	if err != nil {
		return nil, err
	}
	whole := len(r.Members) == 0 && r.Versions == ""
	if err := is.versions(&r); err != nil {
		return nil, err
	}
	plan := &Redacted{Versions: r.Versions}
	if whole && is.others {
		return nil, fmt.Errorf("%s has other records too: take %s out of it, and run this again with --versions %s", is.file, r.ID, r.Versions)
	}
	if whole {
		plan.Removed = is.file
	}
	old, err := fs.ReadFile(files, input.RedactionsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	plan.Files = []File{{Path: input.RedactionsFile, Old: old, New: appendRedaction(slices.Clone(old), &r)}}
	if is == nil || len(is.members) == 0 {
		return plan, nil
	}
	var unset []Setting
	for _, m := range is.members {
		unset = append(unset, Setting{Path: strings.ReplaceAll(strings.TrimPrefix(m, "/"), "/", "."), Unset: true})
	}
	changed, err := Plan(files, []string{string(r.ID)}, Change{Date: r.Date, Set: unset})
	if err != nil {
		return nil, err
	}
	changed = slices.DeleteFunc(changed, func(f File) bool { return bytes.Equal(f.Old, f.New) })
	plan.Files = append(plan.Files, changed...)
	return plan, nil
}

// Write does it.
func (p *Redacted) Write(root string) error {
	if err := Write(root, p.Files); err != nil || p.Removed == "" {
		return err
	}
	path := filepath.Join(root, filepath.FromSlash(p.Removed))
	return errors.Join(os.Remove(path), durable.SyncDir(filepath.Dir(path)))
}

// placed is a record where it stands in the folder.
type placed struct {
	file    string
	version int64
	others  bool     // whether its file has others
	members []string // those of the members that are to be taken out which it has
}

// versions fills in which versions a redaction leaves out, where it does not say so.
func (is *placed) versions(r *settings.Redaction) error {
	given := r.Versions
	switch {
	case given != "":
	case is == nil:
		return fmt.Errorf("there is no record %q here: if it was removed, say which versions: --versions 1-3", r.ID)
	default:
		last := is.version
		if len(r.Members) > 0 && len(is.members) == 0 { // it was taken out already
			last--
		}
		if last == 0 {
			return fmt.Errorf("%s has no member %s, and never had another version", r.ID, strings.Join(r.Members, ", "))
		}
		r.Versions = "1-" + strconv.FormatInt(last, 10)
	}
	if _, _, ok := r.Span(); !ok {
		return fmt.Errorf("--versions %s: write a version, or the first and the last: 2 or 1-3", given)
	}
	return nil
}

// appendRedaction adds a redaction to the text of their file. A text in JSON is one in YAML.
func appendRedaction(text []byte, r *settings.Redaction) []byte {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("# What releases leave out for good; stele redact writes it. It never holds the content.\nredactions:\n")
	} else if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	quoted := func(s string) string { return string(jsonline.AppendText(nil, s)) }
	text = fmt.Appendf(text, "  - id: %s\n    versions: %s\n", r.ID, quoted(r.Versions))
	if len(r.Members) > 0 {
		text = append(text, "    members:\n"...)
		for _, m := range r.Members {
			text = fmt.Appendf(text, "      - %s\n", quoted(m))
		}
	}
	text = fmt.Appendf(text, "    date: %s\n    reason: %s\n", r.Date, quoted(r.Reason))
	if r.KeepDigest {
		text = append(text, "    keep_digest: true\n"...)
	}
	return text
}

// findRecord finds where a record stands, and which of some members it has; nil if it is not there.
func findRecord(files fs.FS, id string, members []string) (is *placed, err error) {
	type seen struct {
		id, file, version string
		members           []string
	}
	count := map[string]int{}
	for s := range input.Read(input.Batches(files, nil), 0, func() func(input.Item) seen {
		return func(i input.Item) (s seen) {
			if i.Tree == nil || i.Tree.Nodes[0].Type != schema.Object {
				return s
			}
			s.file = strings.Clone(i.Tree.Files[0])
			for name, to := range map[string]*string{"id": &s.id, "version": &s.version} {
				if n := i.Tree.Find(0, name); n >= 0 {
					*to = strings.Clone(i.Tree.Nodes[n].Text)
				}
			}
			for _, m := range members {
				if _, whole := i.Tree.At(m); whole {
					s.members = append(s.members, m)
				}
			}
			return s
		}
	}) {
		if count[s.file]++; s.id != id {
			continue
		}
		is = &placed{file: s.file, members: s.members}
		if is.version, err = strconv.ParseInt(s.version, 10, 64); err != nil {
			return nil, fmt.Errorf("the version of %s is %q, which is no number", id, s.version)
		}
	}
	if is != nil {
		is.others = count[is.file] > 1
	}
	return is, nil
}
