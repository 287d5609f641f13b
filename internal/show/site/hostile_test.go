package site_test

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/sample"
)

// hostile is text that wants out of its place: markup, quotes, characters that turn the direction
// of text, a word that is too long, emoji, control characters.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>' onmouseover='alert(1) ]]> --> &lt; {{.}} $(x) </title></style></script>` + "\u202e\u2067desrever \U0001f9ea\U0001f468\u200d\U0001f469 "

// hostileFolder is a folder in which every text of every kind is hostile.
func hostileFolder(t *testing.T) fstest.MapFS {
	t.Helper()
	long := strings.Repeat("Donaudampfschifffahrt", 40)
	text := quoted(hostile + long)
	seen := quoted(hostile[:strings.Index(hostile, "\u202e")] + long) // a code has nothing that is not
	title := quoted(`"><script>alert(1)</script>' onclick='alert(1) ` + "\u202e\U0001f9ea" + strings.Repeat("W", 80))
	common := `"version":2,"title":` + title + `,"summary":` + text + `,"source_links":[{"url":"https://example.org/?a=1&b=%22%3E#x","role":"primary","locator":` + text + `},{"url":"https://example.org/` + long + `","role":"archive","source_id":"src-1"}],` +
		`"verification_date":"2026-01-10","source_updates":[{"date":"2026-01-01","type":"retraction","summary":` + text + `,"effect":"none","notice_url":"https://example.org/n"}],` +
		`"corrections":[{"date":"2026-01-02","type":"retraction","in_version":2,"fields":["title"],"summary":` + text + `,"reported_by":` + text + `}],"published_date":"2026-01-01","updated_date":"2026-01-10",` +
		`"license":` + quoted("CC0 </a><script>") + `,"aliases":[` + text + `],"subjects":[{"scheme":` + text + `,"code":` + text + `}],"x_own":{"<b>":` + text + `}`
	boundary := `,"claim_boundary":{"statement":` + text + `,"population":` + text + `,"place":` + text + `,"period":` + text + `,"excludes":[` + text + `]}`
	files := fstest.MapFS{"stele.yaml": {Data: []byte(`title: ` + title + `
description: ` + text + `
base_url: https://data.example.org
publisher: ` + quoted(hostile) + `
license: "</a><script>alert(1)</script>"
contact: "javascript:alert(1)//@"
language: en
notice: ` + text + "\n")}}
	for path, record := range map[string]string{
		"source-objects/src-1.json": `{"id":"src-1",` + strings.ReplaceAll(common, `,"source_id":"src-1"`, "") + `,"source_type":"report","producer":` + text + `,"citation_full":` + text + `,"url_main":"https://example.org/","identifiers":{"<script>":` + text + `}}`,
		"entities/ent-1.json":       `{"id":"ent-1",` + common + `,"entity_type":"place","name":` + text + `}`,
		"evidence/evd-1.json":       `{"id":"evd-1",` + common + boundary + `,"evidence_type":"guideline","finding":` + text + `,"evidence_label":"high","label_basis":{"scheme":` + text + `,"assessed_by":"service","locator":` + text + `},"effect":{"measure":` + text + `,"value":1e-300,"lower":-1e300,"upper":1e300},"entity_ids":["ent-1"]}`,
		"proof/clm-1.json":          `{"id":"clm-1",` + common + boundary + `,"claim":` + text + `,"evidence":[{"evidence_id":"evd-1","stance":"disputes"}]}`,
		"opportunities/opp-1.json":  `{"id":"opp-1",` + common + boundary + `,"need":` + text + `,"evidence_ids":["evd-1"]}`,
		"recommendations/rec.json":  `{"id":"rec-1",` + common + boundary + `,"action":` + text + `,"direction":"for","strength":"strong","opportunity_ids":["opp-1"],"evidence_ids":["evd-1"],"audience":` + text + `}`,
		"decision-views/dec.json":   `{"id":"dec-1",` + common + boundary + `,"question":` + text + `,"options":[{"option_id":"a","label":` + text + `,"recommendation_ids":["rec-1"]}],"decision_label":"undecided","considerations":{"priority":` + text + `}}`,
		"healthcare-statistics/s.ndjson": `{"id":"sta-1",` + common + boundary + `,"indicator":` + seen + `,"ref_area_scheme":"iso3166","ref_area":"DEU","time_period":"2016-Q3","value":1e300,"unit":` + seen + `,"unit_label":` + text + `,"obs_status":"P","lower":-1e300,"upper":1e308,"dimensions":{"<script>":` + text + `}}` + "\n" +
			`{"id":"sta-2",` + common + boundary + `,"indicator":"../../../etc","ref_area_scheme":"entity","ref_area":"ent-1","time_period":"2016-W29","value":0,"unit":"u","unit_label":` + text + `,"obs_status":"B"}` + "\n" +
			`{"id":"sta-3",` + common + boundary + `,"indicator":"page","ref_area_scheme":"entity","ref_area":"ent-1","time_period":"2016-02/P3M","unit":"u","unit_label":` + text + `,"obs_status":"O"}` + "\n",
		"graph-nodes/nod.json":     `{"id":"nod-1","version":1,"record_id":"evd-1","record_kind":"evidence","label":` + title + `}`,
		"graph-edges/edg.json":     `{"id":"edg-1","version":1,"source":"nod-1","target":"clm-1","relation":"supports","directed":true,"asserted_by":"src-1"}`,
		"changes/chg.json":         `{"id":"chg-1","version":1,"published_date":"2026-01-10","summary":` + text + `,"record_id":"clm-gone","record_kind":"proof_claim","change_type":"removed","before":{"version":1,"sha256":"` + strings.Repeat("0", 64) + `"},"after":null,"changed_fields":["/claim"],"release":` + text + `}`,
		"signals/sig.json":         `{"id":"sig-1",` + common + boundary + `,"signal_type":"trend","observation":` + text + `,"detected_date":"2026-01-10","statistic_ids":["sta-1","sta-2"]}`,
		"public-references/r.json": `{"id":"ref-1",` + common + `,"illustrative":true,"reference_note":` + text + `,"illustrates":["clm-1"]}`,
	} {
		files["records/"+path] = &fstest.MapFile{Data: []byte(record)}
	}
	return files
}

