package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
	"stele/record"
)

// measure contains the values that an indicator allows. It shares no memory with a file's text.
type measure struct {
	code, unit string
	min, max   record.Number
	codes      []string // nil if the values are quantities
	dimensions []string
	labels     map[string][]string // by dimension: its codes, if they are listed
	// the way to compute the value of the whole from its parts
	aggregation record.Aggregation
}

func newMeasure(m *record.Measure) *measure {
	if m == nil {
		return nil
	}
	x := &measure{
		code: strings.Clone(m.Code), unit: strings.Clone(m.Unit),
		min: record.Number(strings.Clone(string(m.Min))), max: record.Number(strings.Clone(string(m.Max))),
		codes: termNames(m.Codes), labels: map[string][]string{},
		aggregation: record.Aggregation(strings.Clone(string(m.Aggregation))),
	}
	for _, d := range m.Dimensions {
		name := strings.Clone(d.Name)
		x.dimensions = append(x.dimensions, name)
		if d.Codes != nil {
			x.labels[name] = termNames(d.Codes)
		}
	}
	return x
}

func termNames(terms record.Terms) (list []string) {
	for _, t := range terms {
		list = append(list, strings.Clone(t.Name))
	}
	return list
}

// compared contains the members of a statistic that are compared with the measure of its indicator,
// with their positions.
type compared struct {
	entity string // the ID
	parts  []comparedPart
}

// comparedPart is one member: indicator, unit, a figure or a dimension.
type comparedPart struct {
	member, dimension, text string
	at                      position
}

// newCompared returns the members to compare. It only reads the members, because most records of a
// series differ only in the figure.
func newCompared(s *record.HealthcareStatistic, t *schema.Tree) *compared {
	if s.IndicatorID == "" {
		return nil
	}
	c := &compared{entity: string(s.IndicatorID), parts: make([]comparedPart, 0, 3+len(s.Dimensions))}
	add := func(member, dimension string, i int32) {
		n := &t.Nodes[i]
		c.parts = append(c.parts, comparedPart{member, dimension, n.Text, position{t.Files[n.File], n.At}})
	}
	for i := range t.Children(0) {
		switch member := t.Nodes[i].Name; member {
		case "indicator", "unit", "value", "less_than", "greater_than", "code":
			add(member, "", i)
		case "dimensions":
			for j := range t.Children(i) {
				add(member, t.Nodes[j].Name, j)
			}
		}
	}
	return c
}

// cloneStrings clones the strings, so that they share no memory with a file's text.
func (c *compared) cloneStrings() {
	c.entity = strings.Clone(c.entity)
	for i := range c.parts {
		p := &c.parts[i]
		p.member, p.dimension, p.text = strings.Clone(p.member), strings.Clone(p.dimension), strings.Clone(p.text)
	}
}

// checkAgainstMeasure reports STA10. Entities are read before statistics; a missing entity is
// reported elsewhere.
func (x *index) checkAgainstMeasure(n int32, c *compared) {
	name := x.idNumber(c.entity)
	entity := x.definerOf(name)
	if entity < 0 {
		return
	}
	m := x.measures[name]
	for i := range c.parts {
		p := &c.parts[i]
		says := c.entity + " (" + x.locationOf(entity) + ")"
		message, fix := "", ""
		if m != nil {
			message, fix = m.checkMember(p, says)
		} else if p.member == "code" {
			message, fix = says+" has no measure that lists codes", "add measure there, with the codes and their meanings; or write a value"
		}
		if message == "" || len(x.misfits) == MaxProblems {
			continue
		}
		pointer := schema.Pointer(p.member)
		if p.dimension != "" {
			pointer = schema.Pointer(p.member, p.dimension)
		}
		problem := x.newProblem(codes.NotAsMeasured, n, pointer, p.at.at, message, fix)
		problem.File, problem.Width, problem.Value = p.at.file, len(p.text), strings.Clone(p.text)
		x.misfits = append(x.misfits, problem)
	}
}

// checkMember compares a member with the measure. Both results are "" if they agree.
func (m *measure) checkMember(p *comparedPart, says string) (message, fix string) {
	is := fmt.Sprintf("%s is %s", p.member, quoteText(p.text))
	switch p.member {
	case "indicator":
		if p.text != m.code {
			return is + ", but that of " + says + " is " + quoteText(m.code), "write " + m.code + ", or the indicator_id of the entity that measures " + p.text
		}
	case "unit":
		if m.unit != "" && p.text != m.unit {
			return is + ", but that of " + says + " is " + quoteText(m.unit), "give the values in " + m.unit + ", or correct the unit of the measure"
		}
	case "code":
		if m.codes == nil {
			return says + " lists no codes", "add codes to its measure, with their meanings; or write a value"
		}
		return unlistedMessage(p.text, m.codes, is, says)
	case "dimensions":
		if m.dimensions == nil {
			return "", ""
		}
		if message, fix = unlistedMessage(p.dimension, m.dimensions, "the dimension is "+quoteText(p.dimension), says); message != "" {
			return message, fix
		}
		if codes := m.labels[p.dimension]; codes != nil {
			return unlistedMessage(p.text, codes, p.dimension+" is "+quoteText(p.text), says)
		}
	default:
		return m.checkFigure(p, says)
	}
	return "", ""
}

// unlistedMessage returns a problem if a word is not in a list.
func unlistedMessage(word string, list []string, is, says string) (message, fix string) {
	if slices.Contains(list, word) {
		return "", ""
	}
	return is + ", which is not in the list of " + says, cmp.Or(schema.DidYouMean(suggest.Closest(word, list)),
		"write one of "+strings.Join(list, ", ")+"; or add it there")
}

func (m *measure) checkFigure(p *comparedPart, says string) (message, fix string) {
	value, is := record.Number(p.text), p.member+" is "+p.text
	const mend = "correct the value, or the measure"
	switch {
	case m.codes != nil:
		return is + ", but the answers of " + says + " are codes", "write code: " + quoteText(p.text) + " if that is one of them: " + strings.Join(m.codes, ", ")
	case m.min != "" && (p.member != "greater_than" && value.Compare(m.min) < 0 || p.member == "less_than" && value.Compare(m.min) == 0):
		return is + ", but the minimum of " + says + " is " + string(m.min), mend
	case m.max != "" && (p.member != "less_than" && value.Compare(m.max) > 0 || p.member == "greater_than" && value.Compare(m.max) == 0):
		return is + ", but the maximum of " + says + " is " + string(m.max), mend
	}
	return "", ""
}
