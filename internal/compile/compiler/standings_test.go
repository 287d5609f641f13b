//go:build !race

package compiler_test

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/compile/standinglist"
	"stele/internal/testkit/must"
	"stele/release"
)

// withStandings is a release that says something else of its records, and whose manifest lists
// that.
func withStandings(t *testing.T, m *memory, change func([]byte) []byte) *release.Release {
	t.Helper()
	r := m.open(t)
	data := change(bytes.Clone(m.files[layout.StandingPath]))
	f := r.Manifest.File(layout.StandingPath)
	f.Size, f.SHA256 = int64(len(data)), sha256.Sum256(data)
	files := fstest.MapFS{}
	for path, data := range m.files {
		files[path] = &fstest.MapFile{Data: data}
	}
	files[layout.StandingPath] = &fstest.MapFile{Data: data}
	r.Files = files
	return r
}

func TestVerifyStandings(t *testing.T) {
	m := plainSample()
	checkStandings(t, m.Release)
	replace := func(old, now string) func([]byte) []byte {
		return func(data []byte) []byte {
			if !bytes.Contains(data, []byte(old)) {
				t.Fatalf("%q is not in\n%s", old, data)
			}
			return bytes.Replace(data, []byte(old), []byte(now), 1)
		}
	}
	without := func(id string) func([]byte) []byte {
		return func(data []byte) []byte {
			var kept []string
			for line := range strings.Lines(string(data)) {
				if !strings.Contains(line, `{"id":"`+id+`"`) {
					kept = append(kept, line)
				}
			}
			return bytes.Replace([]byte(strings.Join(kept, "")), []byte(",\n]"), []byte("\n]"), 1)
		}
	}
	const paper = `"id":"evd-paper-of-1998","kind":"evidence","standing":"retracted","since":"2024-01-22"`
	for name, c := range map[string]struct {
		change func([]byte) []byte
		want   string
	}{
		"another standing": {replace(paper, strings.Replace(paper, `"retracted"`, `"weakened"`, 1)), "is retracted"},
		"another day":      {replace(paper, strings.Replace(paper, "2024-01-22", "2024-01-23", 1)), "2024-01-22"},
		"left out":         {without("evd-paper-of-1998"), "missing record evd-paper-of-1998"},
		"due":              {replace(paper, strings.Replace(paper, `"retracted"`, `"due"`, 1)), "is retracted according to the records"},
		"of nothing":       {replace(paper, strings.Replace(paper, "evd-paper-of-1998", "evd-paper-of-1999", 1)), "does not follow"},
		// which did not know what records say of themselves
		"of the first format": {without("evd-paper-of-1998"), "sig-venezuela-importation is listed as partly_retracted (retracted in part 2026-10-26), which does not follow"},
		"from the future":     {replace(`"noticed":"2026-11-15"`, `"noticed":"2026-11-16"`), "noticed date 2026-11-16"},
	} {
		t.Run(name, func(t *testing.T) {
			r := withStandings(t, m.memory, c.change)
			if name == "of the first format" {
				r.Manifest.Format = layout.FirstFormat
			}
			faults := must.Get(standinglist.Verify(t.Context(), r))(t)
			var text strings.Builder
			for _, f := range faults {
				text.WriteString(f.String() + "\n")
			}
			if !strings.Contains(text.String(), c.want) {
				t.Errorf("%q is not in\n%s", c.want, text.String())
			}
		})
	}
}
