// Package lookup is what pages look up of a release: which record has an ID, what it is called,
// where it is shown, how it stands; and the indicators and areas of its statistics. It writes
// nothing.
package lookup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/latest"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// Index is what all pages look things up in.
type Index struct {
	Records    render.Records
	Span       Span         // of all statistics
	Indicators []*Indicator // in the order of their codes
	Places     []*Place     // in the order of their names
	byCode     map[string]*Indicator
	areas      map[string]render.Area // the places that statistics can call by their names, by their code
	byArea     map[string]*Place
	byEntity   map[string]*Place
	described  map[string]*Indicator // by the entity that describes it
}

// New finds the indicators and the places of a release.
func New(records render.Records) (*Index, error) {
	x := &Index{Records: records, byCode: map[string]*Indicator{}}
	err := x.gatherIndicators()
	if err == nil && len(x.Indicators) > 0 {
		x.areas, err = render.Areas(records)
	}
	if err != nil {
		return nil, err
	}
	return x, x.gatherPlaces()
}

// Reader looks things up for one goroutine. What cannot be read is taken for empty, and Failed says
// so in the end.
type Reader struct {
	*Index
	words  *words.Set
	source render.Reader
	parser record.Parser
	known  map[string]*Reference
	failed error
}

// NewReader returns one for a goroutine. Figures are written as in a language.
func (x *Index) NewReader(in *words.Set) *Reader {
	return &Reader{Index: x, words: in, source: x.Records.Reader()}
}

// Fail remembers the first error.
func (l *Reader) Fail(err error) {
	if l.failed == nil {
		l.failed = err
	}
}

// Failed returns the first error since it was last called.
func (l *Reader) Failed() error {
	err := l.failed
	l.failed = nil
	return err
}

// All yields what can be read of a list.
func All[T any](l *Reader, list iter.Seq2[T, error]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x, err := range list {
			if l.Fail(err); err != nil || !yield(x) {
				return
			}
		}
	}
}

// Raw is the JSON of record i of a kind, valid until the next one is read.
func (l *Reader) Raw(k *record.Kind, i int) []byte {
	data, err := l.source.Record(k, i)
	l.Fail(err)
	return data
}

// Parse reads a record.
func (l *Reader) Parse(k *record.Kind, data []byte) record.Record {
	rec, err := l.parser.Parse(k, data)
	if err != nil {
		l.Fail(err)
		return k.New()
	}
	return rec
}

// Read reads record i of a kind.
func (l *Reader) Read(k *record.Kind, i int) record.Record { return l.Parse(k, l.Raw(k, i)) }

// Statistic reads statistic i.
func (l *Reader) Statistic(i int) *record.HealthcareStatistic {
	return l.Read(record.KindNamed(record.KindHealthcareStatistic), i).(*record.HealthcareStatistic)
}

// Find reads the record that has an ID; nil if there is none of that type.
func Find[T record.Record](l *Reader, id record.ID) (typed T) {
	if k, i, ok := l.Records.Find(string(id)); ok {
		typed, _ = l.Read(k, i).(T)
	}
	return typed
}

// Address is where the record with an ID can be read; "" if nowhere.
func (l *Reader) Address(id string) string {
	k, i, ok := l.Records.Find(id)
	switch {
	case !ok:
		return ""
	case l.described[id] != nil:
		return l.described[id].Address()
	case k.HasPage():
		return layout.PageAddress(k.Folder(), id)
	case k.Name == record.KindHealthcareStatistic:
		return l.statisticAddress(k, i)
	}
	return layout.ListAddress(k.Folder(), 0)
}

// Title is what to call the record with an ID.
func (l *Reader) Title(id string) string { return cmp.Or(l.Records.Title(id), id) }

// Reference is what pages show of a record that they refer to.
type Reference struct {
	Title   string
	Address string // "" where the record cannot be read: it was removed
	Kind    *record.Kind
	Link    markup.Piece
	Detail  Detail
	Above   []string // the records that rest on it, once they were looked for
	Below   []string // the records on which it rests
}

// mostKnown is how many references a goroutine remembers. The same few records are referred to
// again and again, and looking one up costs more than writing the rest of a link.
const mostKnown = 4096

