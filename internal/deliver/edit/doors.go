package edit

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

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
	p.quiet(p.about(p.x.byID[d.id]) + " · " + d.path)
	state := "state_unknown"
	switch {
	case public:
		state = "state_public"
	case known:
		state = "state_private"
	}
	p.Fill(leadForm, markup.With("text", p.say(state)))
	p.HTML(`<ul class="doors">`)
	for _, door := range doors {
		if early := door == "change" || door == "remove"; early == public || !early && known && !public &&
			door != "redact" {
			continue
		}
		p.Fill(doorForm, markup.With("address", recordAddress(d.id)+"/"+door), markup.With("name", p.say(door)),
			markup.With("lead", p.say(door+"_lead")))
	}
	p.HTML(`</ul>`)
	for _, problem := range p.findings() {
		if problem.Record == d.id {
			p.HTML("<ul>")
			p.finding(&problem)
			p.HTML("</ul>")
		}
	}
	p.links(d)
	p.end(http.StatusOK)
}

// isPublic reports whether a record was published, and whether that is known.
func (p *page) isPublic(r *entry) (public, known bool, err error) {
	if p.Published == nil {
		return false, false, nil
	}
	published, err := p.Published()
	if err != nil || published == nil {
		return false, false, err
	}
	if r != nil {
		was, ok := published(r.kind.Name, r.id)
		public = ok && r.version <= was.Version // a version that no release has yet can still be changed
	}
	return public, true, nil
}

// change is what a form asks for.
func (p *page) change(d *draft, final *node, door string) (c amend.Change, err error) {
	c = amend.Change{
		Date: today(), Set: difference(p.kind.Shape(), d.was, final, "", true),
		Verified: p.Get("@verified") == "yes", By: strings.TrimSpace(p.Get("@by")),
	}
	public, known, err := p.isPublic(p.x.byID[d.id])
	switch {
	case err != nil:
		return c, err
	case door == "change" && public:
		return c, errors.New(p.say("is_public"))
	case known:
		c.Published, err = p.Published()
	case door == "change":
		c.Published = nowhere
	}
	if err != nil {
		return c, err
	}
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
	summary := strings.TrimSpace(p.Get("@summary"))
	switch {
	case len(c.Set) == 0:
		return errors.New(p.say("correct_nothing"))
	case summary == "":
		return errors.New(p.say("correct_why"))
	}
	c.Correction = &record.Correction{
		Type: record.CorrectionType(p.Get("@type")), Summary: summary,
		ReportedBy: strings.TrimSpace(p.Get("@reported_by")),
	}
	return nil
}

// update is how a source changed, if it did.
func (p *page) update(c *amend.Change) error {
	summary := strings.TrimSpace(p.Get("@summary"))
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
		Date:      record.Date(cmp.Or(strings.TrimSpace(p.Get("@source_date")), string(c.Date))),
		SourceID:  record.ID(strings.TrimSpace(p.Get("@source_id"))),
		NoticeURL: record.URL(strings.TrimSpace(p.Get("@notice"))), Effect: record.EffectAlreadyReflected,
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
	p.HTML(`<fieldset class="group"><legend>`)
	p.Text(p.say("about_change"))
	p.HTML(`</legend>`)
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
			p.Fill(selectForm, markup.With("path", "@type"), markup.By("more", func() {}), markup.By("options", func() {
				p.option("", p.say("not_said"), p.Get("@type"))
				for _, word := range s.Words() {
					p.option(word, p.x.words.Written(s, word), p.Get("@type"))
				}
			}))
		})
		p.textField("@summary", p.say("revise_summary"), true)
		p.plain("@source_id", p.say("which_source"), "", func() {
			p.reference(&schema.Member{Ref: &schema.RefType{Kinds: []string{record.KindSourceObject}}},
				p.Get("@source_id"), "@source_id")
		})
		p.textField("@notice", p.say("notice"), false)
		p.textField("@source_date", p.say("source_date"), false)
	}
	p.verified()
	p.HTML(`</fieldset>`)
}

func (p *page) textField(name, label string, long bool) {
	p.plain(name, label, "", func() {
		if long {
			p.Fill(areaForm, markup.With("path", name), markup.With("rows", "2"), markup.By("more", func() {}))
			p.HTML("\n")
			p.Text(p.Get(name))
			p.HTML("</textarea>")
			return
		}
		p.Fill(inputForm, markup.With("path", name), markup.With("value", p.Get(name)), markup.By("more", func() {}))
	})
}

// verified asks whether the record was compared with its sources, and by whom.
func (p *page) verified() {
	p.HTML(`<label class="choice"><input type="checkbox" name="@verified" value="yes"`)
	if p.Get("@verified") == "yes" {
		p.HTML(" checked")
	}
	p.HTML(`> `)
	p.Text(p.say("verified"))
	p.HTML(`</label>`)
	p.textField("@by", p.say("verified_by"), false)
}

