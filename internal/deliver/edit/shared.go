package edit

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/deliver/fields"
	"stele/internal/deliver/published"
)

// answerShared answers requests to the form for the members that the rows of a table share, which
// are in the defaults file of its folder.
func (p *page) answerShared() {
	t, err := p.readTable()
	if err != nil {
		p.failKeeping(http.StatusNotFound, err)
		return
	}
	p.kind, p.columns = t.kind, t.columns
	dir := path.Dir(t.path)
	d := &draft{path: path.Join(dir, input.DefaultsFile)}
	data, err := fs.ReadFile(p.Files, d.path)
	if err == nil {
		tree, problem := input.ParseSettings(data)
		if problem != nil || tree == nil {
			err = errors.New(d.path + ": " + p.say("unreadable_file"))
		} else {
			d.was = fields.NodeOf(tree, 0)
		}
	}
	if err != nil {
		p.fail(http.StatusConflict, err)
		return
	}
	plan := func(set []amend.Setting) ([]amend.File, error) { return p.planShared(dir, set) }
	p.editFile("shared", d, plan, func() {
		if p.showGridState(t) {
			p.writeReasonFields()
			p.writeTextField("@by", p.say("verified_by"), false)
		}
	})
}

// sharedText contains the texts of some members of a record.
type sharedText struct{ id, file, text string }

// sharedTexts returns the texts of some members of the records below a folder, by ID.
func sharedTexts(files fs.FS, dir string, members []string) map[string]sharedText {
	all := map[string]sharedText{}
	for r := range input.Read(input.Batches(files, nil), 0, func() func(input.Item) sharedText {
		return func(i input.Item) (s sharedText) {
			if i.Tree == nil || i.Tree.Nodes[0].Type != schema.Object || !strings.HasPrefix(i.Own.Files[0], dir+"/") {
				return s
			}
			n := fields.NodeOf(i.Tree, 0)
			s.id, s.file = strings.Clone(n.Find("id").Shown()), i.Own.Files[0]
			for _, name := range members {
				if m := n.Find(name); m != nil {
					s.text += string(m.AppendJSON(nil, nil))
				}
				s.text += "\n"
			}
			return s
		}
	}) {
		if r.id != "" {
			all[r.id] = r
		}
	}
	return all
}

// planShared plans to change the shared members of the records in folder dir. Published records
// that change get a new version with the reason.
func (p *page) planShared(dir string, set []amend.Setting) ([]amend.File, error) {
	file, err := amend.Shared(p.Files, dir, p.kind, set)
	if err != nil || len(set) == 0 {
		return nil, err
	}
	change := amend.Change{Date: p.x.today(), Published: p.lookUp(), By: p.Trimmed("@by")}
	for _, s := range set {
		if top := schema.TopMember(s.Path); !slices.Contains(change.Fields, top) {
			change.Fields = append(change.Fields, top)
		}
	}
	with := amend.With(p.Files, []amend.File{file})
	before := sharedTexts(p.Files, dir, change.Fields)
	public := map[string][]string{}
	for id, now := range sharedTexts(with, dir, change.Fields) {
		r := p.x.byID[id]
		if r == nil || before[id].text == now.text {
			continue
		}
		switch status, _ := p.publishedStatus(r); {
		case status == published.Locked:
			return nil, errors.New(id + ": " + p.say("is_locked"))
		case status == published.Published, status == published.Unknown && p.Get("@why") != "":
			public[now.file] = append(public[now.file], id)
		}
	}
	files := []amend.File{file}
	if len(public) == 0 {
		return files, nil
	}
	if change.Correction, change.Update, err = p.readReason(change.Date); err != nil {
		return nil, err
	}
	if change.Correction == nil && change.Update == nil {
		return nil, errors.New(p.say("grid_why"))
	}
	for _, at := range slices.Sorted(maps.Keys(public)) {
		changed, err := amend.PlanRecords(with, at, change, public[at]...)
		if err != nil {
			return nil, err
		}
		files = append(files, changed...)
	}
	return files, nil
}
