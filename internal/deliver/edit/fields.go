package edit

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/deliver/fields"
	"stele/internal/show/site/markup"
	"stele/record"
)

var (
	fieldForm = markup.Parse(`
		<div class="field" id="f-{path}">
			<label for="i-{path}">{label}{?must} <span class="must">{=required}</span>{/}</label>{doc}{found}{inner}
		</div>`)
	fieldsForm = markup.Parse(`
		<fieldset class="group" id="f-{path}"><legend>{label}{?must} <span class="must">{=required}</span>{/}</legend>{doc}{found}{inner}</fieldset>`)
	docForm     = markup.Parse(`<p class="help" id="d-{path}"{lang}>{text}</p>`)
	foundForm   = markup.Parse(`<div class="found" id="at-{path}">{list}</div>`)
	problemForm = markup.Parse(`<p class="finding {grave}"><strong>{grave-word}</strong> <span{lang}>{text}</span> <a class="code" href="{address}">{code}</a></p>`)
	inputForm   = markup.Parse(`<input id="i-{path}" name="{path}" value="{value}"{more}>`)
	// browsers leave out an initial line break
	areaForm    = markup.Parse(`<textarea id="i-{path}" name="{path}" rows="{rows}"{more}>{text}</textarea>`)
	todayForm   = markup.Parse(`<button class="second" name="do" value="today {path}" data-fill="{path}" data-value="{day}">{=today}</button> `)
	radioForm   = markup.Parse(`<label class="choice"><input type="radio" name="{path}" value="{value}"{?checked} checked{/}> <span>{word}</span> <span class="help">{meaning}</span></label>`)
	optionForm  = markup.Parse(`<option value="{value}"{?chosen} selected{/}>{text}</option>`)
	selectForm  = markup.Parse(`<select id="i-{path}" name="{path}"{more}>{options}</select>`)
	chosenForm  = markup.Parse(`<p class="chosen" id="c-{path}">{text}</p>`)
	takeForm    = markup.Parse(`<button class="take" name="do" value="set {path}={id}">{title} <span class="quiet">{about}</span></button>`)
	elementForm = markup.Parse(`<fieldset class="element"><legend>{label} {number}</legend>{inner}<p class="buttons">{buttons}</p></fieldset>`)
	termForm    = markup.Parse(`<div class="term"><input name="{path}.name" value="{name}" aria-label="{=name}"> <input name="{path}.value" value="{value}" aria-label="{=Value}"></div>`)
	extraForm   = markup.Parse(`<div class="field" id="f-{path}"><span class="label">{label}</span><pre dir="ltr">{value}</pre></div>`)
)

// written are the members that Stele sets itself.
var written = []string{"version", "updated_date", "corrections", "source_updates"}

// writeFields writes the fields of a record.
func (p *page) writeFields(n *fields.Node) {
	shape := p.pageShape()
	p.writeMembers(shape, n, "")
	for _, c := range n.Children() {
		if shape.Member(c.Name) == nil && holdShape.Member(c.Name) == nil {
			p.writeExtra(c)
		}
	}
}

// hasFindings reports whether there are findings for the field at path or for a field inside it.
func (p *page) hasFindings(path string) bool {
	for at, found := range p.found {
		if len(found) > 0 && (at == path || strings.HasPrefix(at, path+".")) {
			return true
		}
	}
	return false
}

// writeMember writes the field of a member.
func (p *page) writeMember(m *schema.Member, n *fields.Node, path string) {
	switch s := m.Shape; {
	case s.Open && s.Elem != nil: // such as the schemes of areas, which are edited in the file
	case s.Type == schema.Object && s.Open:
		p.writeField(fieldsForm, m, n, path, func() { p.writeTerms(n, path) })
	case s.Type == schema.Object:
		p.writeField(fieldsForm, m, n, path, func() { p.writeMembers(s, n, path) })
	case s.Type == schema.Array && p.isOnePerLine(m, n):
		p.writeField(fieldForm, m, n, path, func() {
			lines := ""
			for _, e := range n.Children() {
				lines += e.Shown() + "\n"
			}
			p.writeTextArea(path, lines, 2+strings.Count(lines, "\n"))
		})
	case s.Type == schema.Array:
		p.writeField(fieldsForm, m, n, path, func() { p.writeElements(m, n, path) })
	case s.Type == schema.Bool || s.List != nil && len(s.List) <= few:
		p.writeField(fieldsForm, m, n, path, func() { p.writeControl(m, s, n, path) })
	default:
		p.writeField(fieldForm, m, n, path, func() { p.writeControl(m, s, n, path) })
	}
}

