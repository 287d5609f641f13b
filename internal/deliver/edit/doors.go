package edit

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"stele/internal/author/editing/amend"
	"stele/internal/author/judging/check"
	"stele/internal/author/judging/trace"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// doors are the ways to change a record: change is for one that was never published, the others do
// what the commands of their names do.
var doors = []string{"change", "remove", "correct", "revise", "reverify", "retract", "redact"}

var doorForm = markup.Parse(`<li class="door"><a href="{address}">{name}</a> <span class="help">{lead}</span></li>`)

// isEarly reports whether a door is for a record that was never published.
func isEarly(door string) bool { return door == "change" || door == "remove" }

// doors shows the ways to change a record.
func (p *page) doors() {
	d, err := p.load()
	if err != nil {
		p.fail(http.StatusNotFound, err)
		return
	}
	public, known, err := p.isPublic(p.x.byID[d.id])
	if err != nil {
		p.fail(http.StatusInternalServerError, err)
		return
	}
	p.open(p.x.byID[d.id].title)
	p.saved()
	p.line(quietForm, p.about(p.x.byID[d.id])+" · "+d.path)
	state := "state_unknown"
	switch {
	case public:
		state = "state_public"
	case known != nil:
		state = "state_private"
	}
	p.line(leadForm, p.say(state))
	p.HTML(`<ul class="doors">`)
	for _, door := range doors {
		if isEarly(door) == public || !isEarly(door) && known != nil && !public && door != "redact" {
			continue
		}
		p.Fill(doorForm, with("address", recordAddress(d.id)+"/"+door), with("name", p.say(door)),
			with("lead", p.say(door+"_lead")))
	}
	p.HTML(`</ul>`)
	p.listed(slices.DeleteFunc(slices.Clone(p.findings()), func(q schema.Problem) bool { return q.Record != d.id }))
	p.links(d)
	p.end(http.StatusOK)
}

// isPublic reports whether a record was published, and what is known of others; nil for nothing.
func (p *page) isPublic(r *entry) (public bool, known published, err error) {
	if known, err = p.live.read(p.Published); err == nil && known != nil && r != nil {
		was, ok := known(r.kind.Name, r.id)
		public = ok && r.version <= was.Version // a version that no release has yet can still be changed
	}
	return public, known, err
}

// change is what a form asks for.
func (p *page) change(d *draft, final *node, door string) (c amend.Change, err error) {
	c = amend.Change{
		Date: today(), Set: difference(p.kind.Shape(), d.was, final, "", true),
		Verified: p.Get("@verified") == "yes", By: p.trimmed("@by"),
	}
	public, known, err := p.isPublic(p.x.byID[d.id])
	switch {
	case err != nil:
		return c, err
	case door == "change" && public:
		return c, errors.New(p.say("is_public"))
	case known == nil && door == "change":
		known = nowhere
	}
	c.Published = known
	switch door {
	case "correct":
		err = p.correction(&c)
	case "revise":
		err = p.update(&c)
	}
	return c, err
}

// nowhere is for records that no release has.
func nowhere(_, _ string) (amend.Published, bool) { return amend.Published{}, false }

// correction is what was wrong, as the form has it.
func (p *page) correction(c *amend.Change) error {
	switch {
	case len(c.Set) == 0:
		return errors.New(p.say("correct_nothing"))
	case p.trimmed("@summary") == "":
		return errors.New(p.say("correct_why"))
	}
	c.Correction = p.corrected(record.CorrectionType(p.Get("@type")))
	return nil
}

func (p *page) corrected(t record.CorrectionType) *record.Correction {
	return &record.Correction{Type: t, Summary: p.trimmed("@summary"), ReportedBy: p.trimmed("@reported_by")}
}

// update is how a source changed, if it did.
func (p *page) update(c *amend.Change) error {
	summary := p.trimmed("@summary")
	switch {
	case p.Get("@type") == "" && len(c.Set) == 0:
		return errors.New(p.say("revise_nothing"))
	case p.Get("@type") == "":
		return nil
	case summary == "":
		return errors.New(p.say("revise_why"))
	}
	c.Verified = true
	c.Update = &record.SourceUpdate{
		Type: record.UpdateType(p.Get("@type")), Summary: summary,
		Date:     record.Date(cmp.Or(p.trimmed("@source_date"), string(c.Date))),
		SourceID: record.ID(p.trimmed("@source_id")), NoticeURL: record.URL(p.trimmed("@notice")),
		Effect: record.EffectAlreadyReflected,
	}
	if len(c.Set) > 0 {
		c.Update.Effect = record.EffectRecordChanged
	}
	return nil
}

// doorFields are what a door asks beside the record's own members.
func (p *page) doorFields(door string) {
	if door == "change" {
		return
	}
	p.group("about_change", func() {
		switch door {
		case "correct":
			s, chosen := words.CorrectionTypes, cmp.Or(p.Get("@type"), string(record.CorrectionCorrection))
			for _, t := range []record.CorrectionType{record.CorrectionCorrection, record.CorrectionClarification} {
				p.radio("@type", string(t), p.x.words.Written(s, string(t)), p.x.words.Meaning(s, string(t)), chosen)
			}
			p.textField("@summary", p.say("correct_summary"), true)
			p.textField("@reported_by", p.say("reported_by"), false)
		case "revise":
			s := words.UpdateTypes
			p.plain("@type", p.say("source_changed"), p.say("source_changed_help"), func() {
				p.Fill(selectForm, with("path", "@type"), by("more", nil), by("options", func() {
					p.option("", p.say("not_said"), p.Get("@type"))
					for _, word := range s.Words() {
						p.option(word, p.x.words.Written(s, word), p.Get("@type"))
					}
				}))
			})
			p.textField("@summary", p.say("revise_summary"), true)
			p.plain("@source_id", p.say("which_source"), "", func() {
				p.reference([]string{record.KindSourceObject}, p.Get("@source_id"), "@source_id")
			})
			p.textField("@notice", p.say("notice"), false)
			p.textField("@source_date", p.say("source_date"), false)
		}
		p.box("@verified", "yes", p.say("verified")) // with its sources, and by whom
		p.textField("@by", p.say("verified_by"), false)
	})
}

