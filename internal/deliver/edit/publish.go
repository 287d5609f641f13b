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

// answerPublish shows the changes that would be published, and publishes those that were shown.
func (p *page) answerPublish() {
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

// runPublication shows the changes that would be published. It publishes them if the text shown has
// the agreed digest. It does not publish the same changes twice.
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
	p.openPage(p.say("publish"))
	switch {
	case errors.Is(r.err, published.ErrErrors):
		p.fillLine(refusedForm, p.say("publish_errors"))
	case r.err != nil:
		p.fillLine(refusedForm, p.rewordForForms(r.err.Error()))
	case r.done:
		to := p.x.settings.Publish
		p.fillLine(noteForm, p.say("published")+" "+to.Folder+" "+to.Bucket)
		p.writeLink("/", p.say("as_read"))
	case r.shown != "":
		if agreed != "" {
			p.fillLine(noteForm, p.say("publish_changed"))
		}
		p.fillLine(leadForm, p.say("publish_lead"))
	}
	if !r.done && r.shown != "" {
		p.fillLine(preForm, r.shown)
	}
	warnings := slices.DeleteFunc(slices.Clone(r.problems), isError)
	errs := slices.DeleteFunc(r.problems, func(q schema.Problem) bool { return !isError(q) })
	if errors.Is(r.err, published.ErrErrors) {
		warnings = nil // warnings can wait
	}
	p.listFindings("findings", errs)
	p.listFindings("warnings", warnings)
	if rest := strings.TrimSpace(r.rest); rest != "" && !errors.Is(r.err, published.ErrErrors) {
		p.fillLine(preForm, rest)
	}
	p.offerAllowances(r.err, errs)
	if r.err == nil && r.shown != "" && !r.done {
		p.startForm()
		p.writeHidden("@shown", digest([]byte(r.shown)))
		for _, word := range p.Values["@allow"] {
			p.writeHidden("@allow", word)
		}
		p.writeSubmit("publish", p.say("publish_now"))
		p.HTML(`</form>`)
	}
	p.sendPage(http.StatusOK)
}

// listFindings lists findings below a heading, up to a maximum.
func (p *page) listFindings(head string, list []schema.Problem) {
	if len(list) > 0 {
		p.writeSection(head, func() { p.listProblems(list[:min(len(list), maxFindings)]) })
	}
}

func isError(q schema.Problem) bool { return q.Severity() == codes.Error }

// offerAllowances offers the permissions that a message names as flags.
func (p *page) offerAllowances(err error, problems []schema.Problem) {
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
	isOffered := func(word string) bool { return strings.Contains(text, "--allow "+word) }
	if err == nil || !slices.ContainsFunc(allowed, isOffered) {
		return
	}
	p.startForm()
	for _, word := range allowed {
		if isOffered(word) || slices.Contains(p.Values["@allow"], word) {
			p.writeCheckbox("@allow", word, p.say("allow_"+word))
		}
	}
	p.writeButton("check", p.say("publish_again"))
	p.HTML(`</form>`)
}

// allowed are the words of the flag --allow that the page offers.
var allowed = []string{"shrink", "license", "move", "unsigned", "forget"}

// chooseDestination asks for the folder of the releases, and proposes to write it into the
// settings.
func (p *page) chooseDestination() {
	if folder := p.Trimmed("folder"); folder != "" && p.Get("do") == "save" {
		file, err := amend.Settings(p.Files, []amend.Setting{{Path: "publish.folder", Value: folder}})
		if err == nil {
			p.showProposal(&proposal{
				files: []amend.File{file}, words: []edit{{p.say("publish_folder"), p.say("nothing"), folder}}, next: Root + "publish",
			})
			return
		}
		p.showRefusal(err.Error())
	}
	if p.Get("folder") == "" {
		p.Set("folder", "public")
	}
	p.openPage(p.say("publish"))
	p.writeSummary()
	p.fillLine(leadForm, p.say("publish_nowhere"))
	p.startForm()
	p.writeTextField("folder", p.say("publish_folder"), false)
	p.writeSubmit("save", p.say("save"))
	p.HTML(`</form>`)
	p.sendPage(http.StatusOK)
}
