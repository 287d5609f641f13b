package site

import (
	"bytes"
	"encoding/json"

	"stele/record"
)

// mostSearched is how many records of a kind a browser searches. Beyond that, a reader turns pages or takes the listing.
const mostSearched = 200_000

// searchFile is what the table of a kind searches and filters: a small row for each record. Rows are lists, not objects, because names would be most of them.
type searchFile struct {
	site  *site
	kind  *record.Kind
	name  string
	parts [][]byte // rows of each page, so that pages can be made at the same time
}

func newSearchFile(s *site, k *record.Kind, pages int) *searchFile {
	f := &searchFile{site: s, kind: k, name: k.Folder() + ".json"}
	if n := s.e.Len(k); n > 0 && n <= mostSearched {
		f.parts = make([][]byte, pages)
	}
	return f
}

func (f *searchFile) made() bool { return f.parts != nil }

// add adds a row: ID, title, address, updated date, version, whether it is retracted, the subjects, and the words of the labels.
func (f *searchFile) add(n int, p *page, plan *plan, rec record.Record) {
	if !f.made() {
		return
	}
	e := rec.Common()
	retracted := 0
	if e.Retracted() {
		retracted = 1
	}
	row := []any{e.ID, p.rowTitle(rec), p.rowAddress(plan.kind, rec), e.UpdatedDate, e.Version, retracted, subjects(e)}
	for i := range plan.labels {
		row = append(row, plan.labels[i].word(rec))
	}
	f.parts[n] = append(append(f.parts[n], ",\n"...), encode(row)...)
}

// subjects are what a record can be found by: codes with their schemes.
func subjects(e *record.Envelope) []string {
	list := make([]string, 0, len(e.Subjects))
	for _, s := range e.Subjects[:min(len(e.Subjects), shown)] {
		list = append(list, s.Scheme+" "+s.Code)
	}
	return list
}

// searchHead says what the rows hold.
type searchHead struct {
	Labels []searchLabel `json:"labels"`
}

// searchLabel is a closed list to filter by: the member's name, the list's name, and each word with how it is written and what it means.
type searchLabel struct {
	Name  string      `json:"name"`
	List  string      `json:"list"`
	Words [][3]string `json:"words"`
}

func (f *searchFile) put() error {
	if !f.made() {
		return nil
	}
	head := searchHead{Labels: []searchLabel{}}
	for _, l := range f.site.plans[f.kind].labels {
		head.Labels = append(head.Labels, newSearchLabel(memberName(&l.Member), l.Shape))
	}
	data := encode(head)
	data = append(data[:len(data)-1], `,"rows":[`...)
	data = append(data, bytes.TrimPrefix(bytes.Join(f.parts, nil), []byte{','})...)
	return f.site.out.Put("search/"+f.name, append(data, "\n]}\n"...))
}

func newSearchLabel(name string, s *record.Shape) searchLabel {
	l := searchLabel{Name: name, List: listName(s.Go)}
	for _, v := range s.List {
		l.Words = append(l.Words, [3]string{v.Word, wordOf(s, v.Word), v.Doc})
	}
	return l
}

// encode writes compact JSON.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("site: " + err.Error()) // texts and numbers can be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}