func hostileSite(t *testing.T) map[string][]byte {
	return madeOnce(t, "hostile", func() fs.FS { return hostileFolder(t) })
}

// quoted writes text as JSON, which is YAML too.
func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(data)
}

var (
	tagPattern  = regexp.MustCompile(`<[^>]*>`)
	blockScript = regexp.MustCompile(`(?s)<script type="application/(?:ld\+)?json"[^>]*>.*?</script>`)
)

// TestHostileRecords: whatever stands in records and settings, it stays text.
func TestHostileRecords(t *testing.T) {
	race.LeaveOut(t, "reads pages, which are made as those of the sample are")
	files := hostileSite(t)
	pages := 0
	for path, data := range files {
		if !strings.HasSuffix(path, ".html") {
			continue
		}
		pages++
		page := string(data)
		if blocks := blockScript.FindAllString(page, -1); len(blocks) > 0 {
			for _, b := range blocks {
				if strings.Count(b, "<") != 2 {
					t.Errorf("%s: a block of data can be left: %.300s", path, b)
				}
			}
			page = blockScript.ReplaceAllString(page, "")
		}
		for _, tag := range tagPattern.FindAllString(page, -1) {
			if lower := strings.ToLower(tag); strings.Contains(tag, "alert") && !strings.HasPrefix(tag, "<meta") &&
				!onlyInQuotes(tag, "alert") ||
				strings.HasPrefix(lower, "<img") ||
				strings.Contains(lower, `="javascript:`) {
				t.Errorf("%s: hostile text became markup: %.300s", path, tag)
			}
		}
		if strings.Count(page, "<script") != strings.Count(page, `<script type="module" src=`) || strings.Contains(page, "style=") {
			t.Errorf("%s has a script or a style of its own", path)
		}
		for _, line := range strings.Split(page, "<") { // each text ends what it begins
			if opens, closes := strings.Count(line, "\u202e")+strings.Count(line, "\u2067"), strings.Count(line,
				"\u202c")+strings.Count(line, "\u2069"); closes < opens {
				t.Errorf("%s: a text turns what comes after it around: %.200q", path, line)
			}
		}
	}
	if pages < 25 {
		t.Errorf("%d pages", pages)
	}
	crawl(t, files)
}

// onlyInQuotes reports whether a text stands in a tag only within quotation marks.
func onlyInQuotes(tag, text string) bool {
	outside := ""
	for i, part := range strings.Split(tag, `"`) {
		if i%2 == 0 {
			outside += part
		}
	}
	return !strings.Contains(outside, text)
}

// TestHostileRecordsInABrowser: nothing runs, nothing is wider than the window.
func TestHostileRecordsInABrowser(t *testing.T) {
	needsBrowser(t)
	b := open(t, serveFiles(t, filesOf(hostileSite(t))))
	b.width(360)
	for _, p := range []struct{ path, built string }{
		{"/", ""}, {"/proof/clm-1/", ""}, {"/decision-views/dec-1/", ""}, {"/evidence/evd-1/", ""}, {"/evidence/", "#table"}, {"/changes/", "#changes"}, {"/graph/", ""}, {"/graph/#graph", "#graph"}, {"/healthcare-statistics/", ""},
	} {
		b.visit(p.path)
		eval[bool](b, `(window.alert = () => { document.title = "hacked"; }, true)`)
		if p.built != "" {
			b.ready(p.built)
		}
		b.fits(p.path, 360)
		if got := eval[string](b, `document.title`); strings.HasPrefix(got, "hacked") {
			t.Errorf("%s ran a script of a record", p.path)
		}
	}
}

// TestSameEveryTime: pages do not depend on the number of cores, and those of records, kinds and
// indicators keep their bytes in another release.
func TestSameEveryTime(t *testing.T) {
	first := must.Get(sampleSite())(t)
	again := makeSite(t, sample.Files, compiler.Options{Workers: 1, NoVariants: true})
	for path, data := range first {
		if strings.HasSuffix(path, ".html") && string(again[path]) != string(data) {
			t.Errorf("with one worker, %s differs", path)
		}
	}
	for path, data := range again {
		if namesVariants := path == "manifest.json" || path == "index/pages.json"; !namesVariants &&
			string(first[path]) != string(data) {
			t.Errorf("with one worker, %s differs", path)
		}
	}
	if race.Enabled {
		return // another date is no other work
	}
	later := makeSite(t, sample.Files, compiler.Options{Date: "2026-12-24", NoVariants: true})
	for path, data := range first {
		if strings.HasSuffix(path, ".html") && path != "index.html" && string(later[path]) != string(data) {
			t.Errorf("a month later, %s differs", path)
		}
	}
}
