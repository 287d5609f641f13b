package edit

import (
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/deliver/fields"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

var (
	risksForm = markup.Parse(`
		<div class="scroll"><table class="risks"><thead><tr>{heads}<td></td></tr></thead><tbody>{rows}</tbody></table></div>`)
	riskForm     = markup.Parse(`<tr>{cells}<td>{remove}</td></tr>`)
	riskCellForm = markup.Parse(`<td id="f-{path}" data-column="{name}">{control}{found}</td>`)
	computedCell = markup.Parse(`<td data-column="{=computed}"><div class="found" id="at-{path}.computed">{computed}</div></td>`)
	computedForm = markup.Parse(`<p class="{class}">{text}</p>`)
)

// writeSpecial writes a member with a special field, and reports whether it has one: the risks of
// an effect, or an area in a publisher's scheme. parent is the object that contains the member.
func (p *page) writeSpecial(m *schema.Member, n, parent *fields.Node, path string) bool {
	if p.isArea(m, n, parent, path) {
		return true
	}
	if m.Shape.Elem == nil || m.Shape.Elem.Go != reflect.TypeFor[record.Risk]() {
		return false
	}
	p.writeField(fieldsForm, m, n, path, func() { p.writeRisks(m, n, parent, path) })
	return true
}

// writeRisks writes the absolute effects as a table, with the results computed from the effect next
// to them. While the author types, a script updates these results in the same way as findings.
func (p *page) writeRisks(m *schema.Member, n, effect *fields.Node, path string) {
	list, s := n.Children(), m.Shape.Elem
	p.writeHidden(path+".#", strconv.Itoa(len(list)))
	p.Fill(risksForm,
		by("heads", func() {
			for i := range s.Members {
				p.Fill(gridHeadForm, with("name", p.x.words.Member(s.Members[i].Name)))
				if s.Members[i].Name == "upper" {
					p.Fill(gridHeadForm, with("name", p.say("computed")))
				}
			}
		}),
		by("rows", func() {
			for i, e := range list {
				p.writeRisk(s, e, effect, path+"."+strconv.Itoa(i), i+1)
			}
		}))
	p.writeButton("add "+path, p.say("add", "what", p.x.words.Member(m.Name)))
}

func (p *page) writeRisk(s *schema.Shape, e, effect *fields.Node, at string, number int) {
	p.Fill(riskForm,
		by("cells", func() {
			for i := range s.Members {
				m := &s.Members[i]
				inner := fields.JoinPath(at, m.Name)
				p.Fill(riskCellForm, with("path", inner), with("name", p.x.words.Member(m.Name)), by("control", func() {
					if i == 0 && e.From >= 0 {
						p.writeHidden(at+".@", strconv.Itoa(e.From))
					}
					p.named = p.x.words.Member(m.Name) + " " + strconv.Itoa(number)
					p.writeControl(m, m.Shape, e.Find(m.Name), inner)
					p.named = ""
				}), by("found", func() { p.writeFindingsAt(inner) }))
				if m.Name == "upper" {
					p.Fill(computedCell, with("path", at), by("computed", func() { p.writeComputed(effect, e, at) }))
				}
			}
		}),
		by("remove", func() { p.writeButton("remove "+at, p.say("take_out")) }))
}

// writeComputed writes the corresponding risk that follows from an assumed risk and the effect, and
// whether the printed one agrees with it.
func (p *page) writeComputed(effect, e *fields.Node, at string) {
	read := func(n *fields.Node, name string) string { return strings.TrimSpace(n.Find(name).Shown()) }
	x := &record.EffectSize{
		Measure: read(effect, "measure"), MeasureCode: record.MeasureCode(read(effect, "measure_code")),
		Value: record.Number(read(effect, "value")), Lower: record.Number(read(effect, "lower")),
		Upper: record.Number(read(effect, "upper")),
	}
	per, _ := strconv.ParseInt(read(e, "per"), 10, 64) // 0 is not computed
	r := record.Risk{
		Assumed: record.Figure(read(e, "assumed")), Per: per, Corresponding: record.Figure(read(e, "corresponding")),
		Lower: record.Figure(read(e, "lower")), Upper: record.Figure(read(e, "upper")),
	}
	value, lower, upper := x.Corresponding(r)
	if value == nil {
		p.Fill(computedForm, with("class", "quiet"), with("text", p.say("not_computed")))
		return
	}
	text := p.roundedText(value)
	if lower != nil && upper != nil {
		text += " (" + words.Fill(p.x.words.FromTo, "low", p.roundedText(lower), "high", p.roundedText(upper)) + ")"
	}
	p.Fill(computedForm, with("class", ""), with("text", text))
	switch printed := r.Corresponding + r.Lower + r.Upper; {
	case printed == "":
	case !p.hasFindings(at):
		p.Fill(computedForm, with("class", "quiet"), with("text", p.say("agrees")))
	default:
		p.Fill(computedForm, with("class", "finding warning"), with("text", p.say("disagrees")))
	}
}

// roundedText writes a computed number with one decimal.
func (p *page) roundedText(n *big.Rat) string {
	return p.x.words.Figure(record.Number(strings.TrimSuffix(n.FloatString(1), ".0")), nil)
}
