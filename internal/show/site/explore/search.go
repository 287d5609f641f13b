package explore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/records"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// mostSearched is the maximum number of records of a kind that a browser can search. If there are
// more, readers turn pages or use the listing.
const mostSearched = 200_000

// mostSummaries is the maximum number of rows in a list with summaries, which are most of the data.
const mostSummaries = 5000

// searchFile is the file that the table of a kind searches and filters. It contains a small row for
// each record. Rows are lists, not objects, because member names would be most of the data. The
// pages of the list use the same rows, so that each record is read once.
type searchFile struct {
	room   *Section
	plan   *records.Plan
	kind   *record.Kind
	name   string
	mu     sync.RWMutex
	rows   [][]byte        // by index; nil if there are too many
	days   []int32         // of the last change, such as 20261114; 0 if unknown
	used   map[string]bool // values of labels
	sort   sync.Once
	sorted []int // indexes in the order of the list; nil if that is the order of the records
}

func newSearchFile(s *Section, k *record.Kind) *searchFile {
	f := &searchFile{room: s, plan: s.records.Plan(k), kind: k, name: k.Folder() + ".json", used: map[string]bool{}}
	if n := s.Records.Len(k); n > 0 && n <= mostSearched {
		f.rows, f.days = make([][]byte, n), make([]int32, n)
	}
	return f
}

func (f *searchFile) isNeeded() bool { return f.rows != nil }

// listRow is a record in a list.
type listRow struct {
	id, title string
	address   string // "" for the record's own page
	summary   string
	updated   string
	verified  string
	version   int64
	standing  standing.Standing
	subjects  []string
	words     []string // of its labels
}

// newListRow returns the row of rec, which is record i of its kind.
func newListRow(l *lookup.Reader, plan *records.Plan, i int, rec record.Record) listRow {
	e := rec.Common()
	r := listRow{
		id: string(e.ID), title: rowTitle(l, rec), address: rowAddress(l, rec),
		summary: e.Summary, updated: string(e.UpdatedDate), verified: string(e.VerificationDate), version: e.Version,
		standing: l.Records.Standing(plan.Kind, i).Standing,
	}
	if l.Records.Len(plan.Kind) > mostSummaries {
		r.summary = ""
	}
	for _, s := range e.Subjects[:min(len(e.Subjects), frame.Shown)] {
		r.subjects = append(r.subjects, s.Scheme+" "+s.Code)
	}
	for i := range plan.Labels {
		r.words = append(r.words, plan.Labels[i].Word(rec))
	}
	return r
}

// rowColumns lists the first columns of a row. The URL is empty if it follows from the ID, the
// standing is an index, and the subjects are a list. The values of the labels follow.
var rowColumns = []string{"id", "title", "address", "summary", "updated", "verified", "version", "standing", "subjects"}

