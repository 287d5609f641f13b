package amend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/author/amend"
	terms "stele/internal/author/settings"
	"stele/internal/testkit/specimen"
)

// TestRedactWaits: a redaction writes nothing over what somebody else wrote since it was planned.
func TestRedactWaits(t *testing.T) {
	folder, err := specimen.Starter()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, folder); err != nil {
		t.Fatal(err)
	}
	plan, err := amend.Redact(os.DirFS(dir), terms.Redaction{
		ID: "clm-example-vaccine", Members: []string{"/illustrative"}, Date: "2026-02-02", Reason: "A person was named.",
	})
	if err != nil || len(plan.Files) != 2 || plan.Versions != "1-2" {
		t.Fatalf("%+v, %v", plan, err)
	}
	path := filepath.Join(dir, filepath.FromSlash(plan.Files[1].Path))
	if err := os.WriteFile(path, append(plan.Files[1].Old, "# mine\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(dir); err == nil || !strings.Contains(err.Error(), "was changed by someone else just now") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, plan.Files[0].Path)); !os.IsNotExist(err) {
		t.Errorf("the redaction was written, %v", err)
	}
}
