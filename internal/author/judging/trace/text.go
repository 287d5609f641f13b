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

// words returns the label, dates and standing of a record.
func (r *Record) words() string {
	var parts []string
	if r.Label != "" {
		parts = append(parts, strings.ReplaceAll(r.Label, "_", " "))
	}
	if r.Verified != "" {
		parts = append(parts, "verified "+string(r.Verified))
	}
	if r.Standing != standing.Stands.String() {
		parts = append(parts, r.problem())
	}
	return strings.Join(parts, " · ")
}

// problem returns the standing of a record and its cause.
func (r *Record) problem() string {
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

// Text prints a trace.
func (t *Trace) Text(w io.Writer) error {
	p := &printer{w: w}
	p.line("%s", t.name())
	p.line("  %s", t.words())
	if len(t.RestsOn) == 0 {
		p.line("It rests on no other record.")
	}
	p.below(t.RestsOn, "")
	if t.Touched == nil {
		p.above(t.RestedOnBy)
		return p.err
	}
	p.touched(t)
	return p.err
}

// printer prints lines until an error occurs.
type printer struct {
	w   io.Writer
	err error
}

// line prints a line without control characters.
func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, report.Printable(fmt.Sprintf(format, args...))+"\n")
	}
}

func (p *printer) below(list []*Support, indent string) {
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
		p.line("%s%s%s  %s%s", indent, branch, s.name(), s.words(), note)
		p.quote(s.Quote, indent+inner)
		p.below(s.RestsOn, indent+inner)
	}
}

// quote prints a quote from a source.
func (p *printer) quote(q *record.Quote, indent string) {
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
	p.line("%s  quoted: “%s”%s", indent, string(text), where)
}

// listed prints a heading and a row for each of the first elements of a list, and the number of the
// others.
func listed[T any](p *printer, heading string, list []T, row func(*T) string, more string) {
	p.line("%s", heading)
	for i := range list[:min(len(list), most)] {
		p.line("  %s", row(&list[i]))
	}
	if len(list) > most {
		p.line("  … and %d more%s", len(list)-most, more)
	}
}

// inJSON says where to find the whole list.
const inJSON = "; --format json lists them"

func (p *printer) above(list []Dependent) {
	if len(list) == 0 {
		p.line("No records rest on it.")
		return
	}
	listed(p, report.CountOf(len(list), "record rests", "records rest")+" on it:", list,
		func(d *Dependent) string { return d.name() + "  " + d.words() }, inJSON)
}

func (p *printer) touched(t *Trace) {
	if len(t.Touched) == 0 {
		p.line("Retracting it would affect no other record.")
		return
	}
	listed(p, "Retracting it would affect "+report.Count(len(t.Touched), "record")+":", t.Touched, func(r *Touched) string {
		return fmt.Sprintf("%s  %s → %s", r.name(), strings.ReplaceAll(r.Was, "_", " "), r.lost())
	}, inJSON)
}

// lost returns the standing of a record and its cause.
func (r *Record) lost() string {
	return strings.ReplaceAll(r.Standing, "_", " ") + "  (" + strings.Join(r.Path, " → ") + ")"
}

// LosingText prints the records that lost their support.
func LosingText(w io.Writer, list []Record) error {
	p := &printer{w: w}
	if len(list) == 0 {
		p.line("No record loses its support.")
		return p.err
	}
	listed(p, report.CountOf(len(list), "record loses its support:", "records lose their support:"), list,
		func(r *Record) string { return r.name() + "  " + r.lost() }, "")
	p.line("Next: `stele check` lists what to write in each of them.")
	return p.err
}

// ReviewText prints the records that need another check.
func ReviewText(w io.Writer, causes []Cause) error {
	p := &printer{w: w}
	if len(causes) == 0 {
		p.line("No records need another check.")
	}
	for _, c := range causes {
		happened := strings.TrimSpace(c.Record + " " + c.Cause + " " + c.Since)
		listed(p, happened+": "+report.Count(c.Count, "record"), c.Records, func(d *Due) string {
			return d.name() + "  " + strings.ReplaceAll(d.Standing, "_", " ") + "  " + report.CountOf(d.Dependents, "rests on it", "rest on it")
		}, inJSON)
	}
	return p.err
}

// Text prints the result. It never says that a source was not retracted, because lists are
// incomplete.
func (c *Compared) Text(w io.Writer) error {
	p := &printer{w: w}
	for i := range c.Hits {
		h := &c.Hits[i]
		nature := cmp.Or(h.Nature, "no nature given, assumed to be a retraction")
		when := ""
		if h.Update != nil && h.Update.Date != "" {
			when = " of " + string(h.Update.Date)
		}
		p.line("%s  %s", h.Source, h.Title)
		p.line("  %s is listed: %s%s", h.By, nature, when)
		switch {
		case h.Update == nil:
			p.line("  Unknown nature: read the notice.")
		case h.Said:
			p.line("  The source object already says so.")
		default:
			p.line("  Read the notice, then add this to the source's source_updates, summarized in your own words:")
			p.update(h.Update)
		}
	}
	p.line("%d of %s with a DOI or PubMed ID are in this list of %d rows; %s", c.sources(), report.Count(c.Identified, "source"), c.Rows, c.without())
	p.line("Lists are incomplete: other sources may have been retracted too.")
	return p.err
}

// without returns the sources that cannot be found in a list.
func (c *Compared) without() string {
	n, end := len(c.Unidentified), "."
	if n == 0 {
		return "all sources have one."
	}
	if n > most {
		end = inJSON + "."
	}
	return report.CountOf(n, "has no DOI or PubMed ID: ", "have no DOI or PubMed ID: ") + report.Some(c.Unidentified, most) + end
}

func (c *Compared) sources() int {
	ids := map[string]bool{}
	for _, h := range c.Hits {
		ids[h.Source] = true
	}
	return len(ids)
}

func (p *printer) update(u *record.SourceUpdate) {
	p.line("    - date: %s", cmp.Or(string(u.Date), "YYYY-MM-DD"))
	p.line("      type: %s", u.Type)
	if u.NoticeURL != "" {
		p.line("      notice_url: %s", u.NoticeURL)
	}
	p.line("      summary: %s", u.Summary)
	p.line("      effect: %s", u.Effect)
}

// HasUnreported reports whether the list has a retraction that the records do not have.
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
