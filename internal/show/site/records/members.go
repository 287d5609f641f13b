package records

import (
	"reflect"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

var valuesForm = markup.Parse(`<ul>{items}{more}</ul>`)

// writeDetailList writes the non-empty fields of rec as a list of names and values.
func (p *page) writeDetailList(fields []Field, rec record.Record) {
	for i := range fields {
		f := &fields[i]
		if v := f.of(rec); !v.IsZero() {
			p.WriteEntry(f.Title, func() { p.writeValue(&f.Member, f.Shape, v) })
		}
	}
}

// memberName returns the name of m on pages, such as evidence for evidence_ids, because pages show
// records instead of IDs.
func memberName(t *words.Set, m *schema.Member) string {
	if m.Ref == nil {
		return t.Member(m.Name)
	}
	return t.Member(strings.TrimSuffix(strings.TrimSuffix(m.Name, "_ids"), "_id"))
}

func (p *page) writeValue(m *schema.Member, s *schema.Shape, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			p.Text(p.Words.None)
			return
		}
		v = v.Elem()
	}
	switch {
	case s.Open:
		p.writeTerms(m, v.Interface().(record.Terms))
	case s.Type == schema.Object:
		p.Fill(frame.PairsForm, markup.By("entries", func() { p.writeMembers(s, v) }))
	case s.Type == schema.Array:
		p.writeList(m, s, v)
	case s.Integer:
		p.Int(v.Int())
	case s.Type == schema.Bool:
		p.Text(map[bool]string{true: p.Words.Yes, false: p.Words.No}[v.Bool()])
	default:
		p.writeText(m, s, v.String())
	}
}

// writeText writes text according to its meaning: a reference, list value, URL, date, or plain
// text.
func (p *page) writeText(m *schema.Member, s *schema.Shape, text string) {
	switch {
	case m.Ref != nil:
		p.WriteLink(text)
	case s.List != nil:
		p.WriteBadge(s, text)
	case s.Go == reflect.TypeFor[record.URL]():
		p.WriteExternalLink(record.URL(text))
	case s.Go == reflect.TypeFor[record.Date]():
		p.WriteDate(record.Date(text))
	case s.Go == reflect.TypeFor[record.Number]():
		p.Text(p.Words.Figure(record.Number(text), nil))
	case s.Go == reflect.TypeFor[record.SHA256]():
		p.WriteCode(text)
	case s.Go.Kind() == reflect.String && s.Go.Name() != "string": // with a format that is the same in all languages
		p.Text(text)
	default:
		p.WritePublisherText(text)
	}
}

func (p *page) writeList(m *schema.Member, s *schema.Shape, v reflect.Value) {
	p.Fill(valuesForm,
		markup.By("items", func() {
			for i := range min(v.Len(), frame.Shown) {
				p.WriteItem(func() { p.writeValue(m, s.Elem, v.Index(i)) })
			}
		}),
		markup.By("more", func() {
			if more := v.Len() - frame.Shown; more > 0 {
				p.WriteItem(p.Cell(p.Words.Counted(p.Words.AndMore, more)))
			}
		}))
}

// writeTerms writes names with texts. Codes are written as in statistics, and identifier schemes in
// capitals: DOI, PMID, ISBN.
func (p *page) writeTerms(m *schema.Member, terms record.Terms) {
	p.Fill(frame.PairsForm, markup.Each("entries", terms[:min(len(terms), frame.Shown)], func(t record.Term) {
		name := t.Name
		switch m.Name {
		case "codes":
		case "identifiers":
			name = strings.ToUpper(name)
		default:
			name = words.Phrase(name)
		}
		p.WriteEntryBy(func() { p.WritePublisherText(name) }, func() { p.WritePublisherText(t.Text) })
	}))
}

// writeMembers writes the non-empty members of a struct.
func (p *page) writeMembers(s *schema.Shape, v reflect.Value) {
	for i := range s.Members {
		m := &s.Members[i]
		if f := m.Field(v); !f.IsZero() {
			p.WriteEntry(memberName(p.Words, m), func() { p.writeValue(m, m.Shape, f) })
		}
	}
}