// few is the maximum number of words of a list that are shown with their meanings.
const few = 9

// writeMembers writes the fields of a record or a group: required and existing members first, the
// others folded.
func (p *page) writeMembers(s *schema.Shape, n *fields.Node, path string) {
	var rest []*schema.Member
	for i := range s.Members {
		m := &s.Members[i]
		if path == "" && p.columns != nil { // each element has these itself, and requires nothing of the others
			if slices.ContainsFunc(p.columns, func(c string) bool { return schema.TopMember(c) == m.Name }) {
				continue
			}
			optional := *m
			optional.Required, m = false, &optional
		}
		switch value := n.Find(m.Name); {
		case path == "" && (m.Implied || m.Name == "id" || slices.Contains(written, m.Name)):
		case m.Required || value != nil || p.hasFindings(fields.JoinPath(path, m.Name)):
			if !p.writeSpecial(m, value, n, fields.JoinPath(path, m.Name)) {
				p.writeMember(m, value, fields.JoinPath(path, m.Name))
			}
		default:
			rest = append(rest, m)
		}
	}
	if len(rest) == 0 {
		return
	}
	more := p.say("more_members", "n", strconv.Itoa(len(rest)))
	p.Fill(foldForm, with("name", more), markup.Each("inner", rest, func(m *schema.Member) {
		if !p.writeSpecial(m, nil, n, fields.JoinPath(path, m.Name)) {
			p.writeMember(m, nil, fields.JoinPath(path, m.Name))
		}
	}))
}

// isOnePerLine reports whether a list is written in a text area with one element per line: texts
// that are neither references nor words of a closed list.
func (p *page) isOnePerLine(m *schema.Member, n *fields.Node) bool {
	e := m.Shape.Elem
	if e.Type == schema.Object || e.Type == schema.Array || m.Ref != nil || e.List != nil {
		return false
	}
	return !slices.ContainsFunc(n.Children(), func(e *fields.Node) bool {
		return !e.IsPlain() || strings.TrimSpace(e.Shown()) != e.Shown() || strings.Contains(e.Shown(), "\n") ||
			e.Shown() == ""
	})
}

// writeField writes a label, help, findings, and one or several controls. The help is in English.
func (p *page) writeField(f *markup.Form, m *schema.Member, n *fields.Node, path string, inner func()) {
	doc := m.Doc
	if n != nil && n.Shared {
		doc += " " + p.say("shared")
	}
	p.Fill(f, with("path", path), with("label", p.x.words.Member(m.Name)), markup.ShowIf("must", m.Required),
		by("doc", func() { p.Fill(docForm, with("path", path), with("text", doc)) }),
		by("found", func() { p.writeFindingsAt(path) }), by("inner", inner))
}

func (p *page) writeFindingsAt(path string) {
	p.Fill(foundForm, with("path", path), markup.Each("list", p.found[path], func(problem schema.Problem) {
		grave := "warning"
		if problem.Severity() == codes.Error {
			grave = "error"
		}
		p.Fill(problemForm, with("grave", grave), with("grave-word", p.say(grave)), with("text", p.findingText(&problem)),
			with("address", Root+"code/"+string(problem.Code)), with("code", string(problem.Code)))
	}))
}

// describeControl links a control to its help and findings, for screen readers.
func (p *page) describeControl(path string) {
	if p.named != "" {
		p.Attr("aria-label", p.named)
	}
	p.Attr("aria-describedby", "d-"+path+" at-"+path)
	if len(p.found[path]) > 0 {
		p.HTML(` aria-invalid="true"`)
	}
}

