package edit

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"stele/internal/author/editing/amend"
	"stele/internal/author/judging/check"
	"stele/internal/author/judging/trace"
	"stele/internal/base/schema"
	"stele/internal/deliver/fields"
	"stele/internal/deliver/published"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// doors are the forms that change a record: change and remove are for unpublished records, undo
// undoes an unpublished change, and the others work like the commands with their names.
var doors = []string{"change", "remove", "correct", "revise", "reverify", "retract", "redact", "undo"}

var (
	doorForm     = markup.Parse(`<li class="door"><a href="{address}">{name}</a> <span class="help">{lead}</span></li>`)
	pendingForm  = markup.Parse(`<li class="door">{what} <a href="{change}">{=pending_change}</a> <a href="{undo}">{=pending_undo}</a></li>`)
	doorListForm = markup.Parse(`<ul class="doors">{doors}</ul>`)
)

// isActionOffered reports whether a door is offered for records with status s.
func isActionOffered(s published.Status, door string) bool {
	switch {
	case door == "change" || door == "remove":
		return s == published.Unpublished || s == published.Unknown
	case door == "undo":
		return s == published.Published
	case s == published.Unpublished:
		return door == "redact"
	}
	return s != published.Locked
}

// excludesAction reports whether a door is useless for a record because the record is retracted.
func (r *entry) excludesAction(door string) bool {
	return r.retracted && (door == "reverify" || door == "retract")
}

// showActions shows the ways to change a record.
func (p *page) showActions() {
	d, err := p.loadDraft()
	switch r := p.x.byID[p.r.PathValue("id")]; {
	case r == nil:
		p.offerRestore(p.r.PathValue("id"))
		return
	case err != nil:
		p.fail(http.StatusNotFound, err)
		return
	}
	r := p.x.byID[d.id]
	status, was := p.publishedStatus(r)
	p.openPage(r.title)
	p.showSaved()
	p.writeSummary()
	p.fillLine(quietForm, p.entryNote(r)+" · "+d.path)
	p.showStatus(status, r, was.Version)
	p.Fill(doorListForm, markup.Each("doors", doors, func(door string) {
		if isActionOffered(status, door) && door != "undo" && !r.excludesAction(door) {
			p.Fill(doorForm, with("address", recordAddress(d.id)+"/"+door), with("name", p.say(door)),
				with("lead", p.say(door+"_lead")))
		}
	}))
	if status == published.Published && r.version > was.Version {
		p.listPending(d, was.Version)
	}
	isOther := func(q schema.Problem) bool { return q.Record != d.id }
	p.listProblems(slices.DeleteFunc(slices.Clone(p.findings()), isOther))
	p.writeLinks(d)
	p.sendPage(http.StatusOK)
}

// showStatus shows whether a record is published, and how this computer knows.
func (p *page) showStatus(s published.Status, r *entry, version int64) {
	number := strconv.FormatInt(version, 10)
	switch {
	case s == published.Published && r.version > version:
		p.fillLine(leadForm, p.say("state_pending", "n", number))
	case s == published.Published:
		p.fillLine(leadForm, p.say("state_public"))
	case s == published.Unpublished:
		p.fillLine(leadForm, p.say("state_private"))
	case s == published.Unknown:
		p.fillLine(leadForm, p.say("state_unknown"))
	default:
		p.fillLine(leadForm, p.say("state_locked"))
	}
	if s != published.Unknown {
		p.showKnown()
	}
}

// showKnown shows when the list of published records was read, and why it cannot be read now.
func (p *page) showKnown() {
	l, err := p.known.Last()
	if l != nil && err != nil {
		p.fillLine(quietForm, p.say("known_since", "when", l.Read.UTC().Format("2006-01-02 15:04 UTC")))
	}
	var untrusted published.UntrustedError
	switch {
	case errors.As(err, &untrusted):
		p.Fill(trustForm, with("text", p.say("trust", "where", untrusted.Destination)))
	case err != nil:
		p.fillLine(quietForm, p.say("known_error", "error", err.Error()))
	}
}

var trustForm = markup.Parse(`<form method="post" class="trust" action="/.stele/edit/look"><p>{text}</p><button class="second" name="do" value="look">{=trust_go}</button></form>`)

// readPublished reads the list of published records at a destination to which the user has agreed.
func (p *page) readPublished() {
	p.known.Wait(p.known.Refresh(false), published.ReadWithin)
	http.Redirect(p.w, p.r, Root, http.StatusSeeOther)
}

