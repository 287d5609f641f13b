package compiler_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// TestDraft: whatever a release has, a draft of it makes to the byte, but for what only a whole
// release can tell of its pages and of what was before.
func TestDraft(t *testing.T) {
	opt := compiler.Options{Date: "2026-12-01", NoVariants: true, Render: []render.Renderer{renderAll}}
	r := makeRelease(t, sample.Files, opt)
	outcome, draft, err := compiler.Preview(context.Background(), sample.Files, opt, nil)
	if err != nil || draft == nil {
		t.Fatalf("%v: %v", err, problems(outcome))
	}
	defer draft.Close()
	if outcome.Manifest.Release != r.Manifest.Release {
		t.Errorf("the draft is of release %s, and the release is %s", outcome.Manifest.Release, r.Manifest.Release)
	}
	for path, want := range r.files {
		if path == layout.ManifestPath || slices.Contains(r.Manifest.FileListings(), path) {
			continue
		}
		if got, err := fs.ReadFile(draft, path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has %d bytes, and in the release %d: %v", path, len(got), len(want), err)
		}
		if !draft.Has(path) {
			t.Errorf("the draft does not know of %s", path)
		}
	}
	for _, path := range []string{"", "none", "api/v1/signals/none.json", "api/v1/evidence/sig-uk-coverage-dip.json"} {
		if _, err := draft.Open(path); !errors.Is(err, fs.ErrNotExist) || draft.Has(path) {
			t.Errorf("%q is there, or cannot be read: %v", path, err)
		}
	}
}

// TestDraftOfFaults: of faulty records there is no draft.
func TestDraftOfFaults(t *testing.T) {
	folder := starterFolder(t)
	faulty := edit(t, folder, "records/signals/sig-example-rise.yaml", "signal_type: indicator_change", "signal_type: rumour")
	outcome, draft, err := compiler.Preview(context.Background(), faulty, compiler.Options{Date: releaseDate}, nil)
	if err != nil || draft != nil || outcome.Manifest != nil || outcome.Check.Errors == 0 {
		t.Errorf("%v, %v, %v", outcome, draft, err)
	}
}

// TestDraftAfterASave: what was kept of the files that did not change makes the draft that reading
// all of them would make, whatever was saved.
func TestDraftAfterASave(t *testing.T) {
	const signal, evidence = "records/signals/sig-example-rise.yaml", "records/evidence/evd-example-vaccine.yaml"
	const table, defaults = "records/healthcare-statistics/coverage/values.csv", "records/healthcare-statistics/coverage/_defaults.yaml"
	start := starterFolder(t)
	saved := edit(t, start, signal, "page 12", "page 13")
	mistaken := edit(t, saved, signal, "signal_type: indicator_change", "signal_type: rumour")
	removed := without(saved, evidence)
	row := edit(t, saved, table, "FRA,France,2024", "DEU,Germany,2024")
	shared := edit(t, row, defaults, "unit_label: ", "unit_label: about ")
	moved := maps.Clone(shared)
	moved["records/signals/elsewhere.yaml"] = moved[signal]
	delete(moved, signal)
	noticed := edit(t, moved, "stele.yaml", "notice: These", "notice: All these")
	var kept compiler.PreviewCache
	defer kept.Close()
	var drafts []*compiler.Draft // all stay open to the end, as those do that somebody still reads
	for i, c := range []struct {
		name   string
		folder fstest.MapFS
		date   record.Date
	}{
		{"the first", start, releaseDate},
		{"nothing", start, releaseDate},
		{"a record", saved, releaseDate},
		{"a mistake", mistaken, releaseDate},
		{"the mistake mended", saved, releaseDate},
		{"a file that is gone", removed, releaseDate},
		{"and is back", saved, releaseDate},
		{"a row", row, releaseDate},
		{"defaults", shared, releaseDate},
		{"another name", moved, releaseDate},
		{"another notice", noticed, releaseDate},
		{"another day", moved, "2026-01-11"},
		{"and back", moved, releaseDate},
	} {
		opt := compiler.Options{Date: c.date, NoVariants: true, Render: []render.Renderer{renderAll}}
		want, whole, err := compiler.Preview(context.Background(), c.folder, opt, nil)
		must.Do(t, err)
		got, draft, err := compiler.Preview(context.Background(), c.folder, opt, &kept)
		must.Do(t, err)
		if diff := cmp.Diff(problems(want), problems(got)); diff != "" || (whole == nil) != (draft == nil) {
			t.Errorf("%d, %s: (-all read +kept)\n%s", i, c.name, diff)
		}
		if draft == nil {
			continue
		}
		drafts = append(drafts, draft)
		sameDrafts(t, c.name, whole, draft, want.Manifest)
		if err := whole.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(drafts) < 8 {
		t.Errorf("%d drafts", len(drafts))
	}
	for i, d := range drafts {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if later := drafts[min(i+1, len(drafts)-1)]; i+1 < len(drafts) { // may share files with it
			if data, err := fs.ReadFile(later, "api/v1/signals.json"); err != nil || !bytes.HasSuffix(data, []byte("\n]}\n")) {
				t.Errorf("a draft after the one that was closed: %q %v", data, err)
			}
		}
	}
}

// sameDrafts compares all files that two drafts list, and the files of single records.
func sameDrafts(t *testing.T, name string, want, got *compiler.Draft, m *release.Manifest) {
	t.Helper()
	paths := []string{layout.ManifestPath, "api/v1/signals/sig-example-rise.json"}
	for _, f := range m.Files {
		paths = append(paths, f.Path)
	}
	for _, path := range paths {
		a, err1 := fs.ReadFile(want, path)
		b, err2 := fs.ReadFile(got, path)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %s differs (%v, %v)", name, path, err1, err2)
		}
	}
}
