package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"stele/internal/trust/audit"
)

//go:embed audit.css
var auditStyle string

// auditPage writes one page that needs nothing else.
func auditPage(w io.Writer, r *audit.Report) error {
	b := bufio.NewWriter(w)
	text := func(s string) string { return html.EscapeString(Printable(s)) }
	fmt.Fprintf(b, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Audit of %[1]s</title>
<style>
%[2]s</style>
<main>
<h1>Audit of <a href="%[1]s">%[1]s</a></h1>
<p class="verdict %[3]s">%[4]s</p>
`, text(r.Address), auditStyle, auditClass(r), auditVerdict(r))
	var facts []string
	for _, f := range []struct{ name, value string }{
		{"Date", r.Date}, {"Release", r.Release}, {"Asked", asked(r)}, {"By", r.Program},
	} {
		if f.value != "" {
			facts = append(facts, fmt.Sprintf("<dt>%s</dt><dd>%s</dd>", f.name, text(f.value)))
		}
	}
	if len(facts) > 0 {
		fmt.Fprintf(b, "<dl>%s</dl>\n", strings.Join(facts, ""))
	}
	b.WriteString("<p>It holds what the address answered against the Public Static Data Service Specification. It says nothing of availability or of other times, and no such thing is promised.</p>\n")
	for _, level := range audit.Levels {
		writeLevel(b, r, level, text)
	}
	b.WriteString("</main>\n</html>\n")
	return b.Flush()
}

func auditClass(r *audit.Report) audit.Verdict {
	switch {
	case r.Summary.Fail > 0:
		return audit.Fail
	case r.Summary.Warn > 0 || r.Summary.NotTested > 0:
		return audit.Warn
	}
	return audit.Pass
}

var levelTitles = map[audit.Level]string{
	audit.Required: "Required by the specification", audit.Consistent: "Consistent in itself",
	audit.Recommended: "Recommended by HTTP", audit.Ours: "A release of Stele",
}

func writeLevel(b *bufio.Writer, r *audit.Report, level audit.Level, text func(string) string) {
	line := levelLine(r, level)
	if line == "" {
		return
	}
	fmt.Fprintf(b, "<h2>%s</h2>\n<p>%s</p>\n<ul>\n", levelTitles[level], line)
	for _, result := range worstFirst(r, level) {
		class := strings.ReplaceAll(string(result.Verdict), " ", "-")
		fmt.Fprintf(b, "<li class=\"%s\"><p><b>%s</b> %s <span>%s</span><br><small>%s · tried %d×</small></p>\n",
			class, result.Verdict, text(result.Title), result.ID, text(result.Part), result.Tried)
		for _, f := range result.Findings {
			writeFinding(b, &f, text)
		}
		b.WriteString("</li>\n")
	}
	b.WriteString("</ul>\n")
}

// worstFirst are the results of a level, in the order in which a reader wants to know them.
func worstFirst(r *audit.Report, level audit.Level) []audit.Result {
	list := slices.DeleteFunc(slices.Clone(r.Results), func(result audit.Result) bool { return result.Level != level })
	order := []audit.Verdict{audit.Fail, audit.Warn, audit.NotTested, audit.Info, audit.Pass}
	slices.SortStableFunc(list, func(a, b audit.Result) int {
		return slices.Index(order, a.Verdict) - slices.Index(order, b.Verdict)
	})
	return list
}

func writeFinding(b *bufio.Writer, f *audit.Finding, text func(string) string) {
	fmt.Fprintf(b, "<p>%s</p>\n", text(sentence(f)))
	if f.Curl == "" || f.Verdict == audit.Info {
		return
	}
	head := strings.Split(f.Answer, "\n")
	for i, line := range head {
		head[i] = text(line)
	}
	fmt.Fprintf(b, "<details><summary>Request and answer</summary><pre tabindex=\"0\">%s\n\n%s</pre>", text(f.Curl), strings.Join(head, "\n"))
	if len(f.Addresses) > 1 {
		fmt.Fprintf(b, "<p>%s</p>", text(strings.Join(f.Addresses, " ")))
	}
	b.WriteString("</details>\n")
}
