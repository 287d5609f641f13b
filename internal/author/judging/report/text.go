package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"stele/internal/author/judging/check"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// style colours text for a terminal.
type style bool

func (s style) paint(code, text string) string { return Paint(bool(s), code, text) }

// Paint adds a terminal colour or weight to text, if color is set.
func Paint(color bool, code, text string) string {
	if !color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(t string) string  { return s.paint("1", t) }
func (s style) dim(t string) string   { return s.paint("2", t) }
func (s style) green(t string) string { return s.paint("32", t) }
func (s style) colorSeverity(sev codes.Severity, t string) string {
	if sev == codes.Error {
		return s.paint("1;31", t)
	}
	return s.paint("1;33", t)
}

func writeText(w io.Writer, r *check.Result, opt Options) error {
	b := bufio.NewWriter(w)
	st := style(opt.Color)
	q := &quoter{files: opt.Files}
	defer q.close()
	alike := groupProblems(r.Problems)
	for i := range r.Problems {
		p := &r.Problems[i]
		g := alike[groupOf(p)]
		if g.shown++; g.shown <= shownAlike || g.count <= mostAlike {
			writeProblem(b, p, q, st, opt)
		}
		if g.shown == shownAlike && g.count > mostAlike {
			fmt.Fprintf(b, "       %s\n", st.dim(g.moreText()))
		}
	}
	if more := r.Errors + r.Warnings - len(r.Problems); more > 0 {
		fmt.Fprintf(b, "… and %s more, not shown.\n", withThousands(more))
	}
	writeCodes(b, r, st)
	if r.Waiting > 0 {
		fmt.Fprintln(b, unreadableHint(r))
	}
	if !opt.Quiet || len(r.Problems) > 0 {
		fmt.Fprintln(b, checkSummary(r, opt, st))
		WriteHeldBack(b, r.Held)
		if r.LeavesOut != "" {
			fmt.Fprintln(b, r.LeavesOut)
		}
	}
	return b.Flush()
}

func writeProblem(b io.Writer, p *schema.Problem, q *quoter, st style, opt Options) {
	shown := *p
	shown.File = path.Join(opt.Prefix, p.File)
	fmt.Fprintf(b, "%s: %s %s: %s\n", st.bold(Printable(shown.Position())),
		st.colorSeverity(p.Severity(), p.Severity().String()), p.Code, Printable(p.Message))
	e, ok := q.findExcerpt(p.File, p.Line, p.Column, p.Width)
	if !ok {
		if p.Fix != "" {
			fmt.Fprintf(b, "    %s\n", st.green(Printable(p.Fix)))
		}
		return
	}
	number := fmt.Sprintf("%6d", p.Line)
	fmt.Fprintf(b, "%s %s\n", st.dim(number+" |"), e.text)
	if p.Column == 0 && p.Fix == "" {
		return
	}
	under, fix := strings.Repeat("^", e.width), ""
	if p.Column == 0 {
		e.indent, under = 0, "="
	}
	if p.Fix != "" {
		fix = " " + st.green(Printable(p.Fix))
	}
	fmt.Fprintf(b, "%s %s%s%s\n", st.dim(strings.Repeat(" ", len(number))+" |"), strings.Repeat(" ", e.indent),
		st.colorSeverity(p.Severity(), under), fix)
}

// writeCodes prints the number of problems by code, if there are many.
func writeCodes(b io.Writer, r *check.Result, st style) {
	if len(r.Problems) <= 20 {
		return
	}
	counts := map[codes.Code]int{}
	for _, p := range r.Problems {
		counts[p.Code]++
	}
	fmt.Fprintln(b)
	for _, info := range codes.Table {
		if n := counts[info.Code]; n > 0 {
			fmt.Fprintf(b, "%9s  %s  %s\n", withThousands(n), st.colorSeverity(info.Severity, string(info.Code)), info.Title)
		}
	}
}

// checkSummary returns the result of the check in one line.
func checkSummary(r *check.Result, opt Options, st style) string {
	took := opt.Took.Round(10 * time.Millisecond).Seconds()
	if r.Errors+r.Warnings == 0 {
		return fmt.Sprintf("%s in %s, %s%s (%.2f s).", Count(r.Records, "record"), Count(len(r.Kinds), "kind"), st.green("no problems found"), acceptedText(r), took)
	}
	var parts []string
	if r.Errors > 0 {
		parts = append(parts, st.colorSeverity(codes.Error, Count(r.Errors, "error")))
	}
	if r.Warnings > 0 {
		parts = append(parts, st.colorSeverity(codes.Warning, Count(r.Warnings, "warning")))
	}
	return fmt.Sprintf("%s%s in %s (%.2f s).  See stele explain %s.", strings.Join(parts, ", "), acceptedText(r), Count(r.Records, "record"), took, firstToFix(r.Problems).Code)
}

// WriteHeldBack prints how many records are held back from releases, if any.
func WriteHeldBack(w io.Writer, h check.Held) {
	var parts []string
	count := h.Drafts
	if h.Drafts > 0 {
		parts = append(parts, Count(h.Drafts, "draft"))
	}
	for _, day := range slices.Sorted(maps.Keys(h.Until)) {
		parts = append(parts, withThousands(h.Until[day])+" until "+string(day))
		count += h.Until[day]
	}
	switch count {
	case 0:
	case 1:
		fmt.Fprintln(w, parts[0]+" is held back.")
	default:
		fmt.Fprintln(w, strings.Join(parts, ", ")+" are held back.")
	}
}

// acceptedText returns how many warnings the settings accept.
func acceptedText(r *check.Result) string {
	if r.Accepted == 0 {
		return ""
	}
	return ", " + withThousands(r.Accepted) + " accepted"
}

// unreadableHint returns a hint that unreadable files may cause more findings.
func unreadableHint(r *check.Result) string {
	where := "that file can be read: it may contain the missing records."
	if len(r.Problems) > 1 && r.Problems[1].Code.HidesRecords() {
		where = "those files can be read: they may contain the missing records."
	}
	return CountOf(r.Waiting, "finding waits", "findings wait") + " until " + where
}

// firstToFix returns the problem to fix first: the first error. Unreadable files, which may cause
// other problems, come first.
func firstToFix(problems []schema.Problem) schema.Problem {
	i := slices.IndexFunc(problems, func(p schema.Problem) bool { return p.Severity() == codes.Error })
	return problems[max(i, 0)]
}

// Count returns a number with a noun, in the plural unless n is 1.
func Count(n int, noun string) string { return CountOf(n, noun, noun+"s") }

// CountOf returns n with one if n is 1, otherwise with many.
func CountOf(n int, one, many string) string {
	if n != 1 {
		one = many
	}
	return withThousands(n) + " " + one
}

// FirstOf returns the first elements of list, up to most of them, and the number of the others.
func FirstOf(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + " and " + withThousands(len(list)-most) + " more"
}

// withThousands returns a number with commas between thousands.
func withThousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
