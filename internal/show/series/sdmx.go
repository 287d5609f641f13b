package series

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/schema"
	"stele/record"
)

// The values of an indicator for programs of statistical offices: SDMX-CSV 2.1, and its structure
// as SDMX-JSON 2.1. What is the same for many values, a claim boundary or a source, is a code
// there, whose text stands in the structure once. Values that were retracted, or that nothing
// supports any more, are left out, because readers of SDMX know no such status.

// sdmxVersion is that of all structures. A version of two numbers is one that may change, as code
// lists do when values come.
const sdmxVersion = "1.0"

// component is a dimension, measure or attribute, which is a column of the CSV.
type component struct {
	id, name, doc string
	role          sdmxRole
	codes         *codeList // nil where values are not coded
	dataType      string    // of those
	multiple      bool
	required      bool
	text          func(r *row) string
}

type sdmxRole uint8

const (
	isDimension sdmxRole = iota
	isTime
	isMeasure
	isAttribute
)

// codeList is codes with what they mean. A text that cannot be a code becomes one that can.
type codeList struct {
	id, name string
	codes    []code
	number   map[string]int // by text
	taken    map[string]bool
}

type code struct{ id, name, description string }

func newCodeList(id, name string) *codeList {
	return &codeList{id: "CL_" + id, name: name, number: map[string]int{}, taken: map[string]bool{}}
}

// add makes a text a code, once.
func (l *codeList) add(text, name, description string) {
	if _, ok := l.number[text]; ok {
		return
	}
	id := codeOf(text)
	for n := 2; l.taken[id]; n++ {
		id = codeOf(text) + "_" + strconv.Itoa(n)
	}
	l.taken[id] = true
	l.number[text] = len(l.codes)
	if name == "" {
		name = text
	}
	l.codes = append(l.codes, code{id, name, description})
}

// of is the code of a text.
func (l *codeList) of(text string) string {
	if i, ok := l.number[text]; ok {
		return l.codes[i].id
	}
	return ""
}

// codeOf is a text as a code: letters, digits and a few signs.
func codeOf(text string) string {
	id := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || r == '-' || '0' <= r && r <= '9' || 'A' <= r&^0x20 && r&^0x20 <= 'Z') {
			return r
		}
		return '_'
	}, text)
	if strings.Trim(id, "_") == "" {
		return "X" + id
	}
	return id
}

// componentID is a name as the ID of a component: in capitals, and with a letter first.
func componentID(name string) string {
	id := strings.ToUpper(codeOf(name))
	if id[0] < 'A' || id[0] > 'Z' {
		id = "D" + id
	}
	return id
}

// agency is who maintains the structures: the service's host, from the right, as Java names
// packages.
func (w *writer) agency() string {
	host := "localhost"
	if u, err := url.Parse(w.base); err == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	parts := strings.FieldsFunc(host, func(r rune) bool { return r == '.' || r == ':' })
	slices.Reverse(parts)
	for i, part := range parts {
		if part = codeOf(part); part[0]|0x20 < 'a' || part[0]|0x20 > 'z' {
			part = "n" + part
		}
		parts[i] = part
	}
	return strings.Join(parts, ".")
}

// flow is the ID of the indicator's dataflow.
func (t *table) flow() string { return componentID(strings.ReplaceAll(t.x.Name, ".", "--")) }

// notApplicable is the code of a dimension that a value is not broken down by.
const notApplicable = "_Z"

// components are what the values consist of.
func (t *table) components() []component {
	indicator := newCodeList("INDICATOR", "Indicator")
	indicator.add(t.x.Code, t.title, cmp.Or(t.measure.Definition, t.summary))
	areas := newCodeList("AREA", "Areas")
	for _, a := range t.areas {
		areas.add(a.key, a.name, "")
	}
	units := newCodeList("UNIT_MEASURE", "Units of measure")
	for i := range t.rows {
		unit := t.cell(&t.rows[i], "unit")
		units.add(unit, t.units[unit], "")
	}
	cell := func(name string) func(*row) string {
		at := t.column(name)
		return func(r *row) string { return r.cells[at] }
	}
	coded := func(l *codeList, text func(*row) string) func(*row) string {
		return func(r *row) string { return l.of(text(r)) }
	}
	period := cell("time_period")
	list := []component{
		{id: "FREQ", name: "Frequency", codes: t.frequencies(), text: func(r *row) string { return frequency(period(r)) }},
		{id: "INDICATOR", name: "Indicator", codes: indicator, text: func(*row) string { return indicator.codes[0].id }},
		{id: "REF_AREA", name: "Reference area", codes: areas, text: func(r *row) string { return areas.codes[r.area].id }},
		{id: "UNIT_MEASURE", name: "Unit of measure", codes: units, text: coded(units, cell("unit"))},
	}
	list = append(list, t.breakdowns(list)...)
	if at := t.column("vintage"); at >= 0 && t.columns[at].used {
		vintages := newCodeList("VINTAGE", "Editions of the source")
		for i := range t.rows {
			vintages.add(t.vintage(&t.rows[i]), "", "")
		}
		list = append(list, component{id: "VINTAGE", name: "Edition of the source", codes: vintages, text: coded(vintages, t.vintage)})
	}
	list = append(list, component{
		id: "TIME_PERIOD", name: "Time period", role: isTime, dataType: "ObservationalTimePeriod", text: func(r *row) string { return sdmxPeriod(period(r)) },
	})
	return append(append(list, t.measureComponent()), t.attributes()...)
}

