package site_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/tools/programs"
)

const calendar = `
calendar:
  - what: "Coverage, 2026; \\ first <b>figures</b>"
    planned: 2026-12-10T00:30+01:00
    note: "Ω≈ç√∫˜µ≤≥÷ åß∂ƒ©˙∆˚¬ œ∑´®†¥¨ˆøπ 東京都千代田区丸の内一丁目九番一号 and more"
    moved:
      - {from: 2026-11-26, reason: The survey came late.}
      - {from: "2026-12-01T09:30Z", reason: "It needs\nmore checks."}
  - {what: Cases of the autumn, planned: 2026-11-02}
  - {what: Deaths of 2025, planned: 2026-10-01, published: 2026-10-02}
  - {what: A report on schools, planned: 2027-01-15, cancelled: The money went elsewhere.}
`

// calendarSite makes the pages of the sample with a calendar.
func calendarSite(t *testing.T) map[string][]byte {
	t.Helper()
	records := must.Get(specimen.Sample())(t)
	records["stele.yaml"] = &fstest.MapFile{Data: append(bytes.Clone(records["stele.yaml"].Data), calendar...)}
	return makeSite(t, records, compiler.Options{NoVariants: true, Date: "2026-11-17", Render: renderers()[:1]})
}

// TestCalendar: what is planned has a page, which shows moved dates and what is late, and is on the
// first page, in JSON and in the manifest. Without a calendar there is nothing of it.
func TestCalendar(t *testing.T) {
	race.LeaveOut(t, "it reads pages, which are made as those of the sample are")
	files := calendarSite(t)
	for path, wants := range map[string][]string{
		"calendar/index.html": {
			`<time datetime="2026-12-10T00:30+01:00">2026-12-10 <bdi>00:30 UTC+01:00</bdi></time> · <b>planned</b>`,
			`It was planned for <time datetime="2026-11-26">2026-11-26</time>: <span>The survey came late.</span>`,
			`<li><b>Cases of the autumn</b><br><time datetime="2026-11-02">2026-11-02</time> · <b>late</b>`, `The money went elsewhere.`, "&lt;b&gt;figures",
			`<b>published</b> <time>2026-10-02</time>`, "Planned, not promised.", `href="../calendar.ics"`,
		},
		"index.html":                          {"Late: <time datetime=\"2026-11-02\">", "Planned next: <time", `<a href="calendar/">Calendar</a>`},
		"calendar.json":                       {`"status": "late"`, `"next_planned": "2026-12-10T00:30+01:00"`, `"from": "2026-11-26"`},
		"manifest.json":                       {`"next_planned": "2026-12-10T00:30+01:00"`},
		"proof/clm-mmr-and-autism/index.html": {`<a href="../../calendar/">Calendar</a>`},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[path]), want) {
				t.Errorf("%s has no %s:\n%.4000s", path, want, files[path])
			}
		}
	}
	for path, data := range must.Get(sampleSite())(t) {
		if strings.HasPrefix(path, "calendar") || strings.HasSuffix(path, ".html") && bytes.Contains(data, []byte("calendar/")) ||
			path == "manifest.json" && bytes.Contains(data, []byte("next_planned")) {
			t.Errorf("%s has a calendar", path)
		}
	}
}

// TestLongCalendarPrograms: a reader of calendars by others finds what is planned, in lines that
// are not too long, and the same in the next release.
func TestLongCalendarPrograms(t *testing.T) {
	long.Only(t)
	modules, err := programs.ICal.Get(t.Output())
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("left out: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	data := calendarSite(t)["calendar.ics"]
	for line := range bytes.Lines(data) {
		if len(line) > 77 || !bytes.HasSuffix(line, []byte("\r\n")) || !bytes.Equal(bytes.ToValidUTF8(line, nil), line) {
			t.Errorf("%d bytes: %q", len(line), line)
		}
	}
	script := filepath.Join(t.TempDir(), "read.mjs")
	must.Do(t, os.WriteFile(script, []byte(`import { readFileSync } from "node:fs";
		const { default: ICAL } = await import("file://`+filepath.ToSlash(modules)+`/ical.js/dist/ical.js");
		const calendar = new ICAL.Component(ICAL.parse(readFileSync(0, "utf8")));
		console.log(JSON.stringify(calendar.getAllSubcomponents("vevent").map((v) => {
			const e = new ICAL.Event(v);
			return [e.summary, e.startDate.toString(), v.getFirstPropertyValue("status"), e.description.split("\n").slice(0, -1).join("|"), String(e.sequence), e.uid.length > 20 ? "" : e.uid];
		})));`), 0o644))
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), t.Output()
	var got [][]string
	must.Do(t, json.Unmarshal(must.Get(cmd.Output())(t), &got))
	want := [][]string{
		{"Deaths of 2025", "2026-10-01", "CONFIRMED", "published 2026-10-02", "0", ""},
		{"Cases of the autumn", "2026-11-02", "TENTATIVE", "late", "0", ""},
		{`Coverage, 2026; \ first <b>figures</b>`, "2026-12-09T23:30:00Z", "TENTATIVE", "planned|Ω≈ç√∫˜µ≤≥÷ åß∂ƒ©˙∆˚¬ œ∑´®†¥¨ˆøπ 東京都千代田区丸の内一丁目九番一号 and more|" +
			"It was planned for 2026-11-26: The survey came late.|It was planned for 2026-12-01T09:30Z: It needs|more checks.", "2", ""},
		{"A report on schools", "2027-01-15", "CANCELLED", "cancelled|The money went elsewhere.", "0", ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
