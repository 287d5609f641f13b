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

// most is how many records a list has in a text for people. JSON has them all.
const most = 20

// mostQuoted is how many characters of a quote it has.
const mostQuoted = 200

// words says what is known of a record beside its title.
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

// problem names the standing of a record, and why it has it.
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

// Text writes a trace for people.
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

// printer writes lines until that fails.
type printer struct {
	w   io.Writer
	err error
}

// line writes one line, in which nothing of a record steers a terminal.
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
		}
		if s.Again {
			note += "  (as above)"
		}
		p.line("%s%s%s  %s%s", indent, branch, s.name(), s.words(), note)
		p.quote(s.Quote, indent+inner)
		p.below(s.RestsOn, indent+inner)
	}
}

// quote writes what is quoted from a source on a line.
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

// listed writes a heading and a row for each of a list, and counts those that are too many.
func listed[T any](p *printer, heading string, list []T, row func(*T) string, more string) {
	p.line("%s", heading)
	for i := range list[:min(len(list), most)] {
		p.line("  %s", row(&list[i]))
	}
	if len(list) > most {
		p.line("  … and %d more%s", len(list)-most, more)
	}
}

// inJSON is where all of a list stand.
const inJSON = "; --format json lists them"

func (p *printer) above(list []Dependent) {
	if len(list) == 0 {
		p.line("Nothing rests on it.")
		return
	}
	listed(p, report.CountOf(len(list), "record rests", "records rest")+" on it:", list,
		func(d *Dependent) string { return d.name() + "  " + d.words() }, inJSON)
}

func (p *printer) touched(t *Trace) {
	if len(t.Touched) == 0 {
		p.line("Retracting it would touch nothing else.")
		return
	}
	listed(p, "Retracting it would touch "+report.Count(len(t.Touched), "record")+":", t.Touched, func(r *Touched) string {
		return fmt.Sprintf("%s  %s → %s", r.name(), strings.ReplaceAll(r.Was, "_", " "), r.lost())
	}, inJSON)
}

// lost names the standing of a record, and where that comes from.
func (r *Record) lost() string {
	return strings.ReplaceAll(r.Standing, "_", " ") + "  (" + strings.Join(r.Path, " → ") + ")"
}

// LosingText writes which records lost what they rest on.
func LosingText(w io.Writer, list []Record) error {
	p := &printer{w: w}
	if len(list) == 0 {
		p.line("No record loses what it rests on.")
		return p.err
	}
	listed(p, report.CountOf(len(list), "record loses what it rests on:", "records lose what they rest on:"), list,
		func(r *Record) string { return r.name() + "  " + r.lost() }, "")
	p.line("Next: stele check lists what each of them has to say.")
	return p.err
}

// ReviewText writes what has to be looked at again for people.
func ReviewText(w io.Writer, causes []Cause) error {
	p := &printer{w: w}
	if len(causes) == 0 {
		p.line("Nothing has to be looked at again.")
	}
	for _, c := range causes {
		happened := strings.TrimSpace(c.Record + " " + c.Cause + " " + c.Since)
		listed(p, happened+": "+report.Count(c.Count, "record"), c.Records, func(d *Due) string {
			return d.name() + "  " + strings.ReplaceAll(d.Standing, "_", " ") + "  " + report.CountOf(d.Dependents, "rests on it", "rest on it")
		}, inJSON)
	}
	return p.err
}

// Text writes what was compared for people. It never says that a source was not retracted, because
// lists are incomplete.
func (c *Compared) Text(w io.Writer) error {
	p := &printer{w: w}
	for i := range c.Hits {
		h := &c.Hits[i]
		nature := cmp.Or(h.Nature, "no nature given, taken for a retraction")
		when := ""
		if h.Update != nil && h.Update.Date != "" {
			when = " of " + string(h.Update.Date)
		}
		p.line("%s  %s", h.Source, h.Title)
		p.line("  %s is listed: %s%s", h.By, nature, when)
		switch {
		case h.Update == nil:
			p.line("  This nature means nothing to Stele: look at the notice.")
		case h.Said:
			p.line("  The source object tells of it already.")
		default:
			p.line("  After you have read the notice, add to its source_updates, with what it says in your words:")
			p.update(h.Update)
		}
	}
	p.line("%d of %s with a DOI or PubMed ID stand in this list of %d rows; %s", c.sources(), report.Count(c.Identified, "source"), c.Rows, c.without())
	p.line("Lists are incomplete: what is not in it may have been retracted all the same.")
	return p.err
}

// without names the sources that cannot be found in a list.
func (c *Compared) without() string {
	n, end := len(c.Unidentified), "."
	if n == 0 {
		return "none has neither."
	}
	if n > most {
		end = inJSON + "."
	}
	return report.CountOf(n, "has neither: ", "have neither: ") + report.Some(c.Unidentified, most) + end
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

// HasUnreported reports whether a retraction is listed that the records do not have.
func (c *Compared) HasUnreported() bool {
	last := map[string]record.UpdateType{} // by source, in the order of dates
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
