package edit

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/deliver/published"
)

// publication is the result of running Publish.
type publication struct {
	shown    string // the changes, in words
	rest     string // other text of the command
	problems []schema.Problem
	done     bool
	err      error
}

// publish shows what would be published, and publishes what was shown.
func (p *page) publish() {
	if p.x.settings.Publish == nil || p.Service == nil {
		p.chooseDestination()
		return
	}
	agreed := p.Get("@shown")
	result := p.runPublication(agreed)
	if result.done {
		p.known.Forget()
		p.known.Wait(p.known.Refresh(true), published.ReadWithin)
	}
	p.showPublication(result, agreed)
}

// runPublication shows what would be published, and publishes it if its text has the agreed digest.
// It does not publish the same thing twice.
func (p *page) runPublication(agreed string) (result publication) {
	p.saving.Lock()
	defer p.saving.Unlock()
	if agreed != "" && p.lastShown == agreed {
		return publication{done: true}
	}
	var out strings.Builder
	allow := strings.Join(p.Values["@allow"], ",")
	result.problems, result.err = p.Service.Publish(p.r.Context(), &out, allow, func(text string) bool {
		result.shown = text
		result.done = p.r.Method == http.MethodPost && digest([]byte(text)) == agreed
		return result.done
	})
	result.rest = strings.Replace(out.String(), result.shown, "", 1)
	if errors.Is(result.err, published.ErrNotAgreed) {
		result.err = nil
	}
	if result.done = result.done && result.err == nil; result.done {
		p.lastShown = agreed
	}
	return result
}

// showPublication shows the output of the command, and its question.
func (p *page) showPublication(r publication, agreed string) {
	p.open(p.say("publish"))
	switch {
	case errors.Is(r.err, published.ErrErrors):
		p.line(refusedForm, p.say("publish_errors"))
	case r.err != nil:
		p.line(refusedForm, p.inForms(r.err.Error()))
	case r.done:
		to := p.x.settings.Publish
		p.line(noteForm, p.say("published")+" "+to.Folder+" "+to.Bucket)
		p.link("/", p.say("as_read"))
	case r.shown != "":
		if agreed != "" {
			p.line(noteForm, p.say("publish_changed"))
		}
		p.line(leadForm, p.say("publish_lead"))
	}
	if !r.done && r.shown != "" {
		p.line(preForm, r.shown)
	}
	warnings := slices.DeleteFunc(slices.Clone(r.problems), isError)
	errs := slices.DeleteFunc(r.problems, func(q schema.Problem) bool { return !isError(q) })
	if errors.Is(r.err, published.ErrErrors) {
		warnings = nil // warnings can wait
	}
	p.problems("findings", errs)
	p.problems("warnings", warnings)
	if rest := strings.TrimSpace(r.rest); rest != "" && !errors.Is(r.err, published.ErrErrors) {
		p.line(preForm, rest)
	}
	p.allowances(r.err, errs)
	if r.err == nil && r.shown != "" && !r.done {
		p.start()
		p.hidden("@shown", digest([]byte(r.shown)))
		for _, word := range p.Values["@allow"] {
			p.hidden("@allow", word)
		}
		p.submit("publish", p.say("publish_now"))
		p.HTML(`</form>`)
	}
	p.end(http.StatusOK)
}

// problems lists findings below a heading, up to a maximum.
func (p *page) problems(head string, list []schema.Problem) {
	if len(list) > 0 {
		p.section(head, func() { p.listed(list[:min(len(list), maxFindings)]) })
	}
}

func isError(q schema.Problem) bool { return q.Severity() == codes.Error }

// allowances offers the permissions that a message asks for with a flag.
func (p *page) allowances(err error, problems []schema.Problem) {
	text := ""
	switch {
	case errors.Is(err, published.ErrShrinks):
		text = "--allow shrink"
	case err != nil:
		text = err.Error()
	}
	for i := range problems {
		text += problems[i].Fix
	}
	isOffered := func(a allowance) bool { return strings.Contains(text, a.said) }
	if err == nil || !slices.ContainsFunc(allowed, isOffered) {
		return
	}
	p.start()
	for _, a := range allowed {
		if isOffered(a) || slices.Contains(p.Values["@allow"], a.word) {
			p.box("@allow", a.word, p.say("allow_"+a.word))
		}
	}
	p.button("check", p.say("publish_again"))
	p.HTML(`</form>`)
}

// allowance is a permission, and the text of a message that asks for it.
type allowance struct{ word, said string }

var allowed = []allowance{
	{"shrink", "--allow shrink"},
	{"license", "--allow license"},
	{"move", "--allow move"},
	{"unsigned", "--allow unsigned"},
	{"forget", "given up on purpose, remove"},
}

// chooseDestination asks for the folder of the releases, and proposes to write it into the
// settings.
func (p *page) chooseDestination() {
	if folder := p.Trimmed("folder"); folder != "" && p.Get("do") == "save" {
		file, err := amend.Settings(p.Files, []amend.Setting{{Path: "publish.folder", Value: folder}})
		if err == nil {
			p.propose(&proposal{
				files: []amend.File{file}, words: []edit{{p.say("publish_folder"), p.say("nothing"), folder}}, next: Root + "publish",
			})
			return
		}
		p.refused(err.Error())
	}
	if p.Get("folder") == "" {
		p.Set("folder", "public")
	}
	p.open(p.say("publish"))
	p.summary()
	p.line(leadForm, p.say("publish_nowhere"))
	p.start()
	p.textField("folder", p.say("publish_folder"), false)
	p.submit("save", p.say("save"))
	p.HTML(`</form>`)
	p.end(http.StatusOK)
}
