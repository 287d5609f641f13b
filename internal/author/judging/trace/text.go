package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"stele/internal/author/judging/report"
	"stele/internal/trust/standing"
	"stele/record"
)

// most is the maximum length of a list in text. JSON contains all elements.
const most = 20

// mostQuoted is the maximum number of characters of a quote.
const mostQuoted = 200

// summary returns the label, dates and standing of a record.
func (r *Record) summary() string {
	var parts []string
	if r.Label != "" {
		parts = append(parts, strings.ReplaceAll(r.Label, "_", " "))
	}
	if r.Verified != "" {
		parts = append(parts, "verified "+string(r.Verified))
	}
	if r.Standing != standing.Stands.String() {
		parts = append(parts, r.standingText())
	}
	return strings.Join(parts, " · ")
}

// standingText returns the standing of a record and its cause.
func (r *Record) standingText() string {
	text := strings.ReplaceAll(r.Standing, "_", " ")
	if r.Since == "" {
		return text
	}
	why := r.Cause + " " + string(r.Since)
	if len(r.Path) > 0 {
		why = strings.Join(r.Path, " → ") + ": " + why
	} else if r.Cause == r.Standing {
		return why
	}
	return text + " (" + why + ")"
}

func (r *Record) name() string {
	return strings.ReplaceAll(r.Kind, "_", " ") + "  " + r.ID + "  " + r.Title
}

// WriteText prints a trace.
func (t *Trace) WriteText(w io.Writer) error {
	p := &printer{w: w}
	p.printLine("%s", t.name())
	p.printLine("  %s", t.summary())
	if len(t.RestsOn) == 0 {
		p.printLine("This record rests on no other record.")
	}
	p.printSupport(t.RestsOn, "")
	if t.Touched == nil {
		p.printDependents(t.RestedOnBy)
		return p.err
	}
	p.printTouched(t)
	return p.err
}

// printer prints lines until an error occurs.
type printer struct {
	w   io.Writer
	err error
}

// printLine prints a line without control characters.
func (p *printer) printLine(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, report.Printable(fmt.Sprintf(format, args...))+"\n")
	}
}

func (p *printer) printSupport(list []*Support, indent string) {
	for i, s := range list {
		branch, inner := "├ ", "│ "
		if i == len(list)-1 {
			branch, inner = "└ ", "  "
		}
		note := ""
		if s.Weakest {
			note = "  ← weakest link"
			if s.Limit != "" {
				note += ", limited by " + s.Limit
			}
		}
		if s.Again {
			note += "  (as above)"
		}
		p.printLine("%s%s%s  %s%s", indent, branch, s.name(), s.summary(), note)
		p.printQuote(s.Quote, indent+inner)
		p.printSupport(s.RestsOn, indent+inner)
	}
}

// printQuote prints q, a quote from a source.
func (p *printer) printQuote(q *record.Quote, indent string) {
	if q == nil {
		return
	}
	text := []rune(strings.Join(strings.Fields(q.Text), " "))
	if len(text) > mostQuoted {
		text = append(text[:mostQuoted], '…')
	}
	where := ""
	if q.Locator != "" {
		where = ", " + q.Locator
	}
	p.printLine("%s  quoted: “%s”%s", indent, string(text), where)
}

// printList prints heading, a row for each of the first elements of list, and the number of the
// others.
func printList[T any](p *printer, heading string, list []T, row func(*T) string, more string) {
	p.printLine("%s", heading)
	for i := range list[:min(len(list), most)] {
		p.printLine("  %s", row(&list[i]))
	}
	if len(list) > most {
		p.printLine("  … and %d more%s", len(list)-most, more)
	}
}

// inJSON is the hint where to find the whole list.
const inJSON = "; --format json lists them"

func (p *printer) printDependents(list []Dependent) {
	if len(list) == 0 {
		p.printLine("No records rest on this record.")
		return
	}
	printList(p, report.CountOf(len(list), "record rests", "records rest")+" on it:", list,
		func(d *Dependent) string { return d.name() + "  " + d.summary() }, inJSON)
}

func (p *printer) printTouched(t *Trace) {
	if len(t.Touched) == 0 {
		p.printLine("Retracting this record would affect no other record.")
		return
	}
	printList(p, "Retracting this record would affect "+report.Count(len(t.Touched), "record")+":", t.Touched, func(r *Touched) string {
		return fmt.Sprintf("%s  %s → %s", r.name(), strings.ReplaceAll(r.Was, "_", " "), r.lostText())
	}, inJSON)
}

