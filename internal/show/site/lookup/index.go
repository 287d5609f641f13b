// Package lookup finds the data of a release that pages need: records by ID with their titles, URLs
// and standings, and the indicators and areas of its statistics. It writes nothing.
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

// Index is the index that all pages share.
type Index struct {
	Records    render.Records
	Span       Span         // of all statistics
	Indicators []*Indicator // sorted by code
	Places     []*Place     // sorted by name
	byCode     map[string]*Indicator
	areas      map[string]render.Area // the areas that statistics can refer to by name, by code
	byArea     map[string]*Place
	byEntity   map[string]*Place
	described  map[string]*Indicator // by the entity that describes them
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

// Reader looks up records, indicators and places for one goroutine. Unreadable data counts as
// empty, and Failed returns the error.
type Reader struct {
	*Index
	words  *words.Set
	source render.Reader
	parser record.Parser
	known  map[string]*Reference
	failed error
}

// NewReader returns a Reader for one goroutine. It formats figures in the language of in.
func (x *Index) NewReader(in *words.Set) *Reader {
	return &Reader{Index: x, words: in, source: x.Records.Reader()}
}

// Fail stores err for Failed, unless an earlier error is stored.
func (l *Reader) Fail(err error) {
	if l.failed == nil {
		l.failed = err
	}
}

// Failed returns the first error since the last call.
func (l *Reader) Failed() error {
	err := l.failed
	l.failed = nil
	return err
}

// All yields the elements of list until the first error, which it stores in l.
func All[T any](l *Reader, list iter.Seq2[T, error]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x, err := range list {
			if l.Fail(err); err != nil || !yield(x) {
				return
			}
		}
	}
}

// Raw returns the JSON of record i of k, valid until the next call.
func (l *Reader) Raw(k *record.Kind, i int) []byte {
	data, err := l.source.Record(k, i)
	l.Fail(err)
	return data
}

// Parse decodes data, a record of kind k.
func (l *Reader) Parse(k *record.Kind, data []byte) record.Record {
	rec, err := l.parser.Parse(k, data)
	if err != nil {
		l.Fail(err)
		return k.New()
	}
	return rec
}

func (l *Reader) Read(k *record.Kind, i int) record.Record { return l.Parse(k, l.Raw(k, i)) }

// Statistic returns statistic i.
func (l *Reader) Statistic(i int) *record.HealthcareStatistic {
	return l.Read(record.KindNamed(record.KindHealthcareStatistic), i).(*record.HealthcareStatistic)
}

// Find returns the record with the given ID, or nil if the release has no such record of type T.
func Find[T record.Record](l *Reader, id record.ID) (typed T) {
	if k, i, ok := l.Records.Find(string(id)); ok {
		typed, _ = l.Read(k, i).(T)
	}
	return typed
}

// Address returns the URL of the record with the given ID, or "".
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

// Title returns the title of the record with the given ID.
func (l *Reader) Title(id string) string { return cmp.Or(l.Records.Title(id), id) }

// Reference contains the data that pages show about a record to which they refer.
type Reference struct {
	Title   string
	Address string // "" if the record was removed
	Kind    *record.Kind
	Link    markup.Piece
	Detail  Detail
	Above   []string // the records that rest on it, once looked up
	Below   []string // the records that it rests on
}

// mostKnown is the maximum number of references that a goroutine caches. Many pages refer to the
// same few records, and a lookup takes longer than writing a link.
const mostKnown = 4096

// Refer returns the reference to the record with the given ID.
func (l *Reader) Refer(id string) *Reference {
	if r, ok := l.known[id]; ok {
		return r
	}
	if len(l.known) >= mostKnown || l.known == nil {
		l.known = make(map[string]*Reference, mostKnown)
	}
	r := &Reference{Title: l.Title(id), Address: l.Address(id)}
	r.Kind, _, _ = l.Records.Find(id)
	l.known[strings.Clone(id)] = r // must not refer to the record
	return r
}

// StandingOf returns the standing of the record with the given ID.
func (l *Reader) StandingOf(id string) standing.Standing {
	k, i, ok := l.Records.Find(id)
	if !ok || !k.HasNode() {
		return standing.Stands
	}
	return l.Records.Standing(k, i).Standing
}

// Detail is additional data about a record in a trace.
type Detail struct {
	known    bool
	List     *schema.Shape // of the label
	Label    string
	Verified record.Date
	Value    string // of a statistic
	Unit     string // in words
}

// Detail returns the label, the verification date and more about the record with the given ID.
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

// valueOf returns the value of a statistic and its unit, or "" if it has neither value nor bound.
func (l *Reader) valueOf(k *record.Kind, data []byte) (value, unit string) {
	st := l.Parse(k, data).(*record.HealthcareStatistic)
	switch { // the texts must not refer to the record
	case st.Code != "":
		return strings.Clone(cmp.Or(l.byCode[st.Indicator].Measure.Codes.Get(st.Code), st.Code)), ""
	case st.Value == "" && st.Figure() == "":
		return "", ""
	case st.Value == "":
		return st.Figure(), strings.Clone(st.UnitLabel)
	}
	value, remark := l.words.Brief(st.Value, st.Decimals), l.words.Remark(latest.Value{Status: st.ObsStatus})
	unit = strings.TrimSuffix(l.words.UnitOf(value, st.UnitLabel)+l.words.Comma+remark, l.words.Comma)
	return value, strings.Clone(unit)
}

// TextOf returns the value of the given member, a word or a date, in data, the JSON of a record.
// Quotation marks within texts are escaped, so member cannot match there. Decoding the record would
// take many times as long.
func TextOf(data []byte, member string) string { return string(textIn(data, member)) }

func textIn(data []byte, member string) []byte {
	_, rest, _ := bytes.Cut(data, []byte(member))
	value, _, _ := bytes.Cut(rest, []byte{'"'})
	return value
}

// WholeTextOf returns the value of the given member, any text, in data, the JSON of a record.
func WholeTextOf(data []byte, member string) (text string) {
	_, rest, ok := bytes.Cut(data, []byte(member))
	if !ok || len(rest) == 0 || rest[0] != '"' {
		return ""
	}
	if err := json.Unmarshal(rest[:max(0, jsonline.TextEnd(rest))], &text); err != nil {
		return "" // valid JSON written by this program
	}
	return text
}

// Published returns the number of records in a kind's collection, including derived ones.
func (x *Index) Published(k *record.Kind) int {
	if is := x.Records.Release().Kind(k.Name); is != nil {
		return is.Count
	}
	return x.Records.Len(k)
}

// Name returns the title of a record, or its ID if it has no title.
func Name(e *record.Envelope) string { return cmp.Or(e.Title, string(e.ID)) }
