package restore_test

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/build/restore"
	"stele/internal/testkit/hostilelists"
	"stele/internal/testkit/must"
	"stele/release"
)

// TestHostileLists: whatever a service says in its lists, restore, show and verify end with an
// answer or an error.
func TestHostileLists(t *testing.T) {
	both := hostilelists.Releases(t)
	for name, files := range hostilelists.Each(t, both[0], both[1]) {
		use(t, name, files)
	}
}

// use does with a release what users do.
func use(t *testing.T, name string, files fs.FS) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", name, p)
		}
	}()
	r, err := release.Open(t.Context(), files)
	if err != nil {
		return
	}
	if report, err := r.Verify(context.Background(), nil); err == nil && len(report.Faults) == 0 {
		t.Errorf("%s: verify finds nothing", name)
	}
	for _, day := range []string{"2025-01-01", "2026-02-01", "2026-02-02", "2030-01-01"} {
		restore.To(t.Context(), r, day, filepath.Join(t.TempDir(), "restored")) // it may fail
		if h, err := r.History("sig-example-rise"); err == nil {
			restore.Version(h, day, 0)
			restore.Version(h, "", 1)
		}
	}
}

// TestNamedFiles: of the files that settings name, restore writes logos and style sheets only.
func TestNamedFiles(t *testing.T) {
	files := hostilelists.Releases(t)[1]
	for _, c := range []struct {
		member, name string
		ok           bool
	}{
		{"logo", "logo.svg", true},
		{"logo", "pictures/our logo.PNG", true},
		{"style", "brand.css", true},
		{"logo", ".github/workflows/x.yml", false},
		{"logo", ".git/hooks/post-checkout", false},
		{"logo", ".GITHUB/logo.svg", false},
		{"logo", "a/.b/logo.svg", false},
		{"style", ".envrc", false},
		{"style", "Makefile", false},
		{"logo", "brand.css", false},
		{"style", "logo.svg", false},
		{"logo", "records/x.svg", false},
		{"logo", "Records/x.svg", false},
		{"logo", "recordſ/x.svg", false},
		{"logo", "\u200crecords/x.svg", false},
		{"logo", "git~1/x.svg", false},
		{"logo", "stele.yaml", false},
		{"logo", "redactions.yaml", false},
		{"logo", "../x.svg", false},
		{"logo", "a/../x.svg", false},
		{"logo", `a\x.svg`, false},
		{"logo", "c:x.svg", false},
		{"logo", "a./x.svg", false},
	} {
		list := string(files[layout.ReleasesPath].Data)
		was := strings.Index(list, `"settings":{`)
		if was < 0 {
			at := strings.Index(list, `"kinds":[`)
			list, was = list[:at]+`"settings":{},`+list[at:], at
		}
		settings := fmt.Sprintf(`"settings":{%q:%q,"%[1]s_data":"eA==",`, c.member, c.name)
		rest := strings.TrimPrefix(list[was:], `"settings":{`)
		list = strings.ReplaceAll(list[:was]+settings+rest, ",}", "}")
		r := must.Get(release.Open(t.Context(), hostilelists.Replaced(t, files, layout.ReleasesPath, []byte(list))))(t)
		folder := filepath.Join(t.TempDir(), "restored")
		_, _, _, err := restore.To(t.Context(), r, "2026-02-02", folder)
		if (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.member, c.name, err)
		}
	}
}
