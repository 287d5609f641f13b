// Package report shows what a check found: as text for people, as JSON for programs, as annotations
// for GitHub.
package report

import (
	"io"
	"io/fs"
	"time"

	"stele/internal/author/judging/check"
)

// Options of a report.
type Options struct {
	Files fs.FS // the folder that was checked, to quote from
	// what to write before each path, so that it leads there from where the reader stands
	Prefix string
	Color  bool          // whether the text is for a terminal
	Quiet  bool          // whether to say nothing when nothing is wrong
	Took   time.Duration // how long the check took
}

// Formats are the names of the formats.
var Formats = []string{"text", "json", "github"}

// Write writes a report in a format, which is text unless it is another of them.
func Write(w io.Writer, format string, r *check.Result, opt Options) error {
	switch format {
	case "json":
		return writeJSON(w, r, opt)
	case "github":
		return writeGitHub(w, r, opt)
	}
	return writeText(w, r, opt)
}
