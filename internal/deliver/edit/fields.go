package edit

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/show/site/markup"
)

var (
	fieldForm = markup.Parse(`
		<div class="field" id="f-{path}">
			<label for="i-{path}">{label}{required}</label>{doc}{found}{control}
		</div>`)
	groupForm = markup.Parse(`
		<fieldset class="group" id="f-{path}"><legend>{label}{required}</legend>{doc}{found}{inner}</fieldset>`)
	docForm      = markup.Parse(`<p class="help" id="d-{path}"{english}>{text}</p>`)
	foundForm    = markup.Parse(`<div class="found" id="at-{path}">{list}</div>`)
	problemForm  = markup.Parse(`<p class="finding {grave}"><strong>{grave-word}</strong> <span{english}>{text}</span> <a class="code" href="{address}">{code}</a></p>`)
	requiredForm = markup.Parse(` <span class="must">{text}</span>`)
	inputForm    = markup.Parse(`<input id="i-{path}" name="{path}" value="{value}"{more}>`)
	areaForm     = markup.Parse(`<textarea id="i-{path}" name="{path}" rows="{rows}"{more}>`)
	radioForm    = markup.Parse(`<label class="choice"><input type="radio" name="{path}" value="{value}"{checked}> <span>{word}</span> <span class="help">{meaning}</span></label>`)
	optionForm   = markup.Parse(`<option value="{value}"{chosen}>{text}</option>`)
	selectForm   = markup.Parse(`<select id="i-{path}" name="{path}"{more}>{options}</select>`)
	chosenForm   = markup.Parse(`<p class="chosen" id="c-{path}">{text}</p>`)
	takeForm     = markup.Parse(`<button class="take" name="do" value="set {path}={id}">{title} <span class="quiet">{about}</span></button>`)
	elementForm  = markup.Parse(`<fieldset class="element"><legend>{label} {number}</legend>{inner}<p class="buttons">{buttons}</p></fieldset>`)
	termForm     = markup.Parse(`<div class="term"><input name="{path}.name" value="{name}" aria-label="{name-label}"> <input name="{path}.value" value="{value}" aria-label="{value-label}"></div>`)
	extraForm    = markup.Parse(`<div class="field" id="f-{path}"><span class="label">{label}</span><pre dir="ltr">{value}</pre></div>`)
)

// written are the members that Stele writes itself.
var written = []string{"version", "updated_date", "corrections", "source_updates"}

// fields writes the fields of a record: first what is required or there, then the rest, folded.
func (p *page) fields(n *node, isNew bool) {
	shape := p.kind.Shape()
	var rest []*schema.Member
	for i := range shape.Members {
		m := &shape.Members[i]
		switch value := n.find(m.Name); {
		case m.Implied || slices.Contains(written, m.Name) || m.Name == "id":
		case m.Required || value != nil || len(p.below(m.Name)) > 0:
			p.member(m, value, m.Name)
		default:
			rest = append(rest, m)
		}
	}
	if len(rest) > 0 {
		p.Fill(foldForm, markup.With("name", p.say("more_members", "n", strconv.Itoa(len(rest)))), markup.By("inner",
			func() {
				for _, m := range rest {
					p.member(m, nil, m.Name)
				}
			}))
	}
	if n != nil {
		for _, c := range n.list {
			if shape.Member(c.name) == nil && holdShape.Member(c.name) == nil {
				p.extra(c)
			}
		}
	}
}

// below are the findings of a field and of what is inside it.
func (p *page) below(path string) (list []schema.Problem) {
	for at, found := range p.found {
		if at == path || strings.HasPrefix(at, path+".") {
			list = append(list, found...)
		}
	}
	return list
}

// member writes the field of a member.
func (p *page) member(m *schema.Member, n *node, path string) {
	switch s := m.Shape; {
	case s.Type == schema.Object && s.Open:
		p.group(m, n, path, func() { p.terms(n, path) })
	case s.Type == schema.Object:
		p.group(m, n, path, func() { p.members(s, n, path) })
	case s.Type == schema.Array && p.oneEachLine(m, n):
		p.field(m, n, path, func() {
			lines := ""
			if n != nil {
				for _, e := range n.list {
					lines += e.shown() + "\n"
				}
			}
			p.area(path, lines, 2+strings.Count(lines, "\n"))
		})
	case s.Type == schema.Array:
		p.group(m, n, path, func() { p.elements(m, n, path) })
	case s.Type == schema.Bool || s.List != nil && len(s.List) <= few:
		p.group(m, n, path, func() { p.control(m, s, n, path) })
	default:
		p.field(m, n, path, func() { p.control(m, s, n, path) })
	}
}

