package series

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/compile/render"
	"stele/internal/show/latest"
	"stele/internal/show/markdown"
	"stele/internal/trust/standing"
	"stele/record"
)

// The Markdown of an indicator contains at most maxRows values, and at most maxNamed claim
// boundaries and sources. The CSV and JSON files contain all of them.
const (
	maxRows  = 1_000
	maxNamed = 20
)

// page collects the Markdown of a part.
type page struct {
	*part
	b []byte
}

func (p *page) put(parts ...string) {
	for _, s := range parts {
		p.b = append(p.b, s...)
	}
}

// writeLine writes before, the escaped text, and after.
func (p *page) writeLine(before, text, after string) {
	p.put(before)
	p.b = markdown.AppendInline(p.b, text)
	p.put(after)
}

// writeMarkdown writes the values to out as a table, with their limits, statuses and sources.
func (p *part) writeMarkdown(out io.Writer) error {
	m := &page{part: p}
	m.writeOpening()
	m.writeLimits()
	if p.area == nil && p.w.areas {
		m.writeLatest()
	} else {
		m.writeValues()
	}
	m.writeStandings()
	if err := m.writeSources(); err != nil {
		return err
	}
	m.writeNotes("Corrections", ", ", func(r *row) []string { return r.corrections })
	m.writeNotes("Source updates", ", ", func(r *row) []string { return r.updates })
	release := p.w.Release()
	m.writeLine("\n## Terms\n\n", render.PreserveSentence+" "+strings.TrimSpace(release.Notice), "\n\n")
	m.writeLine("Licence: ", release.License, ", unless a record names another. ")
	m.writeLine("Cite as: ", p.citation(), "\n")
	_, err := out.Write(m.b)
	return err
}

// writeOpening writes the title, the description of the values, and links to other formats.
func (p *page) writeOpening() {
	p.writeLine("# ", p.name(), "\n\n")
	for _, text := range []string{p.x.Summary, p.x.Measure.Definition} {
		if text != "" {
			p.b = markdown.AppendParagraph(p.b, text)
			p.put("\n\n")
		}
	}
	p.put("Indicator ")
	p.b = markdown.AppendCode(p.b, p.x.Code)
	if p.area != nil {
		p.put(", area ")
		p.b = markdown.AppendCode(p.b, p.area.key)
	}
	p.put(": ", strconv.Itoa(p.count), " values, ", string(p.first), " to ", string(p.last), ", as of ", string(p.updated), ".")
	if _, label := p.unit(); label != "" {
		p.writeLine(" Unit: ", label, ".")
	}
	if p.example {
		p.put(" Examples, not findings.")
	}
	p.put("\n\n- page: <", p.pageURL(), ">\n")
	for _, f := range Formats {
		if f.Suffix != markdownFormat.Suffix && p.x.Has(f) && (p.area == nil || f.Areas) {
			p.put("- ", f.Name, ": <", p.w.absoluteURL(p.filePath(f.Suffix)), ">\n")
		}
	}
	if p.area != nil {
		p.put("- all areas: <", p.w.absoluteURL(p.x.File(markdownFormat.Suffix)), ">\n")
	}
}

// writeLimits writes the claim boundaries.
func (p *page) writeLimits() {
	list := p.summary.boundaries
	if len(list) == 0 {
		return
	}
	p.put("\n## What these values do not show\n\n")
	for _, n := range list[:min(len(list), maxNamed)] {
		var b struct {
			Statement, Population, Place, Period string
			Excludes                             []string
		}
		if json.Unmarshal([]byte(p.table.boundaries.texts[n-1]), &b) != nil { // valid JSON written by this program
			continue
		}
		p.writeLine("- ", b.Statement, "")
		for _, part := range []struct{ name, text string }{
			{"For", b.Population}, {"Place", b.Place}, {"Period", b.Period}, {"Not covered", strings.Join(b.Excludes, "; ")},
		} {
			if part.text != "" {
				p.writeLine(" "+part.name+": ", strings.TrimSuffix(part.text, "."), ".")
			}
		}
		p.put("\n")
	}
	p.writeMore(len(list)-maxNamed, "the metadata has them")
}

func (p *page) writeMore(n int, where string) {
	if n > 0 {
		p.put("- and ", strconv.Itoa(n), " more: ", where, "\n")
	}
}

// writeLatest writes the latest value of each series, and a link to the other values.
func (p *page) writeLatest() {
	p.put("\n## Latest values\n\nAll values of an area are at `", p.w.absoluteURL(p.x.AreaFile("{code}", markdownFormat.Suffix)), "`, and as .csv and .json.\n\n")
	p.writeHead(true)
	shown, all := 0, 0
	for _, a := range p.areas {
		last, values := map[string]int{}, map[string]latest.Value{}
		for i, r := range p.table.newPart(&a).rows {
			key, next := p.cell(r, "unit")+"\x00"+strings.Join(r.dimensions, "\x00"), p.latestValue(r)
			if now, known := values[key]; !known || latest.Replaces(now, next) {
				last[key], values[key] = i, next
			}
		}
		all += len(last)
		for _, key := range slices.Sorted(maps.Keys(last)) {
			if shown == maxRows {
				break
			}
			var r row
			p.decodeRow(last[key], &r)
			p.writeRow(&r, true)
			shown++
		}
	}
	p.writeMore(all-shown, "the CSV has them")
}

