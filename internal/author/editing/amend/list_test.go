package amend_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/author/editing/amend"
	"stele/internal/testkit/must"
)

// TestLists: whatever becomes of a list, elements that stay keep their lines with their comments,
// and the record has the list that was wanted, in all formats.
func TestLists(t *testing.T) {
	never := func(_, _ string) (amend.Published, bool) { return amend.Published{}, false }
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b: c", "d", "7", "e #f", "two\nlines", " g"}
		old := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 5, rapid.ID).Draw(t, "old")
		now := rapid.SliceOfN(rapid.SampledFrom(names), 0, 6).Draw(t, "new")
		format := rapid.SampledFrom([]string{".yaml", ".json", ".csv"}).Draw(t, "format")
		file := "id: ent-a\nversion: 1\nentity_type: place\nname: A\nsubjects: # list\n"
		type subject struct {
			Scheme string `json:"scheme"`
			Code   string `json:"code"`
		}
		subjects := func(list []string) (all []subject) {
			for _, s := range list {
				all = append(all, subject{"MeSH", s})
			}
			return all
		}
		for _, s := range old {
			code, _ := json.Marshal(s)
			file += "  - scheme: MeSH # of " + strings.ToUpper(s[:1]) + "\n    # between\n    code: " + string(code) + "\n"
		}
		switch format {
		case ".json":
			data, _ := json.Marshal(map[string]any{
				"id": "ent-a", "version": 1, "entity_type": "place", "name": "A",
				"subjects": subjects(old),
			})
			file = string(data)
		case ".csv":
			file = "id,version,entity_type,name"
			row := "ent-a,1,place,A"
			for i, s := range old {
				n := string(rune('0' + i))
				file += ",subjects." + n + ".scheme,subjects." + n + ".code"
				row += ",MeSH,\"" + s + "\""
			}
			file += "\n" + row + "\n"
		default:
			file += "updated_date: 2026-01-01\n"
		}
		wanted, _ := json.Marshal(subjects(now))
		set := amend.Setting{Path: "subjects", Value: string(wanted), JSON: true}
		if len(now) == 0 {
			set.Value = "[]"
		}
		if slices.Equal(old, now) || format == ".csv" && len(now) == 0 {
			return
		}
		fsys := folder(map[string]string{"entities/a" + format: file})
		files, err := amend.Plan(fsys, []string{"ent-a"}, amend.Change{
			Date: "2026-11-20", Set: []amend.Setting{set},
			Published: never,
		})
		if err != nil {
			t.Fatalf("%v\n%s\nto %s", err, file, wanted)
		}
		fsys["records/entities/a"+format].Data = files[0].New
		rec := must.Get(amend.Open(fsys, "records/entities/a"+format, "ent-a"))(t)
		var codes []string
		if at := rec.Merged.Find(0, "subjects"); at >= 0 {
			for c := range rec.Merged.Children(at) {
				codes = append(codes, rec.Merged.Nodes[rec.Merged.Find(c, "code")].Text)
			}
		}
		if !slices.Equal(codes, now) {
			t.Fatalf("%q, not %q:\n%s\nbecame\n%s", codes, now, file, files[0].New)
		}
		if format != ".yaml" {
			return
		}
		kept := 0
		for _, s := range now {
			if slices.Contains(old, s) {
				kept++
			}
		}
		if got := strings.Count(string(files[0].New), "# between"); len(now) > 0 && got < min(kept, 1) {
			t.Fatalf("%d comments are kept, of %d elements:\n%s\nbecame\n%s", got, kept, file, files[0].New)
		}
	})
}
