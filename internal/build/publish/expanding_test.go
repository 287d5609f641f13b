package publish_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/build/publish"
	"stele/internal/testkit/race"
)

// TestWhatCompressesWell: what writers write, readers accept, however well it compresses: a version
// of 3 MB of one letter can be superseded, verified, redacted and verified again.
func TestWhatCompressesWell(t *testing.T) {
	race.Unwatched(t, "one goroutine builds at a time")
	long := edit(t, starterFolder(t), riseFile, "version: 1\n", "version: 1\nx_log: "+strings.Repeat("a", 3<<20)+"\n")
	opt := publish.Options{Date: "2026-02-01", NoVariants: true}
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
