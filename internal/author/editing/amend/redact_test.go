package amend_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	terms "stele/internal/author/reading/settings"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// starterIn copies the starter folder, with redactions of some form.
func starterIn(t *testing.T, redactions string) (dir string) {
	t.Helper()
	folder := must.Get(specimen.Starter())(t)
	dir = t.TempDir()
	must.Do(t, os.CopyFS(dir, folder))
	if redactions != "" {
		must.Do(t, os.WriteFile(filepath.Join(dir, input.RedactionsFile), []byte(redactions), 0o600))
	}
	return dir
}

// TestRedactWaits: a redaction writes nothing over what somebody else wrote since it was planned,
// and removes nothing that somebody changed.
func TestRedactWaits(t *testing.T) {
	for _, r := range []terms.Redaction{
		{
			ID: "clm-example-vaccine", Members: []string{"/illustrative"}, Date: "2026-02-02",
			Reason: "A person was named.",
		},
		{ID: "clm-example-vaccine", Date: "2026-02-02", Reason: "A person was named."},
	} {
		dir := starterIn(t, "")
		plan, err := amend.Redact(os.DirFS(dir), r, nil)
		if err != nil || len(plan.Files) != 2 || plan.Versions != "1-2" {
			t.Fatalf("%+v, %v", plan, err)
		}
		path := filepath.Join(dir, filepath.FromSlash(plan.Files[1].Path))
		must.Do(t, os.WriteFile(path, append(plan.Files[1].Old, "# mine\n"...), 0o600))
		if err := amend.Write(dir, plan.Files); err == nil || !strings.Contains(err.Error(),
			"changed by someone else") {
			t.Errorf("error %v", err)
		}
		if _, err := os.Stat(filepath.Join(dir, plan.Files[0].Path)); !os.IsNotExist(err) {
			t.Errorf("the redaction was written, %v", err)
		}
	}
}

// TestRedactAnyList: in whatever form the redactions are written, one more is added to them and
// nothing else changes; where a run ends between two files, the next one does the rest.
func TestRedactAnyList(t *testing.T) {
	race.LeaveOut(t, "one goroutine writes")
	item := "id: ref-example-poster\n    versions: 1\n    date: 2026-02-01\n    reason: A photograph.\n"
	for name, text := range map[string]string{
		"none": "", "comment": "# Nothing yet.\n", "empty": "redactions: []\n", "indented": "redactions:\n  - " + item,
		"not indented":    "redactions:\n- " + strings.ReplaceAll(item, "    ", "  "),
		"without a break": "redactions:\n  - " + strings.TrimSpace(item),
		"CRLF":            strings.ReplaceAll("# ours\nredactions:\n  - "+item, "\n", "\r\n"),
		"JSON":            `{"redactions": [{"id": "ref-example-poster", "versions": "1", "date": "2026-02-01", "reason": "A photograph."}]}` + "\n",
	} {
		for _, r := range []terms.Redaction{
			{
				ID: "clm-example-vaccine", Members: []string{"/illustrative", "/corrections/0/summary"},
				Date: "2026-02-02", Reason: `"It": a name #1`,
			},
			{ID: "sig-example-rise", Date: "2026-02-02", Reason: "A person was named."},
		} {
			want := map[string]string(nil)
			for cut := range 3 {
				dir := starterIn(t, text)
				plan, err := amend.Redact(os.DirFS(dir), r, nil)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				must.Do(t, amend.Write(dir, plan.Files[:min(cut, len(plan.Files))]))
				again := withVersions(r, plan.Versions, cut, len(plan.Files))
				if plan, err = amend.Redact(os.DirFS(dir), again, nil); err != nil {
					t.Fatalf("%s, cut at %d: %v", name, cut, err)
				}
				must.Do(t, amend.Write(dir, plan.Files))
				list, problems := input.ReadRedactions(os.DirFS(dir))
				if last := len(list) - 1; len(problems) > 0 || last != min(strings.Count(text, "poster"), 1) ||
					list[last].Reason != r.Reason || list[last].Whole != (len(r.Members) == 0) ||
					!slices.Equal(list[last].Members, r.Members) {
					t.Errorf("%s: %+v, %v", name, list, problems)
				}
				if is := contents(t, dir); want == nil {
					want = is
				} else if !maps.Equal(is, want) {
					t.Errorf("%s: cut at %d, it ends otherwise", name, cut)
				}
			}
		}
	}
}

// withVersions is what is asked for again: of a record that is gone, the versions must be named.
func withVersions(r terms.Redaction, versions string, cut, of int) terms.Redaction {
	if cut >= of && len(r.Members) == 0 {
		r.Versions = versions
	}
	return r
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path[len(dir):]] = string(data)
		return err
	}))
	return all
}
