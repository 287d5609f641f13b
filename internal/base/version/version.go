// Package version says which version of the program this is.
package version

import (
	"runtime/debug"
	"strings"
	"time"
)

// Number is the version that was released last, as CHANGELOG.md has it.
const Number = "0.1.0"

// stamp is what String returns in a program that tools/dist made. What Go itself records of version
// control will not do there: it depends on the tags that a clone has, and the bytes must not.
var stamp string

// String returns the version of this program, and what it was built from.
func String() string {
	if stamp != "" {
		return stamp
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{}.String()
	}
	return built(info.Settings).String()
}

// Name returns the number of the version of this program, and whether it was released.
func Name() string {
	name, _, _ := strings.Cut(String(), " ")
	return name
}

// A Build is what a program is built from.
type Build struct {
	Commit   string    // in full, or empty where it is not known
	Time     time.Time // of the commit
	Changed  bool      // files differ from those of the commit
	Released bool      // the commit is the one that was released as Number
}

// built returns what the go command recorded. It does not say whether a commit was released.
func built(settings []debug.BuildSetting) Build {
	var b Build
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time, _ = time.Parse(time.RFC3339, s.Value) // where it is none, none is shown
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// Name returns the number of the version. What was not released has "+dev" after the number of the
// release before it.
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
