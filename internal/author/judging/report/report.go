// Package report prints the results of checks: as text for people, as JSON for programs, and as
// annotations for GitHub.
package report

import (
	"io"
	"io/fs"
	"time"

	"stele/internal/author/judging/check"
)

// Options of a report.
type Options struct {
	Files fs.FS // the checked folder, for quoting lines
	// the prefix that makes paths relative to the reader's current folder
	Prefix string
	Color  bool          // whether the text is for a terminal
	Quiet  bool          // print nothing if there are no problems
	Took   time.Duration // duration of the check
}

// Formats are the names of the formats.
var Formats = []string{"text", "json", "github"}

// Write prints a report in the given format. The default is text.
func Write(w io.Writer, format string, r *check.Result, opt Options) error {
	switch format {
	case "json":
		return writeJSON(w, r, opt)
	case "github":
		return writeGitHub(w, r, opt)
	}
	return writeText(w, r, opt)
}
