package trace

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"stele/internal/author/report"
	"stele/record"
)

// IssueMark is the first line of an issue, by which a later run finds it.
const IssueMark = "<!-- stele review -->"

// Limits of an issue. GitHub takes 65,536 characters; here bytes are counted.
const (
	mostIssue    = 60_000
	mostListed   = 200 // lines of a section
	unidentified = "Sources without a DOI or PubMed ID, which no list can have"
)

// Issue is what has to be done, for whoever keeps the records.
type Issue struct {
	Day      record.Date
	Due      []Cause
	Compared *Compared // with a list of retractions; nil for none
	Links    *Links    // that were tried; nil for none
	Verified []Verifier
}

// Verifier is somebody who verified records.
type Verifier struct {
	Name  string // "" for records that name nobody
	Count int
	Last  record.Date
}

// Verifiers returns who verified records, those of most first.
func Verifiers(files fs.FS) []Verifier {
	byName := map[string]*Verifier{}
	for _, rec := range Records(files, func(string) bool { return true }) {
		e := rec.Common()
		if e.VerificationDate == "" {
			continue
		}
		v := byName[e.VerifiedBy]
		if v == nil {
			v = &Verifier{Name: strings.Clone(e.VerifiedBy)}
			byName[v.Name] = v
		}
		v.Count, v.Last = v.Count+1, max(v.Last, record.Date(strings.Clone(string(e.VerificationDate))))
	}
	list := make([]Verifier, 0, len(byName))
	for _, v := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, *byName[v])
	}
	slices.SortStableFunc(list, func(a, b Verifier) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// Tasks counts what there is to do.
func (i *Issue) Tasks() (n int) {
	for _, c := range i.Due {
		n += c.Count
	}
	if i.Compared != nil {
		n += len(i.unsaid())
	}
	if i.Links != nil {
		n += len(i.Links.Dead)
	}
	return n
}

// unsaid are the retractions, and other notices, that the records do not have.
func (i *Issue) unsaid() []Hit {
	return slices.DeleteFunc(slices.Clone(i.Compared.Hits), func(h Hit) bool { return h.Said || h.Update == nil })
}

// Markdown writes the issue. All that comes from records stands in code spans, in which no host
// makes links, mentions or markup of it.
func (i *Issue) Markdown(w io.Writer) error {
	b := &issueWriter{}
	b.line("%s", IssueMark)
	b.line("**%s to look at** on %s", report.Count(i.Tasks(), "thing"), i.Day)
	for _, c := range i.Due {
		var lines []string
		for j := range c.Records {
			lines = append(lines, c.Records[j].task())
		}
		head := "Due for review"
		if c.Record != "" {
			head = strings.TrimSpace(report.Span(c.Record) + " " + c.Cause + " " + c.Since)
		}
		b.section(head, lines)
	}
	if i.Compared != nil {
		var lines []string
		for _, h := range i.unsaid() {
			lines = append(lines, fmt.Sprintf("- [ ] %s %s: %s, of %s, and %s", report.Span(h.Source), report.Span(h.By),
				report.Span(cmp.Or(h.Nature, "retraction")), cmp.Or(string(h.Update.Date), "a day that the list does not give"), "the record does not have it"))
		}
		b.section("Sources on a list of retractions", lines)
		lines = nil
		for _, id := range i.Compared.Unidentified {
			lines = append(lines, "- "+report.Span(id))
		}
		b.section(unidentified, lines)
	}
	if i.Links != nil {
		var lines []string
		for _, l := range i.Links.Dead {
			lines = append(lines, fmt.Sprintf("- [ ] %s (%s), in %s", report.Span(l.URL), report.Span(l.Why), report.Span(l.Record)))
		}
		b.section("Dead links", lines)
		if i.Links.Untried > 0 {
			b.line("\n%s of %d did not answer, or were not asked.", report.CountOf(i.Links.Untried, "address", "addresses"), i.Links.Count)
		}
	}
	var lines []string
	for _, v := range i.Verified {
		lines = append(lines, fmt.Sprintf("- %s: %s, last on %s", cmp.Or(spanned(v.Name), "nobody is named"), report.Count(v.Count, "record"), v.Last))
	}
	b.section("Who verified", lines)
	if b.left > 0 {
		b.b.WriteString(fmt.Sprintf("\n%s left out here; `stele review` lists all.\n", report.Count(b.left, "line")))
	}
	_, err := io.WriteString(w, b.b.String())
	return err
}

// task is the line of a record that has to be looked at again.
func (d *Due) task() string {
	text := "- [ ] " + report.Span(d.ID) + " " + report.Span(d.Title) + ": " + strings.ReplaceAll(d.Standing, "_", " ")
	if d.Verified != "" {
		text += ", verified " + string(d.Verified)
		if d.By != "" {
			text += " by " + report.Span(d.By)
		}
	}
	if d.Dependents > 0 {
		text += ", " + report.CountOf(d.Dependents, "record rests on it", "records rest on it")
	}
	return text
}

func spanned(s string) string {
	if s == "" {
		return ""
	}
	return report.Span(s)
}

// issueWriter writes lines as long as there is room, and counts the others.
type issueWriter struct {
	b    strings.Builder
	left int
}

func (w *issueWriter) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...) + "\n"
	if w.b.Len()+len(text) > mostIssue {
		w.left++
		return
	}
	w.b.WriteString(text)
}

// section writes lines below a heading, if there are any.
func (w *issueWriter) section(head string, lines []string) {
	if len(lines) == 0 {
		return
	}
	w.line("\n**%s**\n", head)
	for _, l := range lines[:min(len(lines), mostListed)] {
		w.line("%s", l)
	}
	w.left += max(0, len(lines)-mostListed)
}