// few is how many words of a list are shown with their meanings.
const few = 9

// members writes the fields of a group: what is required or there, and the rest folded.
func (p *page) members(s *schema.Shape, n *node, path string) {
	var rest []*schema.Member
	for i := range s.Members {
		m := &s.Members[i]
		value := n.find(m.Name)
		if m.Required || value != nil || len(p.below(join(path, m.Name))) > 0 {
			p.member(m, value, join(path, m.Name))
		} else {
			rest = append(rest, m)
		}
	}
	if len(rest) == 0 {
		return
	}
	p.Fill(foldForm, markup.With("name", p.say("more_members", "n", strconv.Itoa(len(rest)))), markup.By("inner",
		func() {
			for _, m := range rest {
				p.member(m, nil, join(path, m.Name))
			}
		}))
}

// oneEachLine reports whether a list is written with an element on each line: texts that refer to
// nothing and come from no list.
func (p *page) oneEachLine(m *schema.Member, n *node) bool {
	e := m.Shape.Elem
	if e.Type == schema.Object || e.Type == schema.Array || m.Ref != nil || e.List != nil {
		return false
	}
	return n == nil || !slices.ContainsFunc(n.list, func(e *node) bool {
		return !e.plain() || strings.TrimSpace(e.shown()) != e.shown() || strings.Contains(e.shown(), "\n") ||
			e.shown() == ""
	})
}

// field writes a label, help, findings and a control.
func (p *page) field(m *schema.Member, n *node, path string, control func()) {
	p.Fill(fieldForm, markup.With("path", path), markup.With("label", p.x.words.Member(m.Name)),
		markup.By("required", func() { p.required(m.Required) }), markup.By("doc", func() { p.doc(m, n, path) }),
		markup.By("found", func() { p.foundAt(path) }), markup.By("control", control))
}

func (p *page) group(m *schema.Member, n *node, path string, inner func()) {
	p.Fill(groupForm, markup.With("path", path), markup.With("label", p.x.words.Member(m.Name)),
		markup.By("required", func() { p.required(m.Required) }), markup.By("doc", func() { p.doc(m, n, path) }),
		markup.By("found", func() { p.foundAt(path) }), markup.By("inner", inner))
}

func (p *page) required(is bool) {
	if is {
		p.Fill(requiredForm, markup.With("text", p.say("required")))
	}
}

// doc writes what a member holds. The descriptions are in English.
func (p *page) doc(m *schema.Member, n *node, path string) {
	text := m.Doc
	if n != nil && n.shared {
		text += " " + p.say("shared")
	}
	p.Fill(docForm, markup.With("path", path), markup.By("english", p.english), markup.With("text", text))
}

func (p *page) english() {
	if p.x.words.Tag != "en" {
		p.HTML(` lang="en" dir="ltr"`)
	}
}

func (p *page) foundAt(path string) {
	p.Fill(foundForm, markup.With("path", path), markup.By("list", func() {
		for _, problem := range p.found[path] {
			grave, word := "warning", p.say("warning")
			if problem.Severity() == codes.Error {
				grave, word = "error", p.say("error")
			}
			p.Fill(problemForm, markup.With("grave", grave), markup.With("grave-word", word), markup.By("english",
				p.english), markup.With("text", sentence(&problem)),
				markup.With("address", Root+"code/"+string(problem.Code)), markup.With("code", string(problem.Code)))
		}
	}))
}

// described names the help and the findings of a control for those who cannot see them.
func (p *page) described(path string) {
	if p.named != "" {
		p.Attr("aria-label", p.named)
	}
	p.Attr("aria-describedby", "d-"+path+" at-"+path)
	if len(p.found[path]) > 0 {
		p.HTML(` aria-invalid="true"`)
	}
}

