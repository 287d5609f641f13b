package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"stele/internal/base/junit"
	"stele/internal/trust/audit"
)

// AuditFormats are the names of the formats of an audit.
var AuditFormats = []string{"text", "json", "junit"}

// WriteAudit prints the results of an audit.
func WriteAudit(w io.Writer, format string, r *audit.Report, quiet, color bool) error {
	switch format {
	case "json":
		return WriteJSON(w, r)
	case "junit":
		return writeAuditJUnit(w, r)
	}
	return writeAuditText(w, r, quiet, style(color))
}

// writeAuditText prints the problems, sorted by level, and then a summary.
func writeAuditText(w io.Writer, r *audit.Report, quiet bool, st style) error {
	b := bufio.NewWriter(w)
	for _, verdict := range []audit.Verdict{audit.Fail, audit.Warn} {
		for _, result := range r.Results {
			for _, f := range result.Findings {
				if f.Verdict == verdict {
					writeFinding(b, &result, &f, st)
				}
			}
		}
	}
	if quiet && r.Summary.Fail+r.Summary.Warn == 0 {
		return b.Flush()
	}
	for _, verdict := range []audit.Verdict{audit.NotTested, audit.Info} {
		for _, g := range groupFindings(r, verdict) {
			fmt.Fprintf(b, "%s  %-14s  %s\n", st.dim(fmt.Sprintf("%-10s", verdict)), g.ids, Printable(g.text))
		}
	}
	for _, level := range audit.Levels {
		if line := levelLine(r, level); line != "" {
			fmt.Fprintf(b, "%-11s  %s\n", level, line)
		}
	}
	asked := fmt.Sprintf("(%s, %s, %s)", Printable(r.Address), Count(int(r.Requests), "request"), SizeText(r.Bytes))
	fmt.Fprintf(b, "%s  %s\n", st.bold(auditVerdict(r)), st.dim(asked))
	return b.Flush()
}

// similarChecks are checks with the same problem.
type similarChecks struct {
	ids, text string
	count     int
}

func groupFindings(r *audit.Report, v audit.Verdict) (list []similarChecks) {
	for _, result := range r.Results {
		for _, f := range result.Findings {
			if f.Verdict != v {
				continue
			}
			text := findingText(&f)
			if i := slices.IndexFunc(list, func(o similarChecks) bool { return o.text == text }); i >= 0 {
				list[i].count++
				list[i].ids = Count(list[i].count, "check")
				continue
			}
			list = append(list, similarChecks{result.ID, text, 1})
		}
	}
	return list
}

// writeFinding prints a problem with the request that shows it.
func writeFinding(b *bufio.Writer, result *audit.Result, f *audit.Finding, st style) {
	code := "1;33"
	if f.Verdict == audit.Fail {
		code = "1;31"
	}
	fmt.Fprintf(b, "%s  %s  %s\n", st.paint(code, string(f.Verdict)), st.bold(result.ID), Printable(findingText(f)))
	if f.Curl != "" {
		fmt.Fprintf(b, "      %s\n", st.dim(Printable(f.Curl)))
	}
}

// findingText returns a problem with its URLs.
func findingText(f *audit.Finding) string {
	switch {
	case f.Count == 0:
		return f.Message
	case f.Count == 1:
		return f.Addresses[0] + ": " + f.Message
	}
	return fmt.Sprintf("%s and %d more: %s", f.Addresses[0], f.Count-1, f.Message)
}

// levelLine returns the counts of results of a level.
func levelLine(r *audit.Report, level audit.Level) string {
	count := map[audit.Verdict]int{}
	for _, result := range r.Results {
		if result.Level == level {
			count[result.Verdict]++
		}
	}
	var parts []string
	for _, v := range []audit.Verdict{audit.Pass, audit.Fail, audit.Warn, audit.Info, audit.NotTested} {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	return strings.Join(parts, " · ")
}

// auditVerdict returns a summary in one sentence. It never says that no problems were found if a
// check could not run.
func auditVerdict(r *audit.Report) string {
	s := r.Summary
	var parts []string
	if s.Fail > 0 {
		parts = append(parts, CountOf(s.Fail, "check fails", "checks fail"))
	}
	if s.Warn > 0 {
		parts = append(parts, CountOf(s.Warn, "check warns", "checks warn"))
	}
	switch {
	case s.Whole:
		parts = append(parts, "All checks ran; no problems found")
	case len(parts) == 0:
		parts = append(parts, "No problems found")
	}
	verdict := strings.Join(parts, ", ")
	if s.NotTested > 0 {
		verdict += "; " + CountOf(s.NotTested, "check was", "checks were") + " not tested, or only in part"
	}
	return verdict + "."
}

// writeAuditJUnit writes a suite for each level and a case for each check. Checks that could not
// run are skipped; warnings are in the output of a case.
func writeAuditJUnit(w io.Writer, r *audit.Report) error {
	var suites []junit.Suite
	for _, level := range audit.Levels {
		suite := junit.Suite{Name: string(level)}
		for _, result := range r.Results {
			if result.Level == level {
				suite.Add(auditCase(&result))
			}
		}
		suites = append(suites, suite)
	}
	return junit.Write(w, "stele audit "+r.Address, suites...)
}

func auditCase(result *audit.Result) junit.Case {
	c := junit.Case{Class: "stele.audit." + string(result.Level), Name: result.ID + ": " + result.Title}
	var failures, rest []string
	for _, f := range result.Findings {
		text := Printable(findingText(&f))
		if f.Verdict == audit.Fail {
			failures = append(failures, text+"\n"+Printable(f.Curl))
		} else {
			rest = append(rest, string(f.Verdict)+": "+text)
		}
	}
	c.Out = strings.Join(rest, "\n")
	switch result.Verdict {
	case audit.Fail:
		c.Failure = &junit.Text{Message: Printable(findingText(&result.Findings[0])), Text: strings.Join(failures, "\n")}
	case audit.NotTested:
		c.Skipped = &junit.Text{Message: Printable(findingText(&result.Findings[0]))}
	}
	return c
}
