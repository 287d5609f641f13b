package report

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"stele/internal/author/judging/check"
)

// Escapes for characters that would end a value in a workflow command.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeGitHub writes workflow commands, which GitHub shows next to the changed lines, and the
// summary for the log.
func writeGitHub(w io.Writer, r *check.Result, opt Options) error {
	b := bufio.NewWriter(w)
	for _, p := range r.Problems {
		fmt.Fprintf(b, "::%s file=%s", p.Severity(), inProperty.Replace(Printable(path.Join(opt.Prefix, p.File))))
		if p.Line > 0 {
			fmt.Fprintf(b, ",line=%d", p.Line)
		}
		if p.Column > 0 {
			fmt.Fprintf(b, ",col=%d", p.Column)
		}
		message := p.Message
		if p.Fix != "" {
			message += "; " + p.Fix
		}
		fmt.Fprintf(b, ",title=%s::%s\n", p.Code, inMessage.Replace(Printable(message)))
	}
	if r.Waiting > 0 {
		fmt.Fprintln(b, unreadableHint(r))
	}
	if !opt.Quiet || len(r.Problems) > 0 {
		fmt.Fprintln(b, checkSummary(r, opt, false))
	}
	return b.Flush()
}