// other are the doors without the record's members: that it was checked, that it no longer stands,
// that something must never have been published.
func (p *page) other(d *draft, door, do string) {
	change := amend.Change{Date: today(), By: strings.TrimSpace(p.Get("@by"))}
	summary := strings.TrimSpace(p.Get("@summary"))
	goOn := do == "save" || do == "write"
	if _, known, err := p.isPublic(p.x.byID[d.id]); err == nil && known {
		change.Published, _ = p.Published()
	}
	switch {
	case door == "reverify":
		change.Verified = true
	case door == "remove":
	case goOn && summary == "":
		p.refused(p.say(door + "_why"))
		goOn = false
	case door == "retract":
		change.Correction = &record.Correction{
			Type: record.CorrectionRetraction, Summary: summary,
			ReportedBy: strings.TrimSpace(p.Get("@reported_by")),
		}
	}
	if goOn {
		files, err := p.planOther(d, door, summary, change)
		if err == nil {
			if door == "remove" || door == "redact" {
				d = &draft{path: d.path} // there may be nothing to go back to
			}
			p.confirm(d, files, do, func() { p.Fill(textForm, markup.With("text", p.say(door+"_lead"))) })
			return
		}
		p.refused(err.Error())
	}
	p.showOther(d, door)
}

// showOther shows what such a door asks.
func (p *page) showOther(d *draft, door string) {
	p.open(p.say(door) + ": " + p.x.byID[d.id].title)
	p.Fill(leadForm, markup.With("text", p.say(door+"_lead")))
	p.summary()
	p.startForm()
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
	p.Fill(buttonForm, markup.With("do", "save"), markup.With("text", p.say("save")))
	p.HTML(`</form>`)
	p.end(http.StatusOK)
}

func (p *page) planOther(d *draft, door, summary string, change amend.Change) ([]amend.File, error) {
	switch door {
	case "remove":
		return amend.Remove(p.Files, d.path, d.id)
	case "reverify", "retract":
		return amend.PlanRecord(d.files, d.path, d.id, change)
	}
	r := settings.Redaction{ID: record.ID(d.id), Date: today(), Reason: summary}
	for _, name := range p.Values["@member"] {
		r.Members = append(r.Members, schema.Pointer(name))
	}
	if len(r.Members) == 0 && p.Get("@whole") != "yes" {
		return nil, errors.New(p.say("redact_what"))
	}
	plan, err := amend.Redact(p.Files, r)
	if err != nil {
		return nil, err
	}
	return plan.Files, nil
}

// sources shows what a record has to be compared with.
func (p *page) sources(n *node) {
	links := n.find("source_links")
	if links == nil {
		return
	}
	p.HTML(`<ul class="sources">`)
	for _, l := range links.list {
		p.HTML(`<li>`)
		p.Fill(anchorForm, markup.With("address", l.find("url").shown()), markup.With("text", l.find("url").shown()))
		p.HTML(` `)
		p.Text(l.find("locator").shown())
		if quote := l.find("quote").find("text").shown(); quote != "" {
			p.HTML(`<blockquote>`)
			p.Text(quote)
			p.HTML(`</blockquote>`)
		}
		p.HTML(`</li>`)
	}
	p.HTML(`</ul>`)
}

// touched lists the records that a retraction would touch.
func (p *page) touched(id string) {
	folder, err := trace.Open(p.Files, check.Options{Date: today()})
	if err != nil {
		p.quiet(err.Error())
		return
	}
	t, err := folder.Trace(id, true)
	if err != nil {
		p.quiet(err.Error())
		return
	}
	if len(t.Touched) == 0 {
		p.quiet(p.say("touches_none"))
		return
	}
	p.Fill(sectionForm, markup.With("head", p.say("touches")), markup.By("inner", func() {
		p.HTML(`<ul>`)
		for _, r := range t.Touched {
			p.Fill(nameItemForm, markup.With("address", recordAddress(r.ID)), markup.With("title",
				fmt.Sprintf("%s (%s)", r.Title, r.ID)),
				markup.With("about", r.Was+" → "+r.Standing))
		}
		p.HTML(`</ul>`)
	}))
}

// redactFields ask what is to be taken out, and say what that does not reach.
func (p *page) redactFields(d *draft) {
	p.HTML(`<fieldset class="group"><legend>`)
	p.Text(p.say("redact_members"))
	p.HTML(`</legend>`)
	for _, c := range d.was.list {
		if m := p.kind.Shape().Member(c.name); m == nil || !m.Required && !m.Implied {
			p.box("@member", c.name, p.x.words.Member(c.name)+": "+p.text(p.kind.Shape(), d.was, c.name))
		}
	}
	p.box("@whole", "yes", p.say("redact_whole"))
	p.HTML(`</fieldset>`)
	p.textField("@summary", p.say("redact_reason"), true)
	p.Fill(textForm, markup.With("text", p.say("redact_reach")))
}

// box writes a box that can be ticked.
func (p *page) box(name, value, text string) {
	p.Fill(boxForm, markup.With("name", name), markup.With("value", value), markup.With("text", text),
		markup.By("checked", func() {
			if slices.Contains(p.Values[name], value) {
				p.HTML(" checked")
			}
		}))
}

var boxForm = markup.Parse(`<label class="choice"><input type="checkbox" name="{name}" value="{value}"{checked}> <span>{text}</span></label>`)