// listPending lists the unpublished corrections, with links to change or undo each.
func (p *page) listPending(d *draft, version int64) {
	p.writeSection("pending", func() {
		p.Fill(doorListForm, by("doors", func() {
			for i, c := range d.was.Find("corrections").Children() {
				if in, _ := strconv.ParseInt(c.Find("in_version").Shown(), 10, 64); in <= version {
					continue
				}
				n := strconv.Itoa(i)
				p.Fill(pendingForm, with("what", c.Find("summary").Shown()), with("change", recordAddress(d.id)+"/correct?of="+n),
					with("undo", recordAddress(d.id)+"/undo?of="+n))
			}
		}))
		p.writeLink(recordAddress(d.id)+"/undo", p.say("undo_all", "n", strconv.FormatInt(version, 10)))
	})
}

// proposeUndo proposes to undo an unpublished correction, or all changes since the published
// version.
func (p *page) proposeUndo(d *draft) {
	of, err := strconv.Atoi(p.r.URL.Query().Get("of"))
	if err != nil {
		of = -1
	}
	data, err := p.publishedJSON(p.kind, d.id)
	var files []amend.File
	if err == nil {
		files, err = amend.Undo(p.Files, d.path, d.id, data, of)
	}
	if err != nil {
		p.fail(http.StatusConflict, err)
		return
	}
	is, err := amend.Open(amend.With(p.Files, files), d.path, d.id)
	if err != nil || is == nil {
		p.fail(http.StatusConflict, cmp.Or(err, errNoRecord))
		return
	}
	change := amend.Change{Set: fields.Difference(p.kind.Shape(), d.was, fields.NodeOf(is.Merged, 0), "", true)}
	p.showProposal(&proposal{
		files: files, words: p.recordEdits(d.was, fields.NodeOf(is.Merged, 0), change), lead: p.say("undo_lead"),
		next: recordAddress(d.id) + "?saved",
	})
}

// publishedJSON returns a record in the latest release as JSON.
func (p *page) publishedJSON(k *record.Kind, id string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(p.r.Context(), published.ReadWithin)
	defer cancel()
	return p.Service.Record(ctx, k.Name, id)
}

// offerRestore offers to restore a published record that is missing in the folder.
func (p *page) offerRestore(id string) {
	l, _ := p.known.Last()
	k := l.KindOf(id)
	if k == nil {
		p.fail(http.StatusNotFound, errNoRecord)
		return
	}
	p.kind = k
	if p.Get("do") != "restore" {
		p.openPage(p.say("vanished"))
		p.fillLine(quietForm, p.kindName(k)+" · "+id)
		p.fillLine(leadForm, p.say("vanished_lead"))
		p.startForm()
		p.writeSubmit("restore", p.say("vanished_go"))
		p.HTML(`</form>`)
		p.sendPage(http.StatusOK)
		return
	}
	data, err := p.publishedJSON(k, id)
	var file amend.File
	if err == nil {
		file, err = amend.NewFile(k, id, data)
	}
	if err != nil {
		p.fail(http.StatusConflict, err)
		return
	}
	p.showProposal(&proposal{files: []amend.File{file}, lead: p.say("vanished_lead"), next: recordAddress(id) + "?saved"})
}

