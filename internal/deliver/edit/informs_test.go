package edit

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/internal/author/judging/explain"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/published"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// terminal finds what only a terminal understands.
var terminal = regexp.MustCompile(`(^|[ (])--[a-z]|\bstele (correct|revise|reverify|retract|redact|new|publish|import)\b`)

// TestNoFlagsInForms: what forms show of each finding names no flag and no command.
func TestNoFlagsInForms(t *testing.T) {
	b := open(t, sampleFolder(t))
	r := must.Get(http.NewRequest(http.MethodGet, "/", nil))(t)
	p := must.Get(b.e.newPage(nil, r, must.Get(b.e.currentIndex())(t)))(t)
	files := must.Get(specimen.StarterFiles())(t)
	shown := 0
	for _, info := range codes.Table {
		e := must.Get(explain.Find(info.Code))(t)
		opt := compiler.Options{Date: "2026-02-01", NoVariants: true, AllowMove: true}
		if e.Before != nil {
			target := filepath.Join(t.TempDir(), "release")
			w := must.Get(store.NewWriter(target))(t)
			must.Get(compiler.Build(t.Context(), specimen.FolderWith(files, info.Code, e.Before), w, opt))(t)
			if err := w.Commit(); err != nil {
				continue // it is about releases
			}
			r, closeRelease, err := store.Open(target)
			must.Do(t, err)
			defer closeRelease()
			opt.Previous = r
		}
		o, err := compiler.Build(context.Background(), specimen.FolderWith(files, info.Code, e.Bad),
			store.NewMemory(), opt)
		if errors.As(err, new(*release.DamagedError)) || err != nil {
			continue
		}
		for i := range o.Check.Problems {
			shown++
			if text := p.findingText(&o.Check.Problems[i]); terminal.MatchString(text) {
				t.Errorf("%s: %s", info.Code, text)
			}
		}
	}
	if shown < 90 {
		t.Errorf("%d findings", shown)
	}
	for _, m := range []struct{ file, source, message string }{ // source is the literal of the message in the file
		{
			"../../author/editing/amend/amend.go", "name the person who verified the record now, with --by NAME for reverify",
			`verified_by names "Ana" in _defaults.yaml: name the person who verified the record now, with --by NAME for reverify, and --verified=NAME otherwise`,
		},
		{
			"../../author/editing/amend/redact.go", "contains other records: remove %s from it, then run this command again with --versions %s",
			"x.csv contains other records: remove sta-a from it, then run this command again with --versions 1-2",
		},
		{
			"../../author/editing/amend/redact.go", "If the member is required, replace its text: --set MEMBER=TEXT",
			"If the member is required, replace its text: --set MEMBER=TEXT",
		},
		{
			"../../author/editing/amend/redact.go", "To allow a word that reveals nothing, use --ordinary WORD",
			"To allow a word that reveals nothing, use --ordinary WORD",
		},
		{
			"../../author/editing/amend/redact.go", "name its versions, as in --versions 1-3",
			`unknown record "sig-a": if it was removed, name its versions, as in --versions 1-3`,
		},
		{"../../author/editing/tables/questions.yaml", "add --over-corrections", "If the table is right, add --over-corrections"},
		{
			"../../author/editing/tables/questions.yaml", "To keep them, add --keep-gone; retract those that are no longer valid with `stele retract`",
			"To keep them, add --keep-gone; retract those that are no longer valid with `stele retract`",
		},
		{
			"../push/service.go", "Run stele publish --confirm to read it again",
			"release a is in b, and c does not show it after 30s: d. Run stele publish --confirm to read it again",
		},
		{
			"../push/service.go", "run stele publish --confirm to read the URL again",
			"interrupted: release a is in b; run stele publish --confirm to read the URL again",
		},
		{
			"../push/memory.go", "If it was given up on purpose, add --allow forget",
			"An old backup may have been restored.\n  If it was given up on purpose, add --allow forget",
		},
		{
			"../../compile/compiler/previous.go", "If the service has moved, use --allow move once",
			"the previous release is of another service. If the service has moved, use --allow move once to continue",
		},
		{
			"../../../cmd/stele/publish.go", "Name the key as publish.key in stele.yaml, or add --allow unsigned",
			"bar is signed. Name the key as publish.key in stele.yaml, or add --allow unsigned",
		},
	} {
		if !strings.Contains(string(must.Get(os.ReadFile(m.file))(t)), m.source) {
			t.Errorf("%s has no message with %q any more: change this row and inForms", m.file, m.source)
		}
		if text := p.rewordForForms(m.message); terminal.MatchString(text) || strings.Contains(text, "{") {
			t.Errorf("%s", text)
		}
	}
}

// refusing is a service that publishes only if the user allows something.
type refusing struct {
	faulty
	err     error
	found   []schema.Problem
	allowed string
}

func (r *refusing) Publish(
	_ context.Context, w *strings.Builder, allow string, agree func(string) bool,
) ([]schema.Problem, error) {
	if r.allowed = allow; allow == "" {
		return r.found, r.err
	}
	w.WriteString("One record would change.")
	if !agree(w.String()) {
		return r.found, published.ErrNotAgreed
	}
	return nil, nil
}

