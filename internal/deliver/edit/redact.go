package edit

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/deliver/fields"
	"stele/internal/show/site/markup"
	"stele/record"
)

// writeRedactionFields writes the fields for the members and versions to remove, and for the new
// text.
func (p *page) writeRedactionFields(d *draft) {
	p.writeGroup("redact_members", func() {
		for _, c := range d.was.List {
			m := p.kind.Shape().Member(c.Name)
			if m != nil && m.Implied || slices.Contains(written, c.Name) || c.Name == "id" {
				continue
			}
			text := shorten(p.valueText(p.kind.Shape(), d.was, c.Name), 300)
			p.writeCheckbox("@member", c.Name, p.x.words.Member(c.Name)+": "+text)
			if m == nil || c.IsPlain() {
				p.writeTextField("@new."+c.Name, p.say(pick(m != nil && m.Required, "redact_new", "redact_new_or_none")), false)
			}
		}
		p.writeCheckbox("@whole", "yes", p.say("redact_whole"))
	})
	last, _ := strconv.Atoi(d.was.Find("version").Shown())
	p.writeGroup("redact_versions", func() {
		for n := 1; n <= min(last, maxVersions); n++ {
			p.writeCheckbox("@version", strconv.Itoa(n), p.say("version_is", "n", strconv.Itoa(n)))
		}
	})
	p.writeTextField("@summary", p.say("redact_reason"), true)
	if len(p.revealed)+len(p.Values["@ordinary"]) > 0 {
		p.writeCheckbox("@others", "yes", p.say("redact_others"))
		p.writeGroup("redact_ordinary", func() {
			for _, word := range p.Values["@ordinary"] {
				p.writeCheckbox("@ordinary", word, word)
			}
			for _, f := range p.revealed {
				p.writeCheckbox("@ordinary", f.Word, p.say("redact_also", "word", f.Word)+": "+strings.Join(f.Where, ", "))
			}
		})
	}
	p.fillLine(textForm, p.say("redact_reach"))
}

const maxVersions = 50 // versions that a form offers

// planRedaction proposes a redaction.
func (p *page) planRedaction(d *draft, pr *proposal) error {
	r := settings.Redaction{ID: record.ID(d.id), Date: p.x.today(), Reason: p.Trimmed("@summary")}
	r.Ordinary = p.Values["@ordinary"]
	words := map[string]string{}
	for _, name := range p.Values["@member"] {
		at := schema.Pointer(name)
		r.Members = append(r.Members, at)
		if text := p.Trimmed("@new." + name); text != "" {
			words[at] = text
		}
		if m := p.kind.Shape().Member(name); words[at] == "" && m != nil && m.Required {
			return errors.New(p.x.words.Member(name) + ": " + p.say("redact_new"))
		}
		old := p.valueText(p.kind.Shape(), d.was, name)
		pr.words = append(pr.words, p.newEdit(p.x.words.Member(name), old, words[at]))
	}
	switch first, last, ok := fields.Span(p.Values["@version"]); {
	case !ok:
		return errors.New(p.say("redact_gap"))
	case first > 0:
		r.Versions = settings.Versions(first, last)
	}
	if len(r.Members) == 0 && r.Versions == "" && p.Get("@whole") != "yes" {
		return errors.New(p.say("redact_what"))
	}
	plan, err := amend.Redact(p.Files, r, words)
	var revealed *amend.RevealedError
	if errors.As(err, &revealed) {
		p.revealed = revealed.Found
		err = errors.New(p.say("redact_revealed"))
		if p.Get("@others") == "yes" && !revealed.Own { // until then, nothing can be published
			plan, err = revealed.Plan, nil
		}
	}
	if err != nil {
		return err
	}
	pr.files = plan.Files
	pr.words = append(pr.words, edit{p.say("redact_versions"), "", plan.Versions})
	for _, f := range plan.Found {
		pr.words = append(pr.words, edit{p.say("redact_also", "word", f.Word), "", strings.Join(f.Where, ", ")})
	}
	if len(plan.Naming) > 0 {
		pr.words = append(pr.words, edit{p.say("redact_naming"), "", strings.Join(plan.Naming, ", ")})
	}
	return nil
}

var boxForm = markup.Parse(`<label class="choice"><input type="checkbox" name="{name}" value="{value}"{?checked} checked{/}> <span>{text}</span></label>`)
