package projecttest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestAlerts: alerts and the dashboard read metrics that the program has. The alerts fire in the
// states that they are for, as Prometheus sees them.
func TestAlerts(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"internal/deliver/serve/*.go", "internal/deliver/bucket/*.go"} {
		for _, path := range must.Get(filepath.Glob(pattern))(t) {
			source.Write(must.Get(os.ReadFile(path))(t))
		}
	}
	for _, path := range []string{"deploy/alerts.yml", "deploy/dashboard.json"} {
		text := must.Get(os.ReadFile(path))(t)
		if strings.HasSuffix(path, ".json") && !json.Valid(text) {
			t.Errorf("%s is not JSON", path)
		}
		names := regexp.MustCompile(`\b(stele|process)_[a-z_]+`).FindAllString(string(text), -1)
		if len(names) < 7 {
			t.Errorf("%s reads %q", path, names)
		}
		for _, name := range names {
			if name = strings.TrimSuffix(name, "_bucket"); !strings.Contains(source.String(), `"`+name+`"`) {
				t.Errorf("%s reads %s, which there is not", path, name)
			}
		}
	}
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("left out: it needs promtool")
	}
	for _, args := range [][]string{{"check", "rules", "deploy/alerts.yml"}, {"test", "rules", "deploy/alerts_test.yml"}} {
		if out, err := exec.Command("promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", args, err, out)
		}
	}
}