func (t *table) vintage(r *row) string {
	if v := t.cell(r, "vintage"); v != "" {
		return v
	}
	return notApplicable
}

// breakdowns are the dimensions of the publisher.
func (t *table) breakdowns(before []component) (list []component) {
	taken := map[string]bool{"TIME_PERIOD": true, "OBS_VALUE": true, "VINTAGE": true}
	for _, c := range before {
		taken[c.id] = true
	}
	for i, name := range t.dimensions {
		id := componentID(name)
		for taken[id] || slices.ContainsFunc(attributeMembers, func(a attributeMember) bool { return a.id == id }) {
			id = "DIM_" + id
		}
		taken[id] = true
		codes := newCodeList(id, name)
		of := func(r *row) string {
			if i < len(r.dimensions) && r.dimensions[i] != "" {
				return r.dimensions[i]
			}
			return notApplicable
		}
		for n := range t.rows {
			if text := of(&t.rows[n]); text == notApplicable {
				codes.add(text, "Not applicable", "")
			} else {
				codes.add(text, t.label(name, text), "")
			}
		}
		list = append(list, component{
			id: id, name: name, codes: codes, text: func(r *row) string { return codes.of(of(r)) },
		})
	}
	return list
}

// measureComponent is the value, which is a number or a code.
func (t *table) measureComponent() component {
	value := component{id: "OBS_VALUE", name: t.title, doc: t.summary, role: isMeasure, dataType: "Decimal"}
	numbers, codes := t.column("value"), t.column("code")
	value.text = func(r *row) string { return r.cells[numbers] }
	if codes < 0 || !t.columns[codes].used {
		return value
	}
	answers := newCodeList("ANSWER", "Answers")
	for i := range t.rows {
		if r := &t.rows[i]; r.cells[codes] != "" {
			answers.add(r.cells[codes], t.answer(r.cells[codes]), "")
		}
	}
	value.codes, value.text = answers, func(r *row) string { return answers.of(r.cells[codes]) }
	return value
}

// attributeMember is a member of statistics that is an attribute of a value.
type attributeMember struct {
	id, name, member string
	dataType         string
}

var attributeMembers = []attributeMember{
	{"OBS_STATUS", "Observation status", "obs_status", ""},
	{"LESS_THAN", "Less than", "less_than", "Decimal"},
	{"GREATER_THAN", "Greater than", "greater_than", "Decimal"},
	{"LOWER", "Lower end of the interval", "lower", "Decimal"},
	{"UPPER", "Upper end of the interval", "upper", "Decimal"},
	{"INTERVAL", "Sort of interval", "interval", "String"},
	{"LEVEL", "Level of the interval", "level", "Decimal"},
	{"NUMERATOR", "Numerator", "numerator", "Decimal"},
	{"DENOMINATOR", "Denominator", "denominator", "Decimal"},
	{"COMMENT_OBS", "Note", "note", "String"},
	{"LICENSE", "Licence", "license", "String"},
	{"ILLUSTRATIVE", "Whether it is an example", "illustrative", "Boolean"},
	{"RECORD_ID", "Record ID", "id", "String"},
	{"RECORD_VERSION", "Version of the record", "version", "Integer"},
	{"VERIFICATION_DATE", "Verification date", "verification_date", "GregorianDay"},
	{"STANDING", "Standing", "", "String"},
	{"CORRECTIONS", "Corrections", "", "String"},
	{"SOURCE_UPDATES", "Source updates", "", "String"},
	{"SOURCE", "Sources", "", ""},
	{"CLAIM_BOUNDARY", "Claim boundary", "", ""},
}