// writeControl writes the control of a scalar value.
func (p *page) writeControl(m *schema.Member, s *schema.Shape, n *fields.Node, path string) {
	text := n.Shown()
	isDate := s.Format != nil && s.Format.Code == codes.MalformedDate
	switch {
	case s.List != nil:
		p.writeChoice(m, s, text, path)
	case s.Type == schema.Bool:
		p.writeRadio(path, "true", p.x.words.Yes, "", text)
		p.writeRadio(path, "false", p.x.words.No, "", text)
		if !m.Required || text != "true" && text != "false" {
			p.writeRadio(path, textUnlessIn(text, "true", "false"), p.say("not_said"), "", text)
		}
	case m.Ref != nil:
		p.writeReference(m.Ref.Kinds, text, path)
	case isDate:
		p.writeInput(path, text, func() { p.setDateType(text) })
		p.Fill(todayForm, with("path", path), with("day", string(p.x.today())))
	case s.Type == schema.Digits:
		p.writeInput(path, text, func() { p.HTML(` inputmode="decimal" dir="ltr"`) })
	case s.Format != nil && !strings.Contains(text, "\n"):
		p.writeInput(path, text, func() { p.HTML(` dir="ltr"`) })
	case m.Max > 0 && m.Max <= 200 && !strings.Contains(text, "\n"):
		p.writeInput(path, text, func() {})
	default:
		p.writeTextArea(path, text, 2+strings.Count(text, "\n")+len(text)/80)
	}
}

// setDateType makes browsers show a calendar if s is a day or empty. A calendar would hide other
// texts.
func (p *page) setDateType(s string) {
	if s == "" || record.Date(s).Valid() {
		p.HTML(` type="date"`)
	}
}

// textUnlessIn returns text, or "" if text is in list.
func textUnlessIn(text string, list ...string) string {
	if slices.Contains(list, text) {
		return ""
	}
	return text
}

func (p *page) writeInput(path, text string, more func()) {
	p.Fill(inputForm, with("path", path), markup.Exactly("value", text), by("more", func() {
		more()
		p.describeControl(path)
	}))
}

func (p *page) writeTextArea(path, text string, rows int) {
	p.Fill(areaForm, with("path", path), with("rows", strconv.Itoa(min(rows, 20))),
		by("more", func() { p.describeControl(path) }), markup.Exactly("text", "\n"+text))
}

// writeChoice writes a choice between the words of a closed list, with meanings if there are few.
func (p *page) writeChoice(m *schema.Member, s *schema.Shape, text, path string) {
	all := s.Words()
	if len(all) <= few {
		for _, word := range all {
			p.writeRadio(path, word, p.x.words.Written(s, word), p.x.words.Meaning(s, word), text)
		}
		if !m.Required || !slices.Contains(all, text) {
			p.writeRadio(path, textUnlessIn(text, all...), p.say("not_said"), textUnlessIn(text, all...), text)
		}
		return
	}
	p.Fill(selectForm, with("path", path), by("more", func() { p.describeControl(path) }), by("options", func() {
		p.writeOption("", p.say("not_said"), text)
		if other := textUnlessIn(text, all...); other != "" {
			p.writeOption(other, other, text)
		}
		for _, word := range all {
			name, meaning := p.x.words.Written(s, word), p.x.words.Meaning(s, word)
			if meaning != "" && !strings.EqualFold(meaning, name) {
				name += " – " + meaning
			}
			p.writeOption(word, name, text)
		}
	}))
}

func (p *page) writeRadio(path, value, word, meaning, text string) {
	p.Fill(radioForm, with("path", path), markup.Exactly("value", value), markup.ShowIf("checked", value == text), with("word", word),
		with("meaning", meaning))
}

func (p *page) writeOption(value, text, chosen string) {
	p.Fill(optionForm, markup.Exactly("value", value), markup.ShowIf("chosen", value == chosen), with("text", text))
}

// writeReference writes the field for the ID of another record, which the user finds by words in
// its title.
func (p *page) writeReference(kinds []string, text, path string) {
	p.finder(strings.Join(kinds, ","), text, path)
}

