package edit

import (
	"errors"
	"net/http"
	"strings"

	"stele/internal/show/site/markup"
)

// publish shows what would be published, and publishes what was shown.
func (p *page) publish() {
	if p.Publish == nil {
		p.open(p.say("publish"))
		p.Fill(leadForm, markup.With("text", p.say("publish_nowhere")))
		p.Fill(preForm, markup.With("text", "publish:\n  folder: ../public\n"))
		p.end(http.StatusOK)
		return
	}
	agreed := p.Get("@shown")
	var shown string
	var out strings.Builder
	p.saving.Lock()
	err := p.Publish(p.r.Context(), &out, func(text string) bool {
		shown = text
		return p.r.Method == http.MethodPost && digest([]byte(text)) == agreed
	})
	p.saving.Unlock()
	if errors.Is(err, ErrNotAgreed) {
		err = nil
	}
	p.open(p.say("publish"))
	switch {
	case err != nil:
		p.Fill(refusedForm, markup.With("text", err.Error()))
	case shown != "" && digest([]byte(shown)) != agreed:
		if agreed != "" {
			p.Fill(noteForm, markup.With("text", p.say("publish_changed")))
		}
		p.Fill(leadForm, markup.With("text", p.say("publish_lead")))
	case shown != "":
		p.Fill(noteForm, markup.With("text", p.say("published")))
	}
	p.Fill(preForm, markup.With("text", out.String()))
	if err == nil && shown != "" && digest([]byte(shown)) != agreed {
		p.startForm()
		p.hidden("@shown", digest([]byte(shown)))
		p.Fill(buttonForm, markup.With("do", "publish"), markup.With("text", p.say("publish_now")))
		p.HTML(`</form>`)
	}
	p.end(http.StatusOK)
}

// ErrNotAgreed is what Publish returns where nobody agreed yet.
var ErrNotAgreed = errors.New("nothing was published")
