package edit

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
)

// publish shows what would be published, and publishes what was shown.
func (p *page) publish() {
	if p.x.settings.Publish == nil {
		p.choosePlace()
		return
	}
	agreed, allow := p.Get("@shown"), strings.Join(p.Values["@allow"], ",")
	var shown string
	var out strings.Builder
	p.saving.Lock()
	err := p.Publish(p.r.Context(), &out, allow, func(text string) bool {
		shown = text
		return p.r.Method == http.MethodPost && digest([]byte(text)) == agreed
	})
	p.saving.Unlock()
	p.live.forget()
	if errors.Is(err, ErrNotAgreed) {
		err = nil
	}
	p.showPublication(out.String(), shown, agreed, err)
}

// showPublication shows what the command shows, and asks what it asks.
func (p *page) showPublication(out, shown, agreed string, err error) {
	isAgreed := shown != "" && digest([]byte(shown)) == agreed
	p.open(p.say("publish"))
	switch {
	case err != nil:
		p.line(refusedForm, err.Error())
	case isAgreed:
		p.line(noteForm, p.say("published")+" "+p.x.settings.Publish.Folder+p.x.settings.Publish.Bucket)
		p.Built(nil)
	case shown != "":
		if agreed != "" {
			p.line(noteForm, p.say("publish_changed"))
		}
		p.line(leadForm, p.say("publish_lead"))
	}
	if isAgreed {
		out = strings.Replace(out, shown, "", 1)
	}
	p.line(preForm, out)
	if errors.Is(err, ErrShrinks) {
		p.Fill(startForm)
		p.box("@allow", "shrink", p.say("allow_shrink"))
		p.button("check", p.say("publish_again"))
		p.HTML(`</form>`)
	}
	if err == nil && shown != "" && !isAgreed {
		p.Fill(startForm)
		p.hidden("@shown", digest([]byte(shown)))
		for _, word := range p.Values["@allow"] {
			p.hidden("@allow", word)
		}
		p.submit("publish", p.say("publish_now"))
		p.HTML(`</form>`)
	}
	p.end(http.StatusOK)
}

// choosePlace asks for the folder that releases go to, and writes it into the settings.
func (p *page) choosePlace() {
	folder := p.trimmed("folder")
	if folder != "" && p.r.Method == http.MethodPost {
		was, err := fs.ReadFile(p.Files, input.SettingsFile)
		if err == nil {
			line, _ := json.Marshal(folder)
			text := strings.TrimRight(string(was), "\n") + "\n\npublish:\n  folder: " + string(line) + "\n"
			err = amend.Write(p.Dir, []amend.File{{Path: input.SettingsFile, Old: was, New: []byte(text)}})
		}
		if err != nil {
			p.fail(http.StatusConflict, err)
			return
		}
		p.Built(nil)
		http.Redirect(p.w, p.r, Root+"publish", http.StatusSeeOther)
		return
	}
	p.Set("folder", "public")
	p.open(p.say("publish"))
	p.line(leadForm, p.say("publish_nowhere"))
	p.Fill(startForm)
	p.textField("folder", p.say("publish_folder"), false)
	p.submit("save", p.say("save"))
	p.HTML(`</form>`)
	p.end(http.StatusOK)
}

// What Publish returns where nobody agreed yet, and where a kind has far fewer records than before,
// which has to be allowed.
var (
	ErrNotAgreed = errors.New("nothing was published")
	ErrShrinks   = errors.New("nothing was published: a kind would have far fewer records than before")
)