func (p *page) textField(name, label string, long bool) {
	p.plain(name, label, "", func() {
		if long {
			p.Fill(areaForm, with("path", name), with("rows", "2"), by("more", nil), with("text", "\n"+p.Get(name)))
			return
		}
		p.Fill(inputForm, with("path", name), with("value", p.Get(name)), by("more", nil))
	})
}

// other are the doors without the record's members: that it was checked, that it no longer stands,
// that something must never have been published.
func (p *page) other(d *draft, door, do string) {
	change := amend.Change{Date: today(), By: p.trimmed("@by")}
	goOn := do == "save" || do == "write"
	_, change.Published, _ = p.isPublic(nil) // without it, what is published is not compared
	switch {
	case door == "reverify":
		change.Verified = true
	case door == "remove":
	case goOn && p.trimmed("@summary") == "":
		p.refused(p.say(door + "_why"))
		goOn = false
	case door == "retract":
		change.Correction = p.corrected(record.CorrectionRetraction)
	}
	if goOn {
		files, err := p.planOther(d, door, change)
		if err == nil {
			if door == "remove" || door == "redact" {
				d = &draft{path: d.path} // there may be nothing to go back to
			}
			p.confirm(d, files, do, func() { p.line(textForm, p.say(door+"_lead")) })
			return
		}
		p.refused(err.Error())
	}
	p.showOther(d, door)
}

// showOther shows what such a door asks.
func (p *page) showOther(d *draft, door string) {
	p.open(p.say(door) + ": " + p.x.byID[d.id].title)
	p.line(leadForm, p.say(door+"_lead"))
	p.summary()
	p.Fill(startForm)
	p.hidden("@was", d.digest)
	switch door {
	case "reverify":
		p.sources(d.was)
		p.textField("@by", p.say("verified_by"), false)
	case "retract":
		p.touched(d.id)
		p.textField("@summary", p.say("retract_summary"), true)
		p.textField("@reported_by", p.say("reported_by"), false)
	case "redact":
		p.redactFields(d)
	}
	p.submit("save", p.say("save"))
	p.HTML(`</form>`)
	p.end(http.StatusOK)
}

func (p *page) planOther(d *draft, door string, change amend.Change) ([]amend.File, error) {
	switch door {
	case "remove":
		return amend.Remove(p.Files, d.path, d.id)
	case "reverify", "retract":
		return amend.PlanRecord(d.files, d.path, d.id, change)
	}
	r := settings.Redaction{ID: record.ID(d.id), Date: today(), Reason: p.trimmed("@summary")}
	for _, name := range p.Values["@member"] {
		r.Members = append(r.Members, schema.Pointer(name))
	}
	if len(r.Members) == 0 && p.Get("@whole") != "yes" {
		return nil, errors.New(p.say("redact_what"))
	}
	plan, err := amend.Redact(p.Files, r, nil)
	if err != nil {
		return nil, err
	}
	return plan.Files, nil
}

// sources shows what a record has to be compared with.
func (p *page) sources(n *node) {
	links := n.find("source_links").children()
	if len(links) == 0 {
		return
	}
	p.HTML(`<ul class="sources">`)
	for _, l := range links {
		p.Fill(sourceForm, with("url", l.find("url").shown()), with("locator", l.find("locator").shown()),
			with("quote", l.find("quote").find("text").shown()))
	}
	p.HTML(`</ul>`)
}

var sourceForm = markup.Parse(`<li><a href="{url}">{url}</a> {locator}{?quote}<blockquote>{quote}</blockquote>{/}</li>`)

// touched lists the records that a retraction would touch.
func (p *page) touched(id string) {
	var t *trace.Trace
	folder, err := trace.Open(p.Files, check.Options{Date: today()})
	if err == nil {
		t, err = folder.Trace(id, true)
	}
	if err != nil {
		p.line(quietForm, err.Error())
		return
	}
	if len(t.Touched) == 0 {
		p.line(quietForm, p.say("touches_none"))
		return
	}
	p.section("touches", func() {
		p.HTML(`<ul>`)
		for _, r := range t.Touched {
			p.Fill(nameItemForm, with("address", recordAddress(r.ID)), with("title", r.Title+" ("+r.ID+")"),
				with("about", r.Was+" → "+r.Standing))
		}
		p.HTML(`</ul>`)
	})
}

// redactFields ask what is to be taken out, and say what that does not reach.
func (p *page) redactFields(d *draft) {
	p.group("redact_members", func() {
		for _, c := range d.was.list {
			if m := p.kind.Shape().Member(c.name); m == nil || !m.Required && !m.Implied {
				p.box("@member", c.name, p.x.words.Member(c.name)+": "+p.text(p.kind.Shape(), d.was, c.name))
			}
		}
		p.box("@whole", "yes", p.say("redact_whole"))
	})
	p.textField("@summary", p.say("redact_reason"), true)
	p.line(textForm, p.say("redact_reach"))
}

// box writes a box that can be ticked.
func (p *page) box(name, value, text string) {
	p.Fill(boxForm, with("name", name), with("value", value), with("text", text),
		markup.If("checked", slices.Contains(p.Values[name], value)))
}

var boxForm = markup.Parse(`<label class="choice"><input type="checkbox" name="{name}" value="{value}"{?checked} checked{/}> <span>{text}</span></label>`)
