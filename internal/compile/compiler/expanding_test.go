package compiler_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/race"
)

// TestLongNames: 200 values below a name of 1 MB change, and the event that names them is no larger
// than readers take.
func TestLongNames(t *testing.T) {
	race.LeaveOut(t, "one goroutine builds at a time")
	folder := func(version, day string) fstest.MapFS {
		var values []string
		for i := range 200 {
			values = append(values, fmt.Sprintf(`"c%d":%s`, i, version))
		}
		files := starterFolder(t)
		files["records/entities/ent-long.json"] = &fstest.MapFile{Data: fmt.Appendf(nil, `{"id":"ent-long","version":%s,"title":"Long","summary":"S.",`+
			`"entity_type":"place","name":"Long","source_links":[{"url":"https://example.org/","role":"primary"}],"verification_date":"2026-01-10",`+
			`"source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":%q,"x_a":{%q:{%s}}}`,
			version, day, strings.Repeat("k", 1<<20), strings.Join(values, ","))}
		return files
	}
	opt := compiler.Options{Date: "2026-02-01", NoVariants: true}
	first := makeRelease(t, folder("1", "2026-01-10"), opt)
	opt.Date, opt.Previous = "2026-02-02", first.Release
	verify(t, makeRelease(t, folder("2", "2026-02-02"), opt).Release)
}

// TestWhatCompressesWell: what writers write, readers accept, however well it compresses: a version
// of 3 MB of one letter can be superseded, verified, redacted and verified again.
func TestWhatCompressesWell(t *testing.T) {
	race.LeaveOut(t, "one goroutine builds at a time")
	long := edit(t, starterFolder(t), riseFile, "version: 1\n", "version: 1\nx_log: "+strings.Repeat("a", 3<<20)+"\n")
	opt := compiler.Options{Date: "2026-02-01", NoVariants: true}
	first := makeRelease(t, long, opt)
	opt.Date, opt.Previous = "2026-02-02", first.Release
	short := revise(t, starterFolder(t), riseFile, "2026-02-02", "version: 1\n", "version: 2\n")
	second := makeRelease(t, short, opt)
	verify(t, second.Release)
	short["redactions.yaml"] = &fstest.MapFile{Data: []byte(
		"redactions:\n  - {id: sig-example-rise, versions: 1, members: [/x_log], date: 2026-02-03, reason: It was private.}\n",
	)}
	opt.Date, opt.Previous = "2026-02-03", second.Release
	third := makeRelease(t, short, opt)
	verify(t, third.Release)
	if pack := third.files["history/signals.ndjson.zst"]; len(pack) == 0 || len(pack) > 4<<10 {
		t.Errorf("the history has %d bytes", len(pack))
	}
}