// control writes the control of a value that holds no others.
func (p *page) control(m *schema.Member, s *schema.Shape, n *node, path string) {
	text := n.shown()
	isDate := s.Format != nil && s.Format.Code == codes.MalformedDate
	switch {
	case s.List != nil:
		p.choose(m, s, text, path)
	case s.Type == schema.Bool:
		p.radio(path, "true", p.x.words.Yes, "", text)
		p.radio(path, "false", p.x.words.No, "", text)
		if !m.Required || text != "true" && text != "false" {
			p.radio(path, otherThan(text, "true", "false"), p.say("not_said"), "", text)
		}
	case m.Ref != nil:
		p.reference(m, text, path)
	case isDate:
		p.input(path, text, func() {
			if text == "" || isDay(text) {
				p.HTML(` type="date"`)
			}
		})
		p.Fill(quietButton, markup.With("do", "today "+path), markup.By("plain", func() {
			p.Attr("data-fill", path)
			p.Attr("data-value", string(today()))
		}), markup.With("text", p.say("today")))
	case s.Type == schema.Digits:
		p.input(path, text, func() { p.HTML(` inputmode="decimal" dir="ltr"`) })
	case s.Format != nil && !strings.Contains(text, "\n"):
		p.input(path, text, func() { p.HTML(` dir="ltr"`) })
	case m.Max > 0 && m.Max <= 200 && !strings.Contains(text, "\n"):
		p.input(path, text, func() {})
	default:
		p.area(path, text, 2+strings.Count(text, "\n")+len(text)/80)
	}
}

func isDay(s string) bool {
	return len(s) == 10 && s[4] == '-' && s[7] == '-' && strings.Trim(s, "0123456789-") == ""
}

// otherThan is the text, unless it is one of some words.
func otherThan(text string, list ...string) string {
	if slices.Contains(list, text) {
		return ""
	}
	return text
}

func (p *page) input(path, text string, more func()) {
	p.Fill(inputForm, markup.With("path", path), markup.With("value", text), markup.By("more", func() {
		more()
		p.described(path)
	}))
}

func (p *page) area(path, text string, rows int) {
	p.Fill(areaForm, markup.With("path", path), markup.With("rows", strconv.Itoa(min(rows, 20))), markup.By("more",
		func() { p.described(path) }))
	p.HTML("\n") // which browsers leave out
	p.Text(text)
	p.HTML("</textarea>")
}

// choose writes a word of a closed list: with the meaning of each, as long as there are few.
func (p *page) choose(m *schema.Member, s *schema.Shape, text, path string) {
	all := s.Words()
	if len(all) <= few {
		for _, word := range all {
			p.radio(path, word, p.x.words.Written(s, word), p.x.words.Meaning(s, word), text)
		}
		if !m.Required || !slices.Contains(all, text) {
			p.radio(path, otherThan(text, all...), p.say("not_said"), otherThan(text, all...), text)
		}
		return
	}
	p.Fill(selectForm, markup.With("path", path), markup.By("more", func() { p.described(path) }),
		markup.By("options", func() {
			p.option("", p.say("not_said"), text)
			if other := otherThan(text, all...); other != "" {
				p.option(other, other, text)
			}
			for _, word := range all {
				name, meaning := p.x.words.Written(s, word), p.x.words.Meaning(s, word)
				if meaning != "" && !strings.EqualFold(meaning, name) {
					name += " – " + meaning
				}
				p.option(word, name, text)
			}
		}))
}

func (p *page) radio(path, value, word, meaning, text string) {
	p.Fill(radioForm, markup.With("path", path), markup.With("value", value), markup.By("checked", func() {
		if value == text {
			p.HTML(" checked")
		}
	}), markup.With("word", word), markup.With("meaning", meaning))
}

func (p *page) option(value, text, chosen string) {
	p.Fill(optionForm, markup.With("value", value), markup.By("chosen", func() {
		if value == chosen {
			p.HTML(" selected")
		}
	}), markup.With("text", text))
}