// writeValues writes a row for each value.
func (p *page) writeValues() {
	p.put("\n## Values\n\n")
	p.writeHead(p.area == nil)
	n := 0
	for _, r := range p.rows {
		if n++; n > maxRows {
			break
		}
		p.writeRow(r, p.area == nil)
	}
	p.writeMore(p.count-maxRows, "the CSV has them")
}

// writeHead writes the column names.
func (p *page) writeHead(areas bool) {
	names, marks := "| ", "|"
	add := func(name, mark string) { names, marks = names+name+" | ", marks+mark+"|" }
	if areas {
		add("area", "---")
		add("code", "---")
	}
	add("period", "---")
	for _, name := range p.dimensions {
		add(markdown.Inline(name), "---")
	}
	add("value", "---:")
	if len(p.units) > 1 {
		add("unit", "---")
	}
	add("status", "---")
	add("record", "---")
	add("version", "---:")
	add("verified", "---")
	p.put(strings.TrimSuffix(names, " "), "\n", marks, "\n")
}

// latestValue returns the properties of r that decide whether it is the latest value of its series.
func (p *page) latestValue(r *row) latest.Value {
	figure := p.cell(r, "value") + p.cell(r, "less_than") + p.cell(r, "greater_than") + p.cell(r, "code")
	return latest.Value{
		Known: figure != "", Status: record.ObsStatus(p.cell(r, "obs_status")), Standing: r.standing.Standing,
	}
}

func (p *page) writeRow(r *row, areas bool) {
	p.put("|")
	add := func(text string) { p.writeLine(" ", text, " |") }
	if areas {
		add(p.areas[r.area].name)
		add(p.areas[r.area].key)
	}
	period := p.cell(r, "time_period")
	if edition := p.cell(r, "vintage"); edition != "" {
		period += ", edition " + edition
	}
	add(period)
	for i := range p.dimensions {
		if i < len(r.dimensions) {
			add(p.label(p.dimensions[i], r.dimensions[i]))
		} else {
			add("")
		}
	}
	add(p.formatFigure(r))
	if len(p.units) > 1 {
		add(p.units[p.cell(r, "unit")])
	}
	add(p.cell(r, "obs_status"))
	p.put(" ")
	p.b = markdown.AppendCode(p.b, p.cell(r, "id"))
	p.put(" |")
	add(p.cell(r, "version"))
	add(p.cell(r, "verification_date"))
	p.put("\n")
}

// formatFigure formats the value of r with its interval or, if r has no value, its bound or code.
func (t *table) formatFigure(r *row) string {
	if r.standing.Standing.IsLost() {
		return strings.ReplaceAll(r.standing.Standing.String(), "_", " ")
	}
	text := t.cell(r, "value")
	switch less, greater, code := t.cell(r, "less_than"), t.cell(r, "greater_than"), t.cell(r, "code"); {
	case less != "":
		text = "<" + less
	case greater != "":
		text = ">" + greater
	case code != "":
		text = t.answerLabel(code)
	case text == "":
		text = "–"
	}
	if lower, upper := t.cell(r, "lower"), t.cell(r, "upper"); lower != "" || upper != "" {
		text += " (" + lower + "–" + upper
		if level, sort := t.cell(r, "level"), t.cell(r, "interval"); sort != "" {
			if level != "" {
				level += " % "
			}
			text += ", " + level + sort
		}
		text += ")"
	}
	if note := t.cell(r, "note"); note != "" {
		text += ". " + note
	}
	return text
}

// writeStandings explains the statuses, and lists the values that were retracted, have lost their
// support or must be checked again.
func (p *page) writeStandings() {
	var words []string
	for word, doc := range p.statusWords() {
		words = append(words, word+": "+doc)
	}
	slices.Sort(words)
	p.writeLine("\nStatus ", strings.Join(words, "; "), ".\n")
	p.writeNotes("Values that are not valid as they are", ": ", func(r *row) []string {
		is := r.standing
		if is.Standing == standing.Stands {
			return nil
		}
		return []string{strings.ReplaceAll(is.Standing.String(), "_", " ") + " (" + is.Cause.String() + " " + is.Since.String() + ")"}
	})
}

// writeSources writes the sources of the values.
func (p *page) writeSources() error {
	list := p.summary.sources
	p.put("\n## Sources\n\n")
	for _, n := range list[:min(len(list), maxNamed)] {
		link := p.table.sources.texts[n-1]
		var l struct{ URL, Role string }
		if err := json.Unmarshal([]byte(link), &l); err != nil {
			return err
		}
		p.put("- ")
		if title := p.sourceTitle(link); title != "" {
			p.writeLine("", title, ", ")
		}
		p.put("<", l.URL, "> (", strings.ReplaceAll(l.Role, "_", " "), ")")
		p.put("\n")
	}
	p.writeMore(len(list)-maxNamed, "the metadata has them")
	return nil
}

// writeNotes writes a section with the notes that notes returns for each value, if there are any.
func (p *page) writeNotes(title, between string, notes func(*row) []string) {
	id := p.columnIndex("id")
	begun := false
	for r := range p.remarkedRows {
		for _, sentence := range notes(r) {
			if !begun {
				p.put("\n## ", title, "\n\n")
				begun = true
			}
			p.put("- ")
			p.b = markdown.AppendCode(p.b, r.cells[id])
			p.writeLine(between, sentence, "\n")
		}
	}
}