// Refer looks up the record that has an ID.
func (l *Reader) Refer(id string) *Reference {
	if r, ok := l.known[id]; ok {
		return r
	}
	if len(l.known) >= mostKnown || l.known == nil {
		l.known = make(map[string]*Reference, mostKnown)
	}
	r := &Reference{Title: l.Title(id), Address: l.Address(id)}
	r.Kind, _, _ = l.Records.Find(id)
	l.known[strings.Clone(id)] = r // the record's text must not be kept
	return r
}

// StandingOf is the standing of the record with an ID.
func (l *Reader) StandingOf(id string) standing.Standing {
	k, i, ok := l.Records.Find(id)
	if !ok || !k.HasNode() {
		return standing.Stands
	}
	return l.Records.Standing(k, i).Standing
}

// Detail is what a step says of a record beside its title.
type Detail struct {
	known    bool
	List     *schema.Shape // that the label is from
	Label    string
	Verified record.Date
	Value    string // of a statistic
	Unit     string // in words
}

// Detail finds the label and the date of verification of a record.
func (l *Reader) Detail(id string) *Detail {
	r := l.Refer(id)
	if r.Detail.known {
		return &r.Detail
	}
	r.Detail.known = true
	k, i, ok := l.Records.Find(id)
	if !ok {
		return &r.Detail
	}
	data := l.Raw(k, i)
	r.Detail.Verified = record.Date(TextOf(data, `"verification_date":"`))
	if k.Name == record.KindHealthcareStatistic {
		r.Detail.Value, r.Detail.Unit = l.valueOf(k, data)
		return &r.Detail
	}
	for _, of := range []struct {
		list   *schema.Shape
		member string
	}{{words.EvidenceLabels, `"evidence_label":"`}, {words.DecisionLabels, `"decision_label":"`}, {words.Strengths, `"strength":"`}} {
		if word := TextOf(data, of.member); word != "" {
			r.Detail.List, r.Detail.Label = of.list, word
			break
		}
	}
	return &r.Detail
}

// valueOf is the value of a statistic and its unit; "" where it has none.
func (l *Reader) valueOf(k *record.Kind, data []byte) (value, unit string) {
	st := l.Parse(k, data).(*record.HealthcareStatistic)
	switch { // the record's text must not be kept
	case st.Code != "":
		return strings.Clone(cmp.Or(l.byCode[st.Indicator].Measure.Codes.Get(st.Code), st.Code)), ""
	case st.Value == "" && st.Figure() == "":
		return "", ""
	case st.Value == "":
		return st.Figure(), strings.Clone(st.UnitLabel)
	}
	remark := l.words.Comma + l.words.Remark(latest.Value{Status: st.ObsStatus})
	return l.words.Figure(st.Value, st.Decimals), strings.Clone(strings.TrimSuffix(st.UnitLabel+remark, l.words.Comma))
}

// TextOf finds the value of a member that holds a word or a date in the JSON of a record.
// Within a text, the quotation marks of what it looks for would be escaped, so it cannot be found
// there; decoding the record would take many times as long.
func TextOf(data []byte, member string) string { return string(textIn(data, member)) }

func textIn(data []byte, member string) []byte {
	_, rest, _ := bytes.Cut(data, []byte(member))
	value, _, _ := bytes.Cut(rest, []byte{'"'})
	return value
}

// WholeTextOf finds the value of a member that holds any text in the JSON of a record.
func WholeTextOf(data []byte, member string) (text string) {
	_, rest, ok := bytes.Cut(data, []byte(member))
	if !ok || len(rest) == 0 || rest[0] != '"' {
		return ""
	}
	if err := json.Unmarshal(rest[:max(0, jsonline.TextEnd(rest))], &text); err != nil {
		return "" // it was encoded by this program
	}
	return text
}

// Published is how many records a kind's collection holds, derived ones too.
func (x *Index) Published(k *record.Kind) int {
	if is := x.Records.Release().Kind(k.Name); is != nil {
		return is.Count
	}
	return x.Records.Len(k)
}

// Name is what a record is called.
func Name(e *record.Envelope) string { return cmp.Or(e.Title, string(e.ID)) }
