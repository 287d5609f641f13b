package publish_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"testing"

	"stele/internal/layout"
	"stele/internal/publish"
	"stele/internal/render"
	"stele/sample"
)

// TestDraft: whatever a release has, a draft of it makes to the byte, but for what only a whole
// release can tell of its pages.
func TestDraft(t *testing.T) {
	opt := publish.Options{Date: "2026-12-01", NoVariants: true, Render: []render.Renderer{renderAll}}
	r := makeRelease(t, sample.Files, opt)
	outcome, draft, err := publish.Preview(context.Background(), sample.Files, opt)
	if err != nil || draft == nil {
		t.Fatalf("%v: %v", err, problems(outcome))
	}
	defer draft.Close()
	if outcome.Manifest.Release != r.Manifest.Release {
		t.Errorf("the draft is of release %s, and the release is %s", outcome.Manifest.Release, r.Manifest.Release)
	}
	for path, want := range r.files {
		if path == layout.ManifestPath || path == r.Manifest.Pages {
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
	outcome, draft, err := publish.Preview(context.Background(), faulty, publish.Options{Date: releaseDate})
	if err != nil || draft != nil || outcome.Manifest != nil || outcome.Check.Errors == 0 {
		t.Errorf("%v, %v, %v", outcome, draft, err)
	}
}
