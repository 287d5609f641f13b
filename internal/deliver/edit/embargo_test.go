package edit

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/testkit/must"
)

// TestEmbargoesOfHours: forms call a record a draft exactly as long as a release would not have it.
func TestEmbargoesOfHours(t *testing.T) {
	dir := begun(t)
	path := filepath.Join(dir, "records", "signals", "sig-example-rise.yaml")
	plain := string(must.Get(os.ReadFile(path))(t))
	for _, later := range []time.Duration{2 * time.Hour, -2 * time.Minute} {
		until := time.Now().UTC().Add(later).Format("2006-01-02T15:04Z07:00")
		must.Do(t, os.WriteFile(path, []byte(plain+"not_before: "+until+"\n"), 0o644))
		status, page := open(t, dir).ask(http.MethodGet, "record/sig-example-rise", nil, nil)
		held := strings.Contains(page, "· draft · sig-example-rise")
		if status != http.StatusOK || held != (later > 0) {
			t.Errorf("not before %s: %d, a draft: %v", until, status, held)
		}
	}
}
