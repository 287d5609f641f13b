// Package version returns the version of the program.
package version

import (
	"runtime/debug"
	"strings"
	"time"
)

// Number is the latest released version, as in CHANGELOG.md.
const Number = "0.1.0"

// stamp is the result of String, set by tools/dist at link time. The version control data that Go
// records depends on the tags of the clone, and builds must be reproducible.
var stamp string

// String returns the version of the program and the commit that it was built from.
func String() string {
	if stamp != "" {
		return stamp
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{}.String()
	}
	return fromSettings(info.Settings).String()
}

// Name returns the version number of the program, with "+dev" unless it was released.
func Name() string {
	name, _, _ := strings.Cut(String(), " ")
	return name
}

// Build describes the commit that a program was built from.
type Build struct {
	Commit   string    // full hash, or "" if unknown
	Time     time.Time // of the commit
	Changed  bool      // whether files differ from the commit
	Released bool      // whether the commit was released as Number
}

// fromSettings returns the build that the go command recorded. Released is not recorded.
func fromSettings(settings []debug.BuildSetting) Build {
	var b Build
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time, _ = time.Parse(time.RFC3339, s.Value) // zero if it is missing
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// Name returns the version number. Unreleased builds have "+dev" after the latest released number.
func (b Build) Name() string {
	if b.Released && !b.Changed {
		return Number
	}
	return Number + "+dev"
}

// String returns the name, and the commit with its date: 0.1.0 (commit 0123456789ab, 2026-11-16).
func (b Build) String() string {
	if b.Commit == "" {
		return b.Name() + " (unknown commit)"
	}
	text := b.Name() + " (commit " + b.Commit[:min(12, len(b.Commit))]
	if b.Changed {
		text += " with changes"
	}
	if !b.Time.IsZero() {
		text += ", " + b.Time.UTC().Format(time.DateOnly)
	}
	return text + ")"
}
