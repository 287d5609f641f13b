package areas_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/base/sheet/areas"
	"stele/internal/testkit/must"
)

// TestParseArea: an area, its predecessors and its successors are the same whether the whole
// document is parsed or only its lines about the area.
func TestParseArea(t *testing.T) {
	codes := []string{"1", "11", "1.1", "date", "code", "A-1"}
	rapid.Check(t, func(r *rapid.T) {
		pick := rapid.SampledFrom(append([]string{""}, codes...))
		name := rapid.SampledFrom([]string{"Akershus", `{"code":"1"`, "1", "Åfjord, \n\"1\""})
		s := &areas.Scheme{Name: "s", Title: "S"}
		for _, code := range codes[:rapid.IntRange(1, len(codes)).Draw(r, "codes")] {
			s.Codes = append(s.Codes, areas.Code{Code: code, Name: name.Draw(r, "name"), Parent: pick.Draw(r, "parent")})
		}
		for range rapid.IntRange(0, 8).Draw(r, "changes") {
			s.Changes = append(s.Changes, areas.Change{
				Date: "2020-01-01", From: pick.Draw(r, "from"), To: pick.Draw(r, "to"), Kind: areas.Part, Note: name.Draw(r, "note"),
			})
		}
		s.BuildIndex()
		data := must.Get(s.AppendJSON(nil, areas.Document{}))(t)
		whole, _, err := areas.Parse(data)
		if err != nil {
			r.Fatal(err)
		}
		for _, code := range append(codes, "none") {
			part, err := areas.ParseArea(data, code)
			if err != nil || !reflect.DeepEqual(part.Code(code), whole.Code(code)) ||
				!reflect.DeepEqual(part.ChangesFrom(code), whole.ChangesFrom(code)) ||
				!reflect.DeepEqual(part.Predecessors(code), whole.Predecessors(code)) ||
				!reflect.DeepEqual(part.Successors(code), whole.Successors(code)) {
				r.Fatalf("%s in %s: %v, %+v", code, data, err, part)
			}
		}
	})
}
