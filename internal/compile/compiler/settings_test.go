package compiler_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
)

// reaching are the settings that reach a release, each by what the manifest or the listing of
// releases calls it. Who adds a setting decides whether readers get it.
var reaching = strings.Fields(`
	title base_url publisher license contact language notice
	description about keywords words accent_color logo style review_after axis_from graph_statistics home calendar time_zone
	signing_keys logo_data style_data areas area_digests`)

// TestSettingsThatReachARelease: no other setting is in any file of a release, and what the
// publisher accepts changes none of its bytes.
func TestSettingsThatReachARelease(t *testing.T) {
	var reach []string
	for _, m := range schema.ShapeOf[settings.Kept]().Members {
		if !slices.Contains(settings.Private, m.Name) {
			reach = append(reach, m.Name)
		}
	}
	slices.Sort(reach)
	want := slices.Sorted(slices.Values(reaching))
	if !slices.Equal(reach, want) {
		t.Errorf("these settings reach a release:\n%q, and not\n%q", reach, want)
	}
	folder := starterFolder(t)
	folder["records/public-references/held.yaml"] = &fstest.MapFile{Data: []byte("draft: true\n" +
		strings.Replace(string(folder[poster].Data), "id: ref-example-poster", "id: ref-qzheld", 1))}
	opt := compiler.Options{Date: releaseDate, NoVariants: true}
	plain := makeRelease(t, folder, opt)
	folder["stele.yaml"] = &fstest.MapFile{Data: append(bytes.Clone(folder["stele.yaml"].Data),
		"accept: [{code: SRC03, record: ref-qzheld, reason: Qzsecret}]\npublish: {folder: qzfolder}\n"...)}
	accepting := makeRelease(t, folder, opt)
	sameFiles(t, "with what is accepted", accepting.files, plain.files)
	for name, data := range accepting.files {
		if bytes.Contains(bytes.ToLower(data), []byte("qz")) {
			t.Errorf("%s has a private setting", name)
		}
	}
	kept := must.Get(json.Marshal(map[string]any{"accept": []any{map[string]any{"code": "SRC03", "record": "ref-qzheld", "reason": "Qzsecret"}}}))(t)
	var old settings.Kept // of a release that an earlier program made
	must.Do(t, json.Unmarshal(kept, &old))
	if data := must.Get(old.StoredJSON())(t); len(data) > 0 {
		t.Errorf("%s", data)
	}
}

// TestPlanBeforeFirstRelease: the calendar of a first release cannot say that something was
// published before it without a warning.
func TestPlanBeforeFirstRelease(t *testing.T) {
	for day, want := range map[string]int{"2026-01-20": 1, string(releaseDate): 0} {
		folder := starterFolder(t)
		text := string(folder["stele.yaml"].Data) + "\ncalendar: [{what: Cases, planned: 2026-01-20, published: " + day + "}]\n"
		folder["stele.yaml"] = &fstest.MapFile{Data: []byte(text)}
		found := 0
		for _, p := range makeRelease(t, folder, compiler.Options{NoVariants: true}).outcome.Check.Problems {
			if p.Code == codes.PublishedEarlier {
				found++
			}
		}
		if found != want {
			t.Errorf("%s: %d findings", day, found)
		}
	}
}