// TestAllowances: where the command names a flag or a file, the page Publish has a box, and lists
// errors as errors.
func TestAllowances(t *testing.T) {
	fault := schema.Problem{Code: codes.Vanished, File: "records", Record: "sig-x", Message: "it is gone"}
	terms := schema.Problem{Code: codes.TermsChanged, File: "stele.yaml", Message: "the terms changed", Fix: "add --allow license"}
	for word, f := range map[string]*refusing{
		"shrink":   {err: published.ErrShrinks, found: []schema.Problem{fault}},
		"license":  {err: published.ErrErrors, found: []schema.Problem{terms}},
		"unsigned": {err: errors.New("the live release is signed. Add a key, or add --allow unsigned")},
		"forget":   {err: errors.New("this machine published release a.\n  If it was given up on purpose, add --allow forget")},
	} {
		dir := begun(t)
		path := filepath.Join(dir, "stele.yaml")
		data := must.Get(os.ReadFile(path))(t)
		must.Do(t, os.WriteFile(path, append(data, "publish:\n  folder: public\n"...), 0o644))
		b := open(t, dir, f)
		_, page := b.ask(http.MethodGet, "publish", nil, nil)
		if warnings, _, _ := strings.Cut(page, "it is gone"); strings.Contains(warnings, ">Warnings<") || terminal.MatchString(page) {
			t.Errorf("%s: %s", word, page)
		}
		_, page = b.ask(http.MethodPost, "publish", changed(formOf(t, page), "@allow", word), nil)
		form := changed(formOf(t, page), "do", "publish")
		if _, page = b.ask(http.MethodPost, "publish", form, nil); f.allowed != word || !strings.Contains(page, "It is published") {
			t.Errorf("%s, %q: %s", word, f.allowed, page)
		}
	}
}

// TestShared: what a table shares is changed for all rows, with a reason in those that are
// published.
func TestShared(t *testing.T) {
	const at = "records/healthcare-statistics/mcv1/countries/"
	for published, service := range map[bool]published.Service{false: &faulty{asked: 1}, true: nil} {
		dir := sampleFolder(t)
		path := filepath.Join(dir, "stele.yaml")
		data := must.Get(os.ReadFile(path))(t)
		must.Do(t, os.WriteFile(path, append(data, "publish:\n  folder: public\n"...), 0o644))
		if published {
			service = &everything{dir: dir}
		}
		b := open(t, dir, service)
		b.ask(http.MethodPost, "look", nil, nil)
		before := state(t, dir)
		_, page := b.ask(http.MethodGet, "shared/"+at+"coverage.csv", nil, nil)
		form := changed(formOf(t, page), "unit_label", "per cent of infants")
		if _, page := b.save("shared/"+at+"coverage.csv", form); strings.Contains(page, "say whether they were wrong") != published {
			t.Fatalf("%v: %s", published, page)
		}
		if published {
			form.Set("@why", "correct")
			form.Set("@summary", "The unit was incomplete.")
			if _, page := b.save("shared/"+at+"coverage.csv", form); !strings.Contains(page, "Saved in the folder") {
				t.Fatalf("%s", page)
			}
		}
		reasons := 0
		for path, text := range state(t, dir) {
			switch was := before[path]; {
			case strings.HasSuffix(path, at+"_defaults.yaml"):
				if strings.Count(text, "per cent of infants") != 1 || len(text) > len(was)+40 {
					t.Errorf("%v: %s", published, text)
				}
			case published && strings.Contains(path, at):
				reasons += strings.Count(text, "The unit was incomplete.")
			case text != was:
				t.Errorf("%v: %s has changed", published, path)
			}
		}
		x := must.Get(b.e.currentIndex())(t)
		want := 0
		for _, r := range x.list {
			if published && strings.HasPrefix(r.file, at) {
				want++
			}
		}
		if reasons != want {
			t.Errorf("%d of %d records have the reason", reasons, want)
		}
		r := must.Get(http.NewRequest(http.MethodGet, "/", nil))(t)
		if _, found, err := must.Get(b.e.newPage(nil, r, x))(t).findNewErrors(nil); err != nil {
			t.Error(err)
		} else {
			for i := range found {
				if isError(found[i]) {
					t.Errorf("%v: %v", published, &found[i])
				}
			}
		}
	}
}

// TestStates: a table says whether it is published, and a record that was retracted cannot be
// retracted again.
func TestStates(t *testing.T) {
	dir := sampleFolder(t)
	const at = "grid/records/healthcare-statistics/mcv1/countries/coverage.csv"
	path := filepath.Join(dir, "stele.yaml")
	data := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, append(data, "publish:\n  folder: public\n"...), 0o644))
	for want, service := range map[string]published.Service{
		"rows are published. If you change one": &everything{dir: dir}, "No row of this table is published yet": &faulty{asked: 1},
	} {
		b := open(t, dir, service)
		b.ask(http.MethodPost, "look", nil, nil)
		_, page := b.ask(http.MethodGet, at, nil, nil)
		if !strings.Contains(page, want) || strings.Contains(page, `name="@why"`) == strings.HasPrefix(want, "No") {
			t.Errorf("%s: %s", want, page)
		}
	}
	b := open(t, dir, &everything{dir: dir})
	b.ask(http.MethodPost, "look", nil, nil)
	x := must.Get(b.e.currentIndex())(t)
	retracted := 0
	for _, r := range x.list {
		if !r.retracted {
			continue
		}
		retracted++
		_, page := b.ask(http.MethodGet, "record/"+r.id, nil, nil)
		_, door := b.ask(http.MethodGet, "record/"+r.id+"/retract", nil, nil)
		if strings.Contains(page, r.id+`/retract"`) || strings.Contains(page, r.id+`/reverify"`) ||
			!strings.Contains(page, r.id+`/correct"`) || !strings.Contains(door, "This record was retracted") {
			t.Errorf("%s\n%s", page, door)
		}
	}
	if retracted == 0 {
		t.Error("no record was retracted")
	}
}
