package edit

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/base/clock"
	"stele/internal/base/schema"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/signin"
	"stele/internal/disk/store"
	"stele/internal/show/site/markup"
)

// proposal is a change that a page has shown. The button "Save it" sends its token, and exactly its
// files are written if the folder has not changed since.
type proposal struct {
	address string     // path of its form, below Root
	values  url.Values // its fields
	base    string     // the state of the folder from which it was made
	files   []amend.File
	words   []edit // the changes, in words
	lead    string
	worse   []schema.Problem // new errors that it would cause
	after   []schema.Problem // all problems in the folder after it is saved
	next    string           // the next page
	saved   bool
	token   string
}

// edit is a change of one member, in words.
type edit struct{ member, before, after string }

// newEdit returns a change from one text to another, either of which may be empty.
func (p *page) newEdit(member, before, after string) edit {
	return edit{member, cmp.Or(before, p.say("nothing")), cmp.Or(after, p.say("nothing"))}
}

// Limits for proposals that are not saved yet. The oldest are removed first.
const (
	maxProposals     = 32
	maxProposalBytes = 256 << 20
)

func (pr *proposal) size() (n int) {
	for _, f := range pr.files {
		n += len(f.Old) + len(f.New)
	}
	return n
}

// storeProposal stores a proposal under a random token.
func (e *Editor) storeProposal(pr *proposal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	pr.token = rand.Text()
	total := pr.size()
	for _, other := range e.proposals {
		total += other.size()
	}
	for len(e.proposals) > 0 && (len(e.proposals) >= maxProposals || total > maxProposalBytes) {
		total -= e.proposals[0].size()
		e.proposals = e.proposals[1:]
	}
	e.proposals = append(e.proposals, pr)
}

func (e *Editor) findProposal(token string) *proposal {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.IndexFunc(e.proposals, func(pr *proposal) bool { return pr.token == token }); i >= 0 {
		return e.proposals[i]
	}
	return nil
}

// showProposal shows a change in words, with the new errors that it would cause, and keeps it until
// it is saved.
func (p *page) showProposal(pr *proposal) {
	var err error
	if pr.worse, pr.after, err = p.findNewErrors(pr.files); err != nil {
		p.fail(http.StatusInternalServerError, err)
		return
	}
	pr.address, pr.values, pr.base = p.r.URL.RequestURI()[len(Root):], maps.Clone(p.Values), p.base
	pr.values.Del("@again")
	p.storeProposal(pr)
	p.openPage(p.say("is_this_right"))
	if p.Form.Has("@again") {
		p.fillLine(refusedForm, p.say("changed_meanwhile"))
	}
	if pr.lead != "" {
		p.fillLine(textForm, pr.lead)
	}
	p.writeEdits(pr.words)
	if len(pr.worse) > 0 {
		p.fillLine(leadForm, p.say("makes_wrong"))
		p.listProblems(pr.worse[:min(len(pr.worse), maxFindings)])
	}
	p.Fill(saveForm, with("token", pr.token), with("text", p.say(pick(len(pr.worse) > 0, "write_all_the_same", "write_it"))))
	p.Fill(backForm, with("address", Root+pr.address), by("fields", func() {
		signin.HideFields(&p.Writer, pr.values, "do")
	}))
	for _, f := range pr.files {
		p.Fill(shownForm, with("name", f.Path), with("diff", shorten(string(f.Diff()), maxDiff)))
	}
	p.sendPage(http.StatusOK)
}

const (
	maxFindings = 20      // findings on a proposal's page
	maxDiff     = 1 << 18 // bytes of changed lines in a file
)

func shorten(s string, most int) string {
	if len(s) > most {
		return s[:most] + " …"
	}
	return s
}

func pick[T any](is bool, yes, no T) T {
	if is {
		return yes
	}
	return no
}

var (
	saveForm    = markup.Parse(`<form method="post" class="record save" action="/.stele/edit/save"><input type="hidden" name="@proposal" value="{token}"><button name="do" value="write">{text}</button></form>`)
	backForm    = markup.Parse(`<form method="post" class="back" action="{address}">{fields}<button class="second" name="do" value="check">{=back}</button></form>`)
	changesForm = markup.Parse(`<div class="scroll" tabindex="0"><table class="changes"><thead><tr><th scope="col">{=member}</th>{?old}<th scope="col">{=before}</th>{/}<th scope="col">{=after}</th></tr></thead><tbody>{rows}</tbody></table></div>`)
	changeForm  = markup.Parse(`<tr><th scope="row">{member}</th>{?old}<td>{before}</td>{/}<td>{after}</td></tr>`)
)