// listMissing lists the published records that are missing in the folder, except for kinds that
// builds write.
func (p *page) listMissing() {
	l, _ := p.known.Last()
	if l == nil {
		return
	}
	var ids []string
	for kind, all := range l.Records {
		if kind == record.KindChangeEvent || kind == record.KindGraphNode || kind == record.KindGraphEdge {
			continue
		}
		for id := range all {
			if p.x.byID[id] == nil {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	slices.Sort(ids)
	p.writeSection("vanished", func() {
		p.HTML("<ul>")
		for _, id := range ids[:min(len(ids), maxFindings)] {
			p.Fill(nameItemForm, with("address", recordAddress(id)), with("title", id), with("about", ""))
		}
		p.HTML("</ul>")
		if more := len(ids) - maxFindings; more > 0 {
			p.fillLine(quietForm, p.say("and_more", "n", strconv.Itoa(more)))
		}
	})
}

// formChange returns the change that a form describes.
func (p *page) formChange(d *draft, final *fields.Node, door string) (c amend.Change, err error) {
	c = amend.Change{
		Date: p.x.today(), Set: fields.Difference(p.kind.Shape(), d.was, final, "", true),
		Verified: p.Get("@verified") == "yes", By: p.Trimmed("@by"), Published: p.lookUp(),
	}
	if c.Published == nil && door == "change" {
		c.Published = neverPublished
	}
	switch door {
	case "correct":
		if err = p.readCorrection(&c); err == nil && c.Replace == 0 {
			p.replacePending(d, &c)
		}
	case "revise":
		err = p.readSourceUpdate(&c)
	}
	return c, err
}

// replacePending makes the correction replace an unpublished one that names the same member,
// because its reason must fit the new value.
func (p *page) replacePending(d *draft, c *amend.Change) {
	_, was := p.publishedStatus(p.x.byID[d.id])
	for i, old := range d.was.Find("corrections").Children() {
		if in, _ := strconv.ParseInt(old.Find("in_version").Shown(), 10, 64); in <= was.Version {
			continue
		}
		for _, f := range old.Find("fields").Children() {
			same := func(s amend.Setting) bool { return schema.TopMember(s.Path) == schema.TopMember(f.Shown()) }
			if slices.ContainsFunc(c.Set, same) {
				c.Replace = i + 1
			}
		}
	}
}

// publishedStatus returns the status of a record, and its published version if there is one.
func (p *page) publishedStatus(r *entry) (published.Status, amend.Published) {
	if p.x.settings.Publish == nil {
		return published.Unknown, amend.Published{}
	}
	return p.known.Status(r.kind.Name, r.id, r.file, p.x.isHeldBack(r))
}

// lookUp returns a function that finds records in the latest list of published records, or nil if
// there is no list.
func (p *page) lookUp() func(kind, id string) (amend.Published, bool) {
	l, _ := p.known.Last()
	if l == nil {
		return nil
	}
	return l.Find
}

// neverPublished is a look-up function for records that no release contains.
func neverPublished(_, _ string) (amend.Published, bool) { return amend.Published{}, false }

// readCorrection reads the correction from the form.
func (p *page) readCorrection(c *amend.Change) error {
	of, err := strconv.Atoi(p.r.URL.Query().Get("of"))
	if err == nil && of >= 0 {
		c.Replace = of + 1
	}
	switch {
	case len(c.Set) == 0 && c.Replace == 0:
		return errors.New(p.say("correct_nothing"))
	case p.Trimmed("@summary") == "":
		return errors.New(p.say("correct_why"))
	}
	c.Correction = p.newCorrection(record.CorrectionType(p.Get("@type")))
	return nil
}

func (p *page) newCorrection(t record.CorrectionType) *record.Correction {
	return &record.Correction{Type: t, Summary: p.Trimmed("@summary"), ReportedBy: p.Trimmed("@reported_by")}
}

// readSourceUpdate reads the source update from the form, if there is one.
func (p *page) readSourceUpdate(c *amend.Change) error {
	summary := p.Trimmed("@summary")
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
		Date:     record.Date(cmp.Or(p.Trimmed("@source_date"), string(c.Date))),
		SourceID: record.ID(p.Trimmed("@source_id")), NoticeURL: record.URL(p.Trimmed("@notice")),
		Effect: record.EffectAlreadyReflected,
	}
	if len(c.Set) > 0 {
		c.Update.Effect = record.EffectRecordChanged
	}
	return nil
}

// writeActionFields writes the fields of a door besides the record's own members.
func (p *page) writeActionFields(d *draft, door string) {
	if door == "change" {
		return
	}
	p.writeGroup("about_change", func() {
		switch door {
		case "correct":
			p.fillPending(d)
			s, chosen := words.CorrectionTypes, cmp.Or(p.Get("@type"), string(record.CorrectionCorrection))
			for _, t := range []record.CorrectionType{record.CorrectionCorrection, record.CorrectionClarification} {
				p.writeRadio("@type", string(t), p.x.words.Written(s, string(t)), p.x.words.Meaning(s, string(t)), chosen)
			}
			p.writeTextField("@summary", p.say("correct_summary"), true)
			p.writeTextField("@reported_by", p.say("reported_by"), false)
		case "revise":
			s := words.UpdateTypes
			p.writePlainField("@type", p.say("source_changed"), p.say("source_changed_help"), func() {
				p.Fill(selectForm, with("path", "@type"), by("more", nil), by("options", func() {
					p.writeOption("", p.say("not_said"), p.Get("@type"))
					for _, word := range s.Words() {
						p.writeOption(word, p.x.words.Written(s, word), p.Get("@type"))
					}
				}))
			})
			p.writeTextField("@summary", p.say("revise_summary"), true)
			p.writePlainField("@source_id", p.say("which_source"), "", func() {
				p.writeReference([]string{record.KindSourceObject}, p.Get("@source_id"), "@source_id")
			})
			p.writeTextField("@notice", p.say("notice"), false)
			p.writeTextField("@source_date", p.say("source_date"), false)
		}
		p.writeCheckbox("@verified", "yes", p.say("verified")) // when and by whom it was compared with its sources
		p.writeTextField("@by", p.say("verified_by"), false)
	})
}

// fillPending fills the form with the correction that is being changed.
func (p *page) fillPending(d *draft) {
	of, err := strconv.Atoi(p.r.URL.Query().Get("of"))
	if err != nil || p.Form.Has("@summary") {
		return
	}
	if list := d.was.Find("corrections").Children(); of >= 0 && of < len(list) {
		p.Set("@summary", list[of].Find("summary").Shown())
		p.Set("@reported_by", list[of].Find("reported_by").Shown())
		p.Set("@type", list[of].Find("type").Shown())
	}
}

func (p *page) writeTextField(name, label string, long bool) {
	p.writePlainField(name, label, "", func() {
		if long {
			p.Fill(areaForm, with("path", name), with("rows", "2"), by("more", nil), markup.Exactly("text", "\n"+p.Get(name)))
			return
		}
		p.Fill(inputForm, with("path", name), markup.Exactly("value", p.Get(name)), by("more", nil))
	})
}

// answerOther answers requests to the doors without the record's members: reverify, retract, redact
// and remove.
func (p *page) answerOther(d *draft, door, do string) {
	change := amend.Change{Date: p.x.today(), By: p.Trimmed("@by"), Published: p.lookUp()}
	pr := &proposal{next: recordAddress(d.id) + "?saved"}
	ready := do == "save"
	switch {
	case door == "reverify":
		change.Verified = true
	case door == "remove":
		pr.next = Root + "?saved"
	case ready && p.Trimmed("@summary") == "":
		p.showRefusal(p.say(door + "_why"))
		ready = false
	case door == "retract":
		change.Correction = p.newCorrection(record.CorrectionRetraction)
	case door == "redact":
		pr.next = Root + "?saved"
	}
	if ready {
		var err error
		if err = p.planOther(d, door, change, pr); err == nil {
			p.showProposal(pr)
			return
		}
		p.showRefusal(err.Error())
	}
	p.showOther(d, door)
}

// showOther shows the form of a door that answerOther answers.
func (p *page) showOther(d *draft, door string) {
	p.openPage(p.say(door) + ": " + p.x.byID[d.id].title)
	p.fillLine(leadForm, p.say(door+"_lead"))
	p.writeSummary()
	p.startForm()
	p.writeHidden("@base", fields.Pack(d.was))
	switch door {
	case "reverify":
		p.showSources(d.was)
		p.writeTextField("@by", p.say("verified_by"), false)
	case "retract":
		p.showTouched(d.id)
		p.writeTextField("@summary", p.say("retract_summary"), true)
		p.writeTextField("@reported_by", p.say("reported_by"), false)
	case "redact":
		p.writeRedactionFields(d)
	}
	p.writeSubmit("save", p.say("save"))
	p.HTML(`</form>`)
	p.sendPage(http.StatusOK)
}

// planOther makes the proposal for a door that answerOther answers. If the record changed since the
// form was opened, it returns an error, and the form is shown again.
func (p *page) planOther(d *draft, door string, change amend.Change, pr *proposal) (err error) {
	if d.base != d.was && door != "remove" {
		return errors.New(p.say("changed_meanwhile"))
	}
	pr.lead = p.say(door + "_lead")
	switch door {
	case "remove":
		pr.files, err = amend.Remove(p.Files, d.path, d.id)
		return err
	case "reverify", "retract":
		pr.files, err = amend.PlanRecords(d.files, d.path, change, d.id)
		return err
	}
	return p.planRedaction(d, pr)
}

// showSources shows the sources to compare the record with.
func (p *page) showSources(n *fields.Node) {
	links := n.Find("source_links").Children()
	if len(links) == 0 {
		return
	}
	p.HTML(`<ul class="sources">`)
	for _, l := range links {
		p.Fill(sourceForm, with("url", l.Find("url").Shown()), with("locator", l.Find("locator").Shown()),
			with("quote", l.Find("quote").Find("text").Shown()))
	}
	p.HTML(`</ul>`)
}

var sourceForm = markup.Parse(`<li><a href="{url}">{url}</a> {locator}{?quote}<blockquote>{quote}</blockquote>{/}</li>`)

// showTouched lists the records that a retraction would affect.
func (p *page) showTouched(id string) {
	var t *trace.Trace
	folder, err := trace.Open(p.Files, check.Options{Date: p.x.today()})
	if err == nil {
		t, err = folder.Trace(id, true)
	}
	if err != nil {
		p.fillLine(quietForm, err.Error())
		return
	}
	if len(t.Touched) == 0 {
		p.fillLine(quietForm, p.say("touches_none"))
		return
	}
	p.writeSection("touches", func() {
		p.HTML(`<ul>`)
		for _, r := range t.Touched {
			p.Fill(nameItemForm, with("address", recordAddress(r.ID)), with("title", r.Title+" ("+r.ID+")"),
				with("about", r.Was+" → "+r.Standing))
		}
		p.HTML(`</ul>`)
	})
}

// writeCheckbox writes a checkbox.
func (p *page) writeCheckbox(name, value, text string) {
	p.Fill(boxForm, with("name", name), markup.Exactly("value", value), with("text", text),
		markup.ShowIf("checked", slices.Contains(p.Values[name], value)))
}