// add stores the row of record i.
func (f *searchFile) add(i int, r *listRow) {
	if !f.isNeeded() {
		return
	}
	b := make([]byte, 0, 64+len(r.id)*2+len(r.title)+len(r.address))
	b = markup.AppendJSON(append(b, '['), r.id)
	for _, text := range [...]string{r.title, r.address, r.summary, r.updated, r.verified} {
		b = markup.AppendJSON(append(b, ','), text)
	}
	b = strconv.AppendInt(append(b, ','), r.version, 10)
	b = append(strconv.AppendInt(append(b, ','), int64(r.standing), 10), ",["...)
	for j, s := range r.subjects {
		if j > 0 {
			b = append(b, ',')
		}
		b = markup.AppendJSON(b, s)
	}
	b = append(b, ']')
	for _, word := range r.words {
		b = markup.AppendJSON(append(b, ','), word)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows[i] = append(b, ']')
	day, _ := strconv.ParseInt(strings.ReplaceAll(r.updated, "-", ""), 10, 32)
	f.days[i] = int32(day)
	for _, word := range r.words {
		f.used[word] = true
	}
}

// makeRow creates and stores the row of record i.
func (f *searchFile) makeRow(p *page, i int) listRow {
	row := newListRow(p.Reader, f.plan, i, p.Read(f.kind, i))
	f.add(i, &row)
	return row
}

// row returns the row of record i, if it was added.
func (f *searchFile) row(i int) (r listRow, ok bool, err error) {
	if !f.isNeeded() {
		return r, false, nil
	}
	f.mu.RLock()
	data := f.rows[i]
	f.mu.RUnlock()
	if data == nil {
		return r, false, nil
	}
	labels := f.plan.Labels
	columns := []any{
		&r.id, &r.title, &r.address, &r.summary, &r.updated, &r.verified, &r.version, &r.standing, &r.subjects,
	}
	r.words = make([]string, len(labels))
	for i := range labels {
		columns = append(columns, &r.words[i])
	}
	err = json.Unmarshal(data, &columns)
	return r, true, err
}

// searchHead describes the rows.
type searchHead struct {
	Columns   []string      `json:"columns"` // of each row; the values of the labels follow
	Labels    []searchLabel `json:"labels"`
	Standings [][2]string   `json:"standings"` // each as a word and as it is written, the best first
}

// searchLabel is a closed list for filters. It contains the name of the member, the name of the
// list, and each used value with its text and meaning.
type searchLabel struct {
	Name  string      `json:"name"`
	List  string      `json:"list"`
	Words [][3]string `json:"words"`
}

func (f *searchFile) write() error {
	if !f.isNeeded() {
		return nil
	}
	return f.room.File(layout.SearchFolder+f.name, f.encode)
}

// makeRows creates the rows that no page has created.
func (f *searchFile) makeRows(p *page) {
	for i := range f.rows {
		f.mu.RLock()
		made := f.rows[i] != nil
		f.mu.RUnlock()
		if !made {
			f.makeRow(p, i)
		}
	}
}

// order returns the indexes of the records in the order of the list: the latest update first, then
// by title. It returns nil if the list is sorted by ID, as those of nodes and edges and of too many
// records are.
func (f *searchFile) order(p *page) []int {
	f.sort.Do(func() {
		if !f.isNeeded() || !f.kind.HasPage() {
			return
		}
		f.makeRows(p)
		f.mu.RLock()
		defer f.mu.RUnlock()
		for i := range f.rows {
			f.sorted = append(f.sorted, i)
		}
		title := func(i int) []byte {
			_, title, _ := bytes.Cut(f.rows[i], []byte(`",`)) // after the ID
			return title
		}
		slices.SortStableFunc(f.sorted, func(a, b int) int {
			return cmp.Or(cmp.Compare(f.days[b], f.days[a]), bytes.Compare(title(a), title(b)))
		})
	})
	return f.sorted
}

// encode returns the file.
func (f *searchFile) encode(p *page) []byte {
	f.makeRows(p)
	rows := f.rows
	if order := f.order(p); order != nil {
		rows = make([][]byte, len(order))
		for n, i := range order {
			rows[n] = f.rows[i]
		}
	}
	head := searchHead{Columns: rowColumns, Labels: []searchLabel{}, Standings: p.Words.StandingWords()}
	for _, l := range f.plan.Labels {
		head.Labels = append(head.Labels, newSearchLabel(p.Words, l.Title, l.Shape, f.used))
	}
	data := markup.Encode(head)
	data = append(data[:len(data)-1], ",\"rows\":[\n"...)
	data = append(data, bytes.Join(rows, []byte(",\n"))...)
	return append(data, "\n]}\n"...)
}

// newSearchLabel returns the values of s that are used, with their texts.
func newSearchLabel(t *words.Set, name string, s *schema.Shape, used map[string]bool) searchLabel {
	l := searchLabel{Name: name, List: words.ListName(s.Go), Words: [][3]string{}}
	for _, v := range s.List {
		if used[v.Word] {
			l.Words = append(l.Words, [3]string{v.Word, t.Written(s, v.Word), t.Meaning(s, v.Word)})
		}
	}
	return l
}
