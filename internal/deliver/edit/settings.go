package edit

import (
	"io/fs"
	"net/http"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/deliver/fields"
)

var settingsShape = schema.ShapeOf[settings.Settings]()

// editSettings answers requests to the form for stele.yaml.
func (p *page) editSettings() {
	data, err := fs.ReadFile(p.Files, input.SettingsFile)
	if err != nil {
		p.fail(http.StatusInternalServerError, err)
		return
	}
	tree, problem := input.ParseSettings(data)
	if problem != nil || tree == nil {
		p.openPage(p.say("settings"))
		p.fillLine(refusedForm, input.SettingsFile+": "+p.say("unreadable_file"))
		p.sendPage(http.StatusConflict)
		return
	}
	plan := func(set []amend.Setting) ([]amend.File, error) {
		file, err := amend.Settings(p.Files, set)
		return []amend.File{file}, err
	}
	p.editFile("settings", &draft{path: input.SettingsFile, was: fields.NodeOf(tree, 0)}, plan, nil)
}

// editFile answers requests to a form for a YAML file with one object. plan returns the files that
// changed members write, and more writes additional fields.
func (p *page) editFile(name string, d *draft, plan func([]amend.Setting) ([]amend.File, error), more func()) {
	if err := p.setBase(d); err != nil {
		p.fail(http.StatusBadRequest, err)
		return
	}
	do := p.changeForm()
	shown, final, ok := p.mergeForm(d, do)
	if !ok {
		return
	}
	if do == "save" {
		set := fields.Difference(p.pageShape(), d.was, final, "", true)
		files, err := plan(set)
		switch {
		case len(set) == 0:
			p.showRefusal(p.say("no_change_text"))
		case err != nil:
			p.showRefusal(err.Error())
		default:
			words := p.recordEdits(d.was, final, amend.Change{Set: set})
			p.showProposal(&proposal{files: files, words: words, next: p.r.URL.EscapedPath() + "?saved"})
			return
		}
	}
	p.openPage(p.say(pick(name == "settings", name, name+"_title")))
	p.fillLine(quietForm, d.path)
	p.showSaved()
	p.fillLine(leadForm, p.say(name+"_lead"))
	p.writeSummary()
	p.startForm()
	p.writeHidden("@base", fields.Pack(d.base))
	p.writeFields(shown)
	if more != nil {
		more()
	}
	p.writeSubmit("save", p.say("save"))
	p.HTML(`</form>`)
	p.sendPage(http.StatusOK)
}

// changeForm changes the form if its button does that, and returns the action that remains.
func (p *page) changeForm() string {
	do := p.Get("do")
	if len(do) > 0 && do != "save" && do != "check" && do != "live" {
		p.Do(do, string(p.x.today()))
		return "check"
	}
	return do
}
