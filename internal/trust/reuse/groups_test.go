package reuse_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/bulk"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/internal/trust/reuse"
)

// TestLabelsWithReasons: a label without its reasons is less, and so is an effect without its
// interval; a label, a reason or a figure that was changed is altered.
func TestLabelsWithReasons(t *testing.T) {
	_, folder, err := specimen.Outcomes()
	must.Do(t, err)
	var choice bulk.Choice
	must.Do(t, choice.Set("csv"))
	opt := compiler.Options{Date: "2026-11-15", Render: []render.Renderer{choice.Write}}
	made := must.Get(specimen.Build(folder, opt))(t)
	p := must.Get(reuse.Load(t.Context(), made.Release, nil))(t)
	defer p.Close()
	read := func(name string) [][]string {
		return must.Get(csv.NewReader(bytes.NewReader(must.Get(made.Memory.ReadFile(name))(t))).ReadAll())(t)
	}
	for _, c := range []struct {
		name, file, column, old, now, want string
		kept                               bool
	}{
		{"nothing", "evidence", "", "", "", "", true},
		{"nothing", "outcomes", "", "", "", "", true},
		{"no reasons", "evidence", "label_basis", "", "", "labels less", true},
		{"no effect", "evidence", "effect", "", "", "", true},
		{"another label", "evidence", "evidence_label", "low", "high", "labels altered", false},
		{"another start", "evidence", "label_basis", `"start":"low"`, `"start":"high"`, "label_basis altered", false},
		{"a risk ratio", "evidence", "effect", `"value":0.05,`, `"value":0.06,`, "effect altered", false},
		{"a figure that is elsewhere in the effect", "evidence", "effect", `"corresponding":"3"`, `"corresponding":"9"`, "effect altered", false},
		{"digits that tools drop", "evidence", "effect", `"upper":0.50`, `"upper":0.5`, "", true},
		{"no interval", "evidence", "effect", `"lower":0.02,"upper":0.13,`, ``, "effect less", true},
		{"Python", "evidence", "effect", `"`, `'`, "", true},
		{"a printed risk in a column of its own", "outcomes", "corresponding", "97", "79", "effect altered", false},
		{"a start in a column of its own", "outcomes", "start", "low", "high", "label_basis altered", false},
	} {
		rows := read("bulk/" + c.file + ".csv")
		if at := slices.Index(rows[0], c.column); at >= 0 && c.old == "" {
			for i := range rows {
				rows[i] = slices.Delete(rows[i], at, at+1)
			}
			// a table of evidence has the same members nowhere else
		} else if at >= 0 {
			for i := range rows {
				if i > 0 && (c.file == "evidence" || rows[i][at] == c.old) {
					rows[i][at] = strings.ReplaceAll(rows[i][at], c.old, c.now)
				}
			}
		}
		path := filepath.Join(t.TempDir(), "copy.csv")
		f := must.Get(os.Create(path))(t)
		must.Do(t, csv.NewWriter(f).WriteAll(rows))
		must.Do(t, f.Close())
		found := map[string]bool{}
		report := must.Get(reuse.Compare(t.Context(), p, path, reuse.Options{Found: func(x reuse.Finding) error {
			found[x.Thing+" "+x.Verdict.String()] = true
			return nil
		}}))(t)
		var all []string
		for x := range found {
			all = append(all, x)
		}
		if got := strings.Join(all, ", "); got != c.want || report.Kept != c.kept {
			t.Errorf("%s in %s: %q, kept %t; want %q", c.name, c.file, got, report.Kept, c.want)
		}
	}
}
