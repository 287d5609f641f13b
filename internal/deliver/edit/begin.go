package edit

import (
	"net/http"
	"strings"

	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/settings"
	"stele/internal/show/site/words"
)

// beginFolder answers requests to the form for a new folder.
func (e *Editor) beginFolder(w http.ResponseWriter, r *http.Request) {
	s := settings.Settings{Title: "Stele", Language: "en"}
	if r.URL.Query().Get("language") == "ar" || strings.HasPrefix(r.Header.Get("Accept-Language"), "ar") {
		s.Language = "ar"
	}
	p, err := e.newPage(w, r, &index{settings: s, words: words.For(&s)})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.URL.Path == Root+"style.css" {
		p.writeStyle()
		return
	}
	if r.Method == http.MethodPost {
		b := starter.Beginning{
			Title: p.Trimmed("title"), Publisher: p.Trimmed("publisher"), License: p.Trimmed("license"),
			Language: p.Trimmed("language"), Contact: p.Trimmed("contact"), Examples: p.Get("examples") == "yes",
			Address: p.Trimmed("address"),
		}
		if p.Get("unknown") == "yes" {
			b.Address = ""
		} else if b.Address == "" {
			p.askBeginning(p.say("begin_where"))
			return
		}
		if b.Title == "" || b.Publisher == "" || b.License == "" || b.Language == "" || b.Contact == "" {
			p.askBeginning(p.say("begin_all"))
			return
		}
		if problem := b.Problem(); problem != "" {
			p.askBeginning(problem)
			return
		}
		if err := starter.Begin(e.Dir, b); err != nil {
			p.fail(http.StatusConflict, err)
			return
		}
		p.w.Header().Set("Refresh", "2; url="+e.Prefix()+Root)
		p.openPage(p.say("begin_made"))
		p.fillLine(preForm, e.Dir)
		p.writeLink(Root, p.say("write"))
		p.sendPage(http.StatusOK)
		e.begin()
		return
	}
	p.askBeginning("")
}

func (p *page) askBeginning(refused string) {
	p.openPage(p.say("begin"))
	p.fillLine(leadForm, p.say("begin_lead", "dir", p.Dir))
	if refused != "" {
		p.fillLine(refusedForm, refused)
	}
	p.startForm()
	if p.Get("license") == "" {
		p.Set("license", "CC-BY-4.0")
	}
	if p.Get("language") == "" {
		p.Set("language", p.x.words.Tag)
	}
	for _, name := range []string{"title", "publisher", "contact", "license", "language"} {
		p.writeTextField(name, p.say("begin_"+name), false)
	}
	p.writeTextField("address", p.say("begin_address"), false)
	p.writeCheckbox("unknown", "yes", p.say("begin_unknown"))
	p.writeCheckbox("examples", "yes", p.say("begin_examples"))
	p.writeSubmit("save", p.say("begin_go"))
	p.HTML(`</form>`)
	p.sendPage(http.StatusOK)
}
