package explore

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/show/site/records"
	"stele/internal/trust/standing"
)

// TestRowsReadBack: what a list shows of a record is what was kept of it, whatever it says.
func TestRowsReadBack(t *testing.T) {
	f := &searchFile{
		plan: &records.Plan{Labels: make([]records.Field, 2)},
		rows: make([][]byte, 1), days: make([]int32, 1), used: map[string]bool{},
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[a-z"\\,\]\[<]{0,8}`), rapid.String())
		r := listRow{
			id: text.Draw(t, "id"), title: text.Draw(t, "title"), address: text.Draw(t, "address"),
			updated: text.Draw(t, "date"), version: rapid.Int64().Draw(t, "version"), subjects: []string{},
			standing: standing.Standing(rapid.IntRange(0, 6).Draw(t, "standing")),
			words:    []string{text.Draw(t, "word"), text.Draw(t, "other")},
		}
		for range rapid.IntRange(0, 3).Draw(t, "subjects") {
			r.subjects = append(r.subjects, text.Draw(t, "subject"))
		}
		f.add(0, &r)
		if got, ok, err := f.row(0); !ok || err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("%s reads back as %+v, not %+v", f.rows[0], got, r)
		}
	})
}