// finder writes a field whose value the user finds by words. of says what the user can find.
func (p *page) finder(of, text, path string) {
	p.writeInput(path, text, func() {
		p.HTML(` dir="auto" role="combobox" aria-expanded="false" aria-autocomplete="list"`)
		p.Attr("data-find", of)
		p.Attr("placeholder", p.say("find_hint"))
		p.Attr("aria-controls", "c-"+path)
	})
	p.HTML(`<div class="matches"`)
	p.Attr("id", "c-"+path)
	p.HTML(` aria-live="polite">`)
	if text != "" {
		p.writeChoices(path, text, of)
	}
	p.HTML(`</div>`)
}

// writeChoices shows the record whose ID is text, or the records that text may mean.
func (p *page) writeChoices(path, text, kinds string) {
	if scheme, period, ok := strings.Cut(kinds, areaMark); ok {
		p.areaChoices(path, text, scheme, record.Period(period))
		return
	}
	if r := p.x.byID[text]; r != nil {
		p.Fill(chosenForm, with("path", path), with("text", r.title+" · "+p.entryNote(r)))
		return
	}
	const most = 8
	found := p.x.search(text, kinds, most)
	for _, r := range found {
		p.Fill(takeForm, with("path", path), with("id", r.id), with("title", r.title), with("about", p.entryNote(r)))
	}
	if len(found) == 0 {
		p.fillLine(quietForm, p.say("found_none", "words", text))
	}
}

// writeElements writes the elements of a list, with buttons to add, move and remove them.
func (p *page) writeElements(m *schema.Member, n *fields.Node, path string) {
	list := n.Children()
	if len(list) == 0 && m.Required {
		list = []*fields.Node{{Type: m.Shape.Elem.Type, From: -1}}
	}
	p.writeHidden(path+".#", strconv.Itoa(len(list)))
	elem := schema.Member{Name: m.Name, Shape: m.Shape.Elem, Ref: m.Ref, Doc: m.Doc, Max: m.Max, Required: true}
	for i, e := range list {
		at := path + "." + strconv.Itoa(i)
		p.Fill(elementForm, with("label", p.x.words.Member(m.Name)), with("number", strconv.Itoa(i+1)),
			by("inner", func() {
				if e.From >= 0 {
					p.writeHidden(at+".@", strconv.Itoa(e.From))
				}
				if m.Shape.Elem.Type == schema.Object {
					p.writeMembers(m.Shape.Elem, e, at)
					return
				}
				p.writeFindingsAt(at)
				p.named = p.x.words.Member(m.Name) + " " + strconv.Itoa(i+1)
				p.writeControl(&elem, m.Shape.Elem, e, at)
				p.named = ""
			}),
			by("buttons", func() {
				if i > 0 {
					p.writeButton("up "+at, p.say("up"))
				}
				p.writeButton("remove "+at, p.say("take_out"))
			}))
	}
	p.writeButton("add "+path, p.say("add", "what", p.x.words.Member(m.Name)))
}

// writeTerms writes names with texts, and an empty row.
func (p *page) writeTerms(n *fields.Node, path string) {
	list := n.Children()
	if len(list) == 0 || list[len(list)-1].Name != "" {
		list = append(slices.Clip(list), &fields.Node{})
	}
	p.writeHidden(path+".#", strconv.Itoa(len(list)))
	for i, c := range list {
		p.Fill(termForm, with("path", path+"."+strconv.Itoa(i)), markup.Exactly("name", c.Name), markup.Exactly("value", c.Shown()))
	}
	p.writeButton("add "+path, p.say("add_row"))
}

// writeExtra shows a member that no shape names. An object or list is shown unchanged.
func (p *page) writeExtra(n *fields.Node) {
	if n.IsPlain() && !strings.Contains(n.Name, ".") {
		p.Fill(fieldForm, with("path", n.Name), with("label", n.Name), markup.ShowIf("must", false), by("doc", nil),
			by("found", func() { p.writeFindingsAt(n.Name) }),
			by("inner", func() { p.writeTextArea(n.Name, n.Shown(), 1+strings.Count(n.Text, "\n")) }))
		return
	}
	p.Fill(extraForm, with("path", n.Name), with("label", n.Name), with("value", string(n.AppendJSON(nil, nil))))
}
