package describe_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/show/describe"
	"stele/internal/show/series"
	"stele/record"

	"stele/internal/testkit/race"
)

// TestSkill: the skill has a name and a description as agents want them, says what to keep and what
// to refuse, leads to files that are there, and stays small whatever a release holds.
func TestSkill(t *testing.T) {
	race.LeaveOut(t, "one goroutine writes it")
	const path = "skills/measles-example-org/SKILL.md"
	text := string(file(t, theWhole(), path))
	head := regexp.MustCompile(`^---\nname: measles-example-org\ndescription: ("[^\n]{100,1000}")\n---\n\n# Measles`).FindStringSubmatch(text)
	if head == nil || !json.Valid([]byte(head[1])) {
		t.Errorf("it begins %.1500s", text)
	}
	tells(t, path, text)
	for _, want := range []string{
		"\n- `mcv1`: Coverage with a first dose of measles vaccine, 1980 to 2015\n", "`unsupported` or `retracted`", "\n- `in_question`: ",
		"\n- `very_low`: ", "\n- `adopt_with_conditions`: ", "## How to search", "## What to keep", "## What to refuse",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	for _, m := range regexp.MustCompile(regexp.QuoteMeta(base)+`/([a-z0-9./_A-Z-]+\.(md|txt|json))`).FindAllStringSubmatch(text, -1) {
		file(t, theWhole(), m[1])
	}
	if !strings.Contains(string(file(t, theWhole(), "llms.txt")), "]("+base+"/"+path+")") {
		t.Error("llms.txt does not lead to it")
	}
	many := growing(0)
	var rows strings.Builder
	for i := range 400 {
		fmt.Fprintf(&rows, "sta-%d,indicator-%d\n", i, i)
	}
	long := strings.Repeat("é", 150)
	many["records/healthcare-statistics/many/values.csv"] = &fstest.MapFile{Data: []byte("id,indicator\n" + rows.String())}
	many["records/healthcare-statistics/many/_defaults.yaml"] = &fstest.MapFile{Data: []byte(`version: 1
title: "` + long + `"
summary: Some.
verification_date: 2026-11-14
source_updates: []
corrections: []
published_date: 2026-11-14
updated_date: 2026-11-14
first_published_elsewhere: In an atlas.
claim_boundary: {statement: None.}
source_links: [{url: "https://example.org/", role: primary}]
ref_area_scheme: iso3166
ref_area: FRA
time_period: "2015"
value: 1
unit: cases
unit_label: "` + long + `"
obs_status: A
`)}
	settings := string(many["stele.yaml"].Data)
	settings = regexp.MustCompile(`title: .*`).ReplaceAllString(settings, "title: '"+long+`"'`)
	settings = regexp.MustCompile(`(?s)notice: .*`).ReplaceAllString(settings, "notice: "+strings.Repeat("é", 9000))
	many["stele.yaml"] = &fstest.MapFile{Data: []byte(settings)}
	files := described(t, many, describe.Options{Series: &series.Series{}}, compiler.Options{})
	if text := string(file(t, files, path)); len(text) > 12_000 || !strings.Contains(text, "- and ") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

// TestText: llms.txt begins as its form wants, and leads to every collection.
func TestText(t *testing.T) {
	text := string(file(t, theWhole(), "llms.txt"))
	if !strings.HasPrefix(text, "# Measles and immunization, a sample\n\n> Illustrative records about measles:") {
		t.Errorf("it begins %.200s", text)
	}
	tells(t, "llms.txt", text)
	claims, indicators := strings.Index(text, "\n## Claims\n"), strings.Index(text, "\n## Indicators\n")
	if claims < 0 || indicators < claims || strings.Index(text, "\n## ") != claims {
		t.Errorf("claims are at %d, indicators at %d", claims, indicators)
	}
	link := regexp.MustCompile(`\]\(` + regexp.QuoteMeta(base) + `/(proof/\S+\.md)\): (\*\*in_question\*\*, )?Markdown (\d+) (k?B)\n`)
	all := link.FindAllStringSubmatch(text, -1)
	for _, m := range all {
		size, unit := len(file(t, theWhole(), m[1])), m[4]
		if unit == "kB" {
			size = (size + 500) / 1000
		}
		if m[3] != strconv.Itoa(size) || (m[2] != "") != strings.Contains(m[1], "clm-falling-coverage") {
			t.Errorf("%q, and it has %d %s", m[0], size, unit)
		}
	}
	if len(all) != 11 {
		t.Errorf("%d claims in %s", len(all), text)
	}
	for _, k := range record.Kinds {
		if !strings.Contains(text, "]("+base+k.Collection.Path+"): ") || !strings.Contains(text, "]("+base+"/bulk/"+k.Folder()+".csv)\n") {
			t.Errorf("llms.txt does not lead to %s", k.Many)
		}
	}
}
