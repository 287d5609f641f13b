package version

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"stele/internal/testkit/must"
)

func TestString(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	recorded := []debug.BuildSetting{
		{Key: "GOOS", Value: "linux"},
		{Key: "vcs.revision", Value: commit},
		{Key: "vcs.time", Value: "2026-11-16T23:30:00Z"},
	}
	changed := append(recorded[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	released := fromSettings(recorded)
	released.Released = true
	changedSince := fromSettings(changed)
	changedSince.Released = true
	for want, b := range map[string]Build{
		Number + " (commit 0123456789ab, 2026-11-16)":                  released,
		Number + "+dev (commit 0123456789ab, 2026-11-16)":              fromSettings(recorded),
		Number + "+dev (commit 0123456789ab with changes, 2026-11-16)": changedSince,
		Number + "+dev (commit abc)":                                   {Commit: "abc"},
		Number + "+dev (unknown commit)":                               fromSettings(recorded[:1]),
	} {
		if got := b.String(); got != want {
			t.Errorf("%+v: %s, and not %s", b, got, want)
		}
	}
}

// The number is that of the newest release in the changelog.
func TestChangelog(t *testing.T) {
	text := must.Get(os.ReadFile("../../../CHANGELOG.md"))(t)
	headings := regexp.MustCompile(`(?m)^## (.*)$`).FindAllSubmatch(text, -1)
	if len(headings) < 2 || string(headings[0][1]) != "Unreleased" {
		t.Fatalf("it does not begin with what is not released yet: %s", headings)
	}
	if want := Number + ", "; !regexp.MustCompile(`^` + regexp.QuoteMeta(want) + `\d{4}-\d\d-\d\d$`).Match(headings[1][1]) {
		t.Errorf("its newest version is %q, and that of the program %s", headings[1][1], Number)
	}
}
