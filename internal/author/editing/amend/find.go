package amend

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/base/suggest"
	"stele/record"
)

// located is a record and its position.
type located struct {
	id, file string
	line     int32
	kind     *record.Kind
}

// findRecords returns the records that targets name: IDs, patterns of IDs, files and folders.
func findRecords(fsys fs.FS, targets []string) ([]located, error) {
	if len(targets) == 0 {
		return nil, errors.New("name a record, a pattern such as 'sta-mcv1-*', a file or a folder")
	}
	wanted := make([]target, len(targets))
	for i, t := range targets {
		var err error
		if wanted[i], err = parseTarget(fsys, t); err != nil {
			return nil, err
		}
	}
	exact, others := splitTargets(wanted)
	var ids []string
	var found []located
	seen := map[string]located{}
	for p := range input.Read(input.Batches(fsys, nil), 0, func() func(input.Item) located {
		return func(i input.Item) located {
			if i.Tree == nil {
				return located{}
			}
			return located{strings.Clone(i.Tree.Text("id")), i.Own.Files[0], i.Own.Nodes[0].At.Line, i.Kind}
		}
	}) {
		if p.id == "" {
			continue
		}
		if len(ids) < 100_000 { // enough for suggestions
			ids = append(ids, p.id)
		}
		chosen, err := matchTargets(exact[p.id], others, &p)
		if err != nil {
			return nil, err
		}
		if !chosen {
			continue
		}
		if other, twice := seen[p.id]; twice {
			return nil, fmt.Errorf("duplicate ID %s, at %s:%d and %s:%d. Give one of the records another ID first",
				p.id, other.file, other.line, p.file, p.line)
		}
		seen[p.id] = p
		found = append(found, p)
	}
	for _, w := range wanted {
		if !w.found {
			return nil, w.notFoundError(ids)
		}
	}
	return found, nil
}

func splitTargets(wanted []target) (exact map[string][]*target, others []*target) {
	exact = map[string][]*target{}
	for i := range wanted {
		if t := &wanted[i]; t.path == "" && !t.pattern {
			exact[t.text] = append(exact[t.text], t)
		} else {
			others = append(others, t)
		}
	}
	return exact, others
}

// matchTargets reports whether any target names record p, and marks those targets as found.
func matchTargets(exact, others []*target, p *located) (chosen bool, err error) {
	event := p.kind.Name == "change_event"
	if event && len(exact) > 0 {
		return false, fmt.Errorf("cannot change %s: it is a change event, which only stele build writes", p.id)
	}
	for _, t := range exact {
		t.found, chosen = true, true
	}
	for _, t := range others {
		if !event && t.matches(p) {
			t.found, chosen = true, true
		}
	}
	return chosen, nil
}

// target is one argument: an ID, a pattern, a file or a folder.
type target struct {
	text    string
	path    string // a file or folder; "" for others
	pattern bool
	found   bool
}

func parseTarget(fsys fs.FS, s string) (target, error) {
	t := target{text: s}
	clean := path.Clean(strings.ReplaceAll(s, "\\", "/"))
	if strings.Contains(clean, "/") || clean == "records" {
		if _, err := fs.Stat(fsys, clean); err != nil || !fs.ValidPath(clean) {
			return t, fmt.Errorf("no file or folder %s in this records folder", s)
		}
		t.path = clean
		return t, nil
	}
	if t.pattern = strings.ContainsAny(s, "*?["); t.pattern {
		if _, err := path.Match(s, ""); err != nil {
			return t, fmt.Errorf("malformed pattern %q: use * for any characters, ? for one character, and [ab] for a or b", s)
		}
	}
	return t, nil
}

func (t *target) matches(p *located) bool {
	if t.path != "" {
		return p.file == t.path || strings.HasPrefix(p.file, t.path+"/")
	}
	ok, _ := path.Match(t.text, p.id)
	return ok
}

// missingError is the error for a target that matches no record.
type missingError string

func (e missingError) Error() string { return string(e) }

func (t *target) notFoundError(ids []string) error {
	if t.path != "" || t.pattern {
		return missingError("no record matches " + t.text)
	}
	return missingError(fmt.Sprintf("unknown record %q%s", t.text, suggest.DidYouMean(t.text, ids)))
}
