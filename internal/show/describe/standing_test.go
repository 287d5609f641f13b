package describe_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/describe"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// TestStandingOverTime: a signal whose statistic is corrected has to be looked at from that release
// on, until it says that it was. The feed tells of it once, under an ID that stays, and the release
// that noticed it is remembered.
func TestStandingOverTime(t *testing.T) {
	race.LeaveOut(t, "makes several releases, as others make one")
	folder := must.Get(specimen.Starter())(t)
	edit := func(path string, pairs ...string) {
		t.Helper()
		folder = maps.Clone(folder)
		text := strings.NewReplacer(pairs...).Replace(string(folder[path].Data))
		folder[path] = &fstest.MapFile{Data: []byte(text)}
	}
	var previous *release.Release
	build := func(date record.Date) (standing *release.Standing, ids []string) {
		t.Helper()
		made := must.Get(specimen.Build(folder, compiler.Options{
			Date: date, Previous: previous, NoVariants: true, Render: []render.Renderer{describe.Options{}.Write},
		}))(t)
		previous = made.Release
		for s, err := range previous.Standings() {
			must.Do(t, err)
			if s.ID == "sig-example-rise" {
				standing = &s
			}
		}
		data := must.Get(made.Memory.ReadFile("feeds/changes.json"))(t)
		var feed struct{ Items []struct{ ID string } }
		must.Do(t, json.Unmarshal(data, &feed))
		for _, item := range feed.Items {
			if strings.Contains(item.ID, "#sig-example-rise-") {
				ids = append(ids, item.ID)
			}
		}
		return standing, ids
	}
	const statistic = "records/healthcare-statistics/sta-example-cases-2025.yaml"
	if s, ids := build("2026-01-31"); s != nil || len(ids) > 0 {
		t.Fatalf("the signal stands, and it is said: %+v, %v", s, ids)
	}
	edit(statistic, "version: 1", "version: 2", "updated_date: 2026-01-10", "updated_date: 2026-02-10",
		"value: 120", "value: 121",
		"corrections: []", "corrections: [{date: 2026-02-10, type: correction, in_version: 2, fields: [value], summary: One was left out.}]")
	s, ids := build("2026-02-28")
	if s == nil || s.Since != "2026-02-10" || s.Noticed != "2026-02-28" || s.Cause != "corrected" ||
		strings.Join(s.Path, " ") != "sta-example-cases-2025" || len(ids) != 1 {
		t.Fatalf("the signal is %+v, and the feed has %v", s, ids)
	}
	edit("records/entities/ent-example-coverage.yaml", "version: 1", "version: 2\nlicense: CC0-1.0", "updated_date: 2026-01-10", "updated_date: 2026-03-10")
	later, same := build("2026-03-31")
	if later == nil || later.Noticed != "2026-02-28" || later.Standing != s.Standing || len(same) != 1 || same[0] != ids[0] {
		t.Errorf("a release later the signal is %+v, and the feed has %v", later, same)
	}
	edit("records/signals/sig-example-rise.yaml", "version: 1", "version: 2", "updated_date: 2026-01-10", "updated_date: 2026-04-10",
		"verification_date: 2026-01-10", "verification_date: 2026-04-10",
		"corrections: []", "corrections: [{date: 2026-04-10, type: clarification, in_version: 2, fields: [], because_of: [sta-example-cases-2025], summary: It holds with the corrected figure.}]")
	if s, ids := build("2026-04-30"); s != nil || len(ids) > 0 {
		t.Errorf("the signal says that it was looked at, and is %+v; the feed has %v", s, ids)
	}
}
