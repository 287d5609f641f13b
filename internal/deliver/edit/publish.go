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

// publication is what a run of Publish returned.
type publication struct {
	shown    string // what would change, in words
	rest     string // other words of the command
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

// runPublication builds what would be published, and publishes it if its words have the digest that
// was agreed to. What was published already is not published again.
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

// showPublication shows what the command shows, and asks what it asks.
func (p *page) showPublication(r publication, agreed string) {
	p.open(p.say("publish"))
	switch {
	case errors.Is(r.err, published.ErrErrors):
		p.line(refusedForm, p.say("publish_errors"))
	case r.err != nil:
		p.line(refusedForm, r.err.Error())
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
	if errors.Is(r.err, published.ErrErrors) {
		r.problems = slices.DeleteFunc(r.problems, func(q schema.Problem) bool { return q.Severity() != codes.Error })
	}
	if len(r.problems) > 0 {
		p.section(choose(errors.Is(r.err, published.ErrErrors), "findings", "warnings"), func() {
			p.listed(r.problems[:min(len(r.problems), maxFindings)])
		})
	}
	if rest := strings.TrimSpace(r.rest); rest != "" && !errors.Is(r.err, published.ErrErrors) {
		p.line(preForm, rest)
	}
	if errors.Is(r.err, published.ErrShrinks) {
		p.start()
		p.box("@allow", "shrink", p.say("allow_shrink"))
		p.button("check", p.say("publish_again"))
		p.HTML(`</form>`)
	}
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

// chooseDestination asks for the folder that releases go to, and proposes to write it into the
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
