package edit

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestChooseArea: without JavaScript, an author finds an area by its name, sees those of the
// statistic's period first, and takes one.
func TestChooseArea(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS("../../../examples/norway")))
	const id, at = "sta-one", "records/healthcare-statistics/sta-one.yaml"
	defaults := string(must.Get(os.ReadFile(filepath.Join(dir, "records/healthcare-statistics/cash-for-care/_defaults.yaml")))(t))
	_, shared, _ := strings.Cut(defaults, "\ntitle:")
	text := "id: " + id + "\ntitle:" + strings.ReplaceAll(strings.ReplaceAll(shared, "{x_name}", "One"), "{time_period}", "2019-10") +
		"\nref_area_scheme: fylke\nref_area: akers\ntime_period: 2019-10\nvalue: 5\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, at), []byte(text), 0o600))
	b := open(t, dir)
	status, page := b.ask(http.MethodGet, "record/"+id+"/change", nil, nil)
	old, later := strings.Index(page, "02 (Akershus), fylke, to 2019-12-31"), strings.Index(page, "32 (Akershus), fylke, from 2024-01-01")
	if status != http.StatusOK || old < 0 || later < old || !strings.Contains(page, "Counties of Norway") {
		t.Fatalf("%d, at %d and %d of\n%s", status, old, later, page)
	}
	form := changed(formOf(t, page), "do", "set ref_area=32")
	if _, page = b.ask(http.MethodPost, "record/"+id+"/change", form, nil); !strings.Contains(page, "32 (Akershus) begins on 2024-01-01, after 2019-10; in 2019-10, Akershus is 02") {
		t.Errorf("nothing says that the area is not valid then:\n%s", page)
	}
	form = changed(formOf(t, page), "do", "set ref_area=02")
	_, page = b.ask(http.MethodPost, "record/"+id+"/change", form, nil)
	if status, page = b.save("record/"+id+"/change", formOf(t, page)); status != http.StatusOK {
		t.Fatalf("%d: %s", status, page)
	}
	if saved := string(must.Get(os.ReadFile(filepath.Join(dir, at)))(t)); !strings.Contains(saved, `ref_area: "02"`) {
		t.Errorf("%s", saved)
	}
}
