package edit

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/clock"
	"stele/internal/base/schema"
	"stele/internal/base/sheet/areas"
	"stele/internal/show/site/words"
	"stele/record"
)

// entry is the index entry of a record.
type entry struct {
	id, title string
	folded    string // title and ID in a form for searching
	file      string
	kind      *record.Kind
	version   int64
	retracted bool
	hold      record.Hold
}

// index is the list of a folder's records for the forms.
type index struct {
	settings settings.Settings
	areas    []*areas.Scheme
	words    *words.Set
	byID     map[string]*entry
	list     []*entry // sorted by kind and title
}

// currentIndex returns the index of the folder as it is now. It builds a new one after a change.
func (e *Editor) currentIndex() (*index, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.index != nil {
		return e.index, nil
	}
	s, _, err := input.ReadSettings(e.Files)
	if err != nil {
		return nil, err
	}
	x := &index{settings: s, words: words.For(&s), byID: map[string]*entry{}}
	x.areas, _ = input.ReadAreas(e.Files, s.Areas, io.Discard) // the findings show their problems
	for r := range input.Read(input.Batches(e.Files, nil), 0, func() func(input.Item) *entry {
		var p record.Parser
		return func(i input.Item) *entry { return newEntry(&p, i) }
	}) {
		if r != nil && x.byID[r.id] == nil {
			x.byID[r.id] = r
			x.list = append(x.list, r)
		}
	}
	slices.SortStableFunc(x.list, func(a, b *entry) int {
		kinds := slices.Index(record.Kinds, a.kind) - slices.Index(record.Kinds, b.kind)
		return cmp.Or(kinds, cmp.Compare(a.title, b.title), cmp.Compare(a.id, b.id))
	})
	e.index = x
	return x, nil
}

func newEntry(p *record.Parser, i input.Item) *entry {
	if i.Tree == nil || i.Tree.Nodes[0].Type != schema.Object {
		return nil
	}
	member := func(name string) string {
		if at := i.Tree.Find(0, name); at >= 0 {
			return strings.Clone(i.Tree.Nodes[at].Text)
		}
		return ""
	}
	r := &entry{id: member("id"), kind: i.Kind, file: i.Own.Files[0]}
	if r.id == "" {
		return nil
	}
	r.version, _ = strconv.ParseInt(member("version"), 10, 64) // unknown kinds come last
	r.title = cmp.Or(member("title"), member("name"), r.id)
	r.folded = strings.ToLower(r.title + " " + r.id)
	if i.Kind.HasPage() {
		rec, _, _ := p.Decode(i.Kind, i.Tree)
		r.retracted, r.hold = rec.Common().Retracted(), p.Hold
		r.hold.NotBefore = record.Moment(strings.Clone(string(r.hold.NotBefore)))
	}
	return r
}

// today returns the current day in the publisher's time zone.
func (x *index) today() record.Date {
	return record.Date(clock.Now().In(x.settings.Zone()).Format(time.DateOnly))
}

// isHeldBack reports whether a release built now would leave out record r.
func (x *index) isHeldBack(r *entry) bool {
	due := settings.Due{At: clock.Now(), Zone: x.settings.Zone()}
	return due.IsHeld(r.hold, x.today())
}

// search returns the records of some kinds (separated by commas, or "" for all) that contain all
// words of the query. They are sorted by the position of the first word.
func (x *index) search(query, kinds string, most int) (found []*entry) {
	list, of := strings.Fields(strings.ToLower(query)), strings.Split(kinds, ",")
	for _, r := range x.list {
		if kinds != "" && !slices.Contains(of, r.kind.Name) ||
			slices.ContainsFunc(list, func(word string) bool { return !strings.Contains(r.folded, word) }) {
			continue
		}
		found = append(found, r)
	}
	slices.SortStableFunc(found, func(a, b *entry) int {
		if len(list) == 0 {
			return 0
		}
		return cmp.Compare(strings.Index(a.folded, list[0]), strings.Index(b.folded, list[0]))
	})
	return found[:min(len(found), most)]
}

// hasID reports whether a record with the ID exists.
func (x *index) hasID(id string) bool { return x.byID[id] != nil }
