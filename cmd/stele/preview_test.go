package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/starter"
	"stele/internal/base/clock"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
)

// TestEmbargoesInPreviews: a preview holds a record back as long as a release would.
func TestEmbargoesInPreviews(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, starter.Init(dir))
	path := filepath.Join(dir, "records", "signals", "sig-example-rise.yaml")
	plain := string(must.Get(os.ReadFile(path))(t))
	for _, later := range []time.Duration{2 * time.Hour, -2 * time.Minute} {
		until := clock.Now().UTC().Add(later).Format("2006-01-02T15:04Z07:00")
		must.Do(t, os.WriteFile(path, []byte(plain+"not_before: "+until+"\n"), 0o644))
		c := new(cobra.Command)
		c.SetErr(io.Discard)
		p, _, err := newPreview(c, []string{dir}, nil, serve.Options{}, true)
		must.Do(t, err)
		opt := must.Get(p.Build())(t)
		opt.Render = nil
		outcome, draft, err := compiler.Preview(t.Context(), p.Files, opt, nil)
		must.Do(t, err)
		held := slices.ContainsFunc(outcome.Check.Problems, func(p schema.Problem) bool {
			return p.Code == codes.RefersToHeld
		})
		if held != (later > 0) {
			t.Errorf("not before %s: held back: %v", until, held)
		}
		if draft != nil {
			must.Do(t, draft.Close())
		}
	}
}