// writeEdits shows edits as a table. For new records, it leaves out the column with the old text.
func (p *page) writeEdits(edits []edit) {
	if len(edits) == 0 {
		return
	}
	old := slices.ContainsFunc(edits, func(e edit) bool { return e.before != "" })
	p.Fill(changesForm, markup.ShowIf("old", old), markup.Each("rows", edits[:min(len(edits), maxEdits)], func(e edit) {
		p.Fill(changeForm, with("member", e.member), markup.ShowIf("old", old), with("before", e.before), with("after", e.after))
	}))
	if more := len(edits) - maxEdits; more > 0 {
		p.fillLine(quietForm, p.say("and_more", "n", strconv.Itoa(more)))
	}
}

const maxEdits = 500

// findNewErrors returns the errors that a change would cause anywhere in the folder, and all
// problems of the folder after it.
func (p *page) findNewErrors(files []amend.File) (list, after []schema.Problem, err error) {
	check := func(fsys fs.FS) ([]schema.Problem, error) {
		opt := compiler.Options{Date: p.x.today(), At: clock.Now(), PreviousUnknown: true}
		o, err := compiler.Check(p.r.Context(), fsys, store.NewMemory(), opt)
		if err != nil {
			return nil, err
		}
		return o.Check.Problems, nil
	}
	if after, err = check(amend.With(p.Files, files)); err != nil {
		return nil, nil, err
	}
	before := p.findings()
	if before == nil && slices.ContainsFunc(after, isError) { // no build has finished yet
		if before, err = check(p.Files); err != nil {
			return nil, nil, err
		}
	}
	known := map[[4]string]bool{}
	keyOf := func(q *schema.Problem) [4]string { return [4]string{string(q.Code), q.Record, q.Pointer, q.Message} }
	for i := range before {
		known[keyOf(&before[i])] = true
	}
	for i := range after {
		if isError(after[i]) && !known[keyOf(&after[i])] {
			list = append(list, after[i])
		}
	}
	return list, after, nil
}

// saveProposal writes the proposal that the form names. If the folder has changed since, it makes
// the proposal again from the current folder and shows it.
func (p *page) saveProposal() {
	p.saving.Lock()
	defer p.saving.Unlock()
	pr := p.findProposal(p.Get("@proposal"))
	switch {
	case pr == nil:
		p.fail(http.StatusConflict, errors.New(p.say("proposal_gone")))
		return
	case pr.saved:
		http.Redirect(p.w, p.r, pr.next, http.StatusSeeOther)
		return
	case input.FolderDigest(p.Files) != pr.base:
		p.proposeAgain(pr)
		return
	}
	switch err := p.writeFiles(pr.files); {
	case errors.Is(err, amend.ErrChanged):
		p.proposeAgain(pr)
		return
	case err != nil:
		p.fail(http.StatusInternalServerError, err)
		return
	}
	pr.saved = true
	p.known.AddWritten(pr.files, p.x.hasID)
	p.mu.Lock() // its size is counted
	pr.files, pr.values = nil, nil
	p.mu.Unlock()
	p.setFindings(pr.after)
	http.Redirect(p.w, p.r, pr.next, http.StatusSeeOther)
}

// proposeAgain repeats the request that made a proposal.
func (p *page) proposeAgain(pr *proposal) {
	p.setFindings(nil)
	again, err := http.NewRequestWithContext(p.r.Context(), http.MethodPost, Root+pr.address, nil)
	if err != nil {
		p.fail(http.StatusInternalServerError, err)
		return
	}
	again.Host, again.Header, again.PostForm = p.r.Host, p.r.Header.Clone(), maps.Clone(pr.values)
	again.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	again.PostForm.Set("do", "save")
	again.PostForm.Set("@again", "yes")
	p.mux.ServeHTTP(p.w, again)
}

// writeFiles writes files, and creates the folders of new ones.
func (p *page) writeFiles(files []amend.File) error {
	for _, f := range files {
		if f.Old == nil {
			if err := os.MkdirAll(filepath.Join(p.Dir, filepath.FromSlash(path.Dir(f.Path))), 0o755); err != nil {
				return err
			}
		}
	}
	return amend.Write(p.Dir, files)
}

// showSaved says that something was just saved.
func (p *page) showSaved() {
	if p.r.URL.Query().Has("saved") {
		p.Fill(savedForm, with("text", p.say("saved_text")))
	}
}

var savedForm = markup.Parse(`<p class="note" role="status" data-saved="yes">{text}</p>`)