// attributes are what values say besides.
func (t *table) attributes() (list []component) {
	for _, a := range attributeMembers {
		c := component{id: a.id, name: a.name, role: isAttribute, dataType: a.dataType}
		if at := t.column(a.member); at >= 0 {
			if !t.columns[at].used {
				continue
			}
			c.doc, c.text = t.columns[at].doc, func(r *row) string { return r.cells[at] }
		}
		switch a.id {
		case "OBS_STATUS":
			c.codes, c.required = newCodeList("OBS_STATUS", "Observation status, as in SDMX:CL_OBS_STATUS"), true
			for _, v := range schema.ListOf[record.ObsStatus]() {
				c.codes.add(v.Word, v.Doc, "")
			}
		case "STANDING":
			c.text = func(r *row) string { return r.standing.Standing.String() }
		case "CORRECTIONS":
			c.text = func(r *row) string { return strings.Join(r.corrections, " ") }
		case "SOURCE_UPDATES":
			c.text = func(r *row) string { return strings.Join(r.updates, " ") }
		case "SOURCE":
			c.codes, c.multiple, c.text = t.sourceCodes(), true, func(r *row) string { return lettered("S", r.sources, ";") }
		case "CLAIM_BOUNDARY":
			c.codes, c.text = t.boundaryCodes(), func(r *row) string { return lettered("B", []int32{r.boundary}, "") }
		}
		if c.text == nil || c.codes != nil && len(c.codes.codes) == 0 {
			continue
		}
		list = append(list, c)
	}
	return list
}

// lettered writes numbers as codes.
func lettered(letter string, list []int32, between string) string {
	var b []byte
	for i, n := range list {
		if n == 0 {
			continue
		}
		if i > 0 {
			b = append(b, between...)
		}
		b = strconv.AppendInt(append(b, letter...), int64(n), 10)
	}
	return string(b)
}

// sourceCodes are the sources, by their address.
func (t *table) sourceCodes() *codeList {
	l := newCodeList("SOURCE", "Sources")
	for i, link := range t.sources.texts {
		var s struct{ URL, Role string }
		if json.Unmarshal([]byte(link), &s) != nil { // it was encoded by this program
			continue
		}
		name := t.whole().sourceTitle(link)
		if name == "" {
			name = s.URL
		}
		l.add("S"+strconv.Itoa(i+1), name, s.URL+" ("+s.Role+")")
	}
	return l
}

func (t *table) boundaryCodes() *codeList {
	l := newCodeList("CLAIM_BOUNDARY", "Claim boundaries")
	for i, text := range t.boundaries.texts {
		var b struct{ Statement string }
		if json.Unmarshal([]byte(text), &b) != nil { // it was encoded by this program
			continue
		}
		l.add("B"+strconv.Itoa(i+1), b.Statement, text)
	}
	return l
}

// frequencies are the codes that frequency gives.
func (t *table) frequencies() *codeList {
	l := newCodeList("FREQ", "Frequency")
	for _, c := range []code{
		{id: "A", name: "Annual"},
		{id: "S", name: "Half-yearly"},
		{id: "Q", name: "Quarterly"},
		{id: "M", name: "Monthly"},
		{id: "W", name: "Weekly"},
		{id: "D", name: "Daily"},
		{id: "_O", name: "Other"},
	} {
		l.add(c.id, c.name, "")
	}
	return l
}

// frequency is how long a period is, as SDMX has it.
func frequency(period string) string {
	switch {
	case strings.Contains(period, "/"):
		return "_O"
	case len(period) == 4:
		return "A"
	case len(period) == 10:
		return "D"
	case len(period) >= 7 && strings.IndexByte("SQW", period[5]) >= 0:
		return period[5:6]
	}
	return "M"
}

// sdmxPeriod is a period as SDMX writes it: the start of a range is a day there.
func sdmxPeriod(period string) string {
	start, duration, spans := strings.Cut(period, "/")
	if !spans {
		return period
	}
	return start + "-01-01"[min(len(start)-4, 6):] + "/" + duration
}

// sdmx writes the values as SDMX-CSV 2.1.
func (p *part) sdmx(b []byte) ([]byte, error) {
	components := p.components()
	b = append(b, "STRUCTURE[;],STRUCTURE_ID,ACTION"...)
	for _, c := range components {
		b = append(append(b, ','), c.id...)
		if c.multiple {
			b = append(b, "[]"...)
		}
	}
	begin := fmt.Sprintf("\ndataflow,%s:%s(%s),M", p.w.agency(), p.flow(), sdmxVersion)
	for i := range p.rows {
		r := &p.rows[i]
		if r.standing.Standing.Lost() {
			continue
		}
		b = append(b, begin...)
		for _, c := range components {
			b = appendField(b, 1, c.text(r))
		}
	}
	return append(b, '\n'), nil
}