// reference writes the ID of another record, which is found by words of its title.
func (p *page) reference(m *schema.Member, text, path string) {
	p.input(path, text, func() {
		p.HTML(` dir="auto" role="combobox" aria-expanded="false" aria-autocomplete="list"`)
		p.Attr("data-find", strings.Join(m.Ref.Kinds, ","))
		p.Attr("placeholder", p.say("find_hint"))
		p.Attr("aria-controls", "c-"+path)
	})
	p.HTML(`<div class="matches"`)
	p.Attr("id", "c-"+path)
	p.HTML(` aria-live="polite">`)
	if text != "" {
		p.choices(path, text, m.Ref.Kinds)
	}
	p.HTML(`</div>`)
}

// choices show the record with an ID, or those that a text may mean.
func (p *page) choices(path, text string, kinds []string) {
	if r := p.x.byID[text]; r != nil {
		p.Fill(chosenForm, markup.With("path", path), markup.With("text", r.title+" · "+p.about(r)))
		return
	}
	const most = 8
	found := p.x.search(text, kinds, most)
	for _, r := range found {
		p.Fill(takeForm, markup.With("path", path), markup.With("id", r.id), markup.With("title", r.title),
			markup.With("about", p.about(r)))
	}
	if len(found) == 0 {
		p.quiet(p.say("found_none", "words", text))
	}
}

// elements writes the elements of a list, which can be added, moved and taken out.
func (p *page) elements(m *schema.Member, n *node, path string) {
	count := 0
	if n != nil {
		count = len(n.list)
	}
	if count == 0 && m.Required {
		n, count = &node{typ: schema.Array, list: []*node{{typ: m.Shape.Elem.Type, from: -1}}}, 1
	}
	p.hidden(path+".#", strconv.Itoa(count))
	elem := schema.Member{Name: m.Name, Shape: m.Shape.Elem, Ref: m.Ref, Doc: m.Doc, Max: m.Max, Required: true}
	for i := range count {
		e, at := n.list[i], path+"."+strconv.Itoa(i)
		p.Fill(elementForm, markup.With("label", p.x.words.Member(m.Name)), markup.With("number", strconv.Itoa(i+1)),
			markup.By("inner", func() {
				if e.from >= 0 {
					p.hidden(at+".@", strconv.Itoa(e.from))
				}
				if m.Shape.Elem.Type == schema.Object {
					p.members(m.Shape.Elem, e, at)
					return
				}
				p.foundAt(at)
				p.named = p.x.words.Member(m.Name) + " " + strconv.Itoa(i+1)
				p.control(&elem, m.Shape.Elem, e, at)
				p.named = ""
			}),
			markup.By("buttons", func() {
				if i > 0 {
					p.button("up "+at, p.say("up"))
				}
				p.button("remove "+at, p.say("take_out"))
			}))
	}
	p.button("add "+path, p.say("add", "what", p.x.words.Member(m.Name)))
}

// button writes a button that changes the form and saves nothing.
func (p *page) button(do, text string) {
	p.Fill(quietButton, markup.With("do", do), markup.By("plain", func() {}), markup.With("text", text))
}

// terms writes names with texts, and room for one more.
func (p *page) terms(n *node, path string) {
	var list []*node
	if n != nil {
		list = n.list
	}
	if len(list) == 0 || list[len(list)-1].name != "" {
		list = append(slices.Clip(list), &node{})
	}
	p.hidden(path+".#", strconv.Itoa(len(list)))
	for i, c := range list {
		p.Fill(termForm, markup.With("path", path+"."+strconv.Itoa(i)), markup.With("name", c.name),
			markup.With("value", c.shown()),
			markup.With("name-label", p.say("name")), markup.With("value-label", p.x.words.Value))
	}
	p.button("add "+path, p.say("add_row"))
}

// extra shows a member that no shape names. What holds others is shown as it is.
func (p *page) extra(n *node) {
	if n.plain() && !strings.Contains(n.name, ".") {
		p.Fill(fieldForm, markup.With("path", n.name), markup.With("label", n.name), markup.By("required", func() {}),
			markup.By("doc", func() {}), markup.By("found", func() { p.foundAt(n.name) }),
			markup.By("control", func() { p.area(n.name, n.shown(), 1+strings.Count(n.text, "\n")) }))
		return
	}
	p.Fill(extraForm, markup.With("path", n.name), markup.With("label", n.name), markup.With("value",
		string(n.appendJSON(nil, nil))))
}