// lostText returns the standing of a record and its cause.
func (r *Record) lostText() string {
	return strings.ReplaceAll(r.Standing, "_", " ") + "  (" + strings.Join(r.Path, " → ") + ")"
}

// WriteLosing prints the records that lost their support.
func WriteLosing(w io.Writer, list []Record) error {
	p := &printer{w: w}
	if len(list) == 0 {
		p.printLine("No record loses its support.")
		return p.err
	}
	printList(p, report.CountOf(len(list), "record loses its support:", "records lose their support:"), list,
		func(r *Record) string { return r.name() + "  " + r.lostText() }, "")
	p.printLine("Next: `stele check` lists what to write in each of them.")
	return p.err
}

// WriteReview prints the records that need another check.
func WriteReview(w io.Writer, causes []Cause) error {
	p := &printer{w: w}
	if len(causes) == 0 {
		p.printLine("No records need another check.")
	}
	for _, c := range causes {
		happened := strings.TrimSpace(c.Record + " " + c.Cause + " " + c.Since)
		printList(p, happened+": "+report.Count(c.Count, "record"), c.Records, func(d *Due) string {
			return d.name() + "  " + strings.ReplaceAll(d.Standing, "_", " ") + "  " + report.CountOf(d.Dependents, "rests on it", "rest on it")
		}, inJSON)
	}
	return p.err
}

// WriteText prints the result. It never says that a source was not retracted, because lists are
// incomplete.
func (c *Compared) WriteText(w io.Writer) error {
	p := &printer{w: w}
	for i := range c.Hits {
		h := &c.Hits[i]
		nature := cmp.Or(h.Nature, "no nature given, assumed to be a retraction")
		when := ""
		if h.Update != nil && h.Update.Date != "" {
			when = " of " + string(h.Update.Date)
		}
		p.printLine("%s  %s", h.Source, h.Title)
		p.printLine("  %s is listed: %s%s", h.By, nature, when)
		switch {
		case h.Update == nil:
			p.printLine("  Unknown nature: read the notice.")
		case h.Said:
			p.printLine("  The source object already mentions this.")
		default:
			p.printLine("  Read the notice, then add this to the source's source_updates, summarized in your own words:")
			p.printUpdate(h.Update)
		}
	}
	p.printLine("%d of %s with a DOI or PubMed ID are in this list of %d rows; %s", c.countSources(), report.Count(c.Identified, "source"), c.Rows, c.sourcesNotFound())
	p.printLine("Lists are incomplete: other sources may have been retracted too.")
	return p.err
}

// sourcesNotFound returns a sentence about the sources that cannot be found in a list.
func (c *Compared) sourcesNotFound() string {
	n, end := len(c.Unidentified), "."
	if n == 0 {
		return "all sources have one."
	}
	if n > most {
		end = inJSON + "."
	}
	return report.CountOf(n, "has no DOI or PubMed ID: ", "have no DOI or PubMed ID: ") + report.FirstOf(c.Unidentified, most) + end
}

func (c *Compared) countSources() int {
	ids := map[string]bool{}
	for _, h := range c.Hits {
		ids[h.Source] = true
	}
	return len(ids)
}

func (p *printer) printUpdate(u *record.SourceUpdate) {
	p.printLine("    - date: %s", cmp.Or(string(u.Date), "YYYY-MM-DD"))
	p.printLine("      type: %s", u.Type)
	if u.NoticeURL != "" {
		p.printLine("      notice_url: %s", u.NoticeURL)
	}
	p.printLine("      summary: %s", u.Summary)
	p.printLine("      effect: %s", u.Effect)
}

// HasUnreported reports whether the list contains a retraction that the records do not mention.
func (c *Compared) HasUnreported() bool {
	last := map[string]record.UpdateType{} // by source, sorted by date
	for _, h := range c.Hits {
		if h.Update != nil && (h.Update.Type == record.UpdateRetraction ||
			h.Update.Type == record.UpdateReinstatement) {
			last[h.Source] = h.Update.Type
		}
	}
	return slices.ContainsFunc(c.Hits, func(h Hit) bool {
		return h.Update != nil && h.Update.Type == record.UpdateRetraction && !h.Said &&
			last[h.Source] == record.UpdateRetraction
	})
}
