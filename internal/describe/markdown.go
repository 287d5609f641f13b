package describe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"stele/internal/edition"
	"stele/record"
)

// A twin names at most so many links and events. A record of an indicator can have as many links as there are statistics.
const (
	mostLinks  = 50
	mostEvents = 50
)

// twinPath is the path of a record page's twin in Markdown.
func twinPath(k *record.Kind, id string) string { return k.Folder() + "/" + id + ".md" }

// writeTwins writes each record that has a page in Markdown too, for programs that read text. They do not name the release, so that the twin of a record that did not
// change stays as it is.
func (s *service) writeTwins(out edition.Output) error {
	footer := fmt.Sprintf("\n## Terms\n\n%s\n\nLicence: %s, unless the record names another. Publisher: %s.",
		paragraph(s.terms()), inline(s.settings.License), inline(s.settings.Publisher))
	for _, k := range record.Kinds {
		if !edition.HasPage(k) {
			continue
		}
		err := out.Each(s.Len(k), func(i int, b []byte) (string, []byte, error) {
			id := s.ID(k, i)
			data, err := s.Reader().Record(k, i)
			if err != nil {
				return "", nil, err
			}
			rec, err := parseObject(data)
			if err != nil {
				return "", nil, fmt.Errorf("%s: %w", id, err)
			}
			t := twin{service: s, kind: k, id: id, record: rec}
			t.write()
			t.line("%s", footer)
			return twinPath(k, id), append(b, t.Bytes()...), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// twin is a record on its way to Markdown. It follows the shape of the kind, and so knows every member of every kind.
type twin struct {
	*service
	kind   *record.Kind
	id     string
	record object
	bytes.Buffer
}

func (t *twin) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t *twin) write() {
	title, _ := unquote(t.record.get("title"))
	if title == "" {
		title = t.id
	}
	t.line("# %s\n", inline(title))
	if summary, ok := unquote(t.record.get("summary")); ok {
		t.line("%s\n", paragraph(summary))
	}
	t.line("%s %s, version %s.", capital(t.kind.One), code(t.id), asBytes(t.record.get("version")))
	if t.record.get("illustrative") != nil {
		t.line("It is an example and not a finding of the publisher's.")
	}
	if t.retracted() {
		t.line("**It was retracted: it no longer stands.**")
	}
	t.line("\n- page: <%s>\n- JSON: <%s>\n- schema: <%s>", t.at(t.kind.Folder()+"/"+t.id+"/"), t.at(t.jsonPath()), t.at(recordSchemaPath(t.kind)))
	above := []string{"title", "summary", "kind", "illustrative", t.kind.IDMember()}
	t.section("What it says", func(m *record.Member) bool { return !inEnvelope(m) && !preserved(m) && !slices.Contains(above, m.Name) })
	t.section("Keep this with every copy", preserved)
	t.section("More", func(m *record.Member) bool { return inEnvelope(m) && !preserved(m) && !slices.Contains(above, m.Name) })
	t.own()
	t.related()
	t.changes()
}

// jsonPath is where the record is as JSON: in a file of its own, or in the collection.
func (t *twin) jsonPath() string {
	if t.kind.Single.Path == "" {
		return t.kind.Collection.Path
	}
	return strings.Replace(t.kind.Single.Path, "{"+t.kind.IDMember()+"}", t.id, 1)
}

func (t *twin) retracted() bool {
	var e record.Envelope
	return json.Unmarshal(asBytes(t.record.get("corrections")), &e.Corrections) == nil && e.Retracted()
}

var envelope = record.EnvelopeShape().MemberNames()

// inEnvelope reports whether a member is one that every kind has.
func inEnvelope(m *record.Member) bool { return slices.Contains(envelope, m.Name) }

// preserved reports whether a member is one that consumers are expected to keep.
func preserved(m *record.Member) bool {
	switch m.Name {
	case "id", "version", "source_links", "verification_date", "claim_boundary", "source_updates", "corrections":
		return true
	}
	return m.Shape.Go == reflect.TypeFor[record.EvidenceLabel]() || m.Shape.Go == reflect.TypeFor[record.DecisionLabel]()
}

// section writes the members that are wanted and there.
func (t *twin) section(title string, wanted func(*record.Member) bool) {
	begun := false
	members := t.kind.Shape().Members
	for i := range members {
		m := &members[i]
		value := asBytes(t.record.get(m.Name))
		if value == nil || !wanted(m) {
			continue
		}
		if !begun {
			t.line("\n## %s\n", title)
			begun = true
		}
		t.member(m, value)
	}
}

// member writes a member: what is simple on its line, lists and objects with a line for each element.
func (t *twin) member(m *record.Member, value []byte) {
	name := strings.ReplaceAll(m.Name, "_", " ")
	switch {
	case m.Shape.Type == record.Array:
		list := parseArray(value)
		if len(list) == 0 {
			t.line("- %s: none", name)
			return
		}
		t.line("- %s:", name)
		for _, e := range list {
			t.line("  - %s", t.value(m, m.Shape.Elem, e))
		}
	case m.Shape.Type == record.Object && !m.Shape.Open:
		o, err := parseObject(value)
		if err != nil { // null
			t.line("- %s: none", name)
			return
		}
		t.line("- %s:", name)
		for _, inner := range m.Shape.Members {
			if v := asBytes(o.get(inner.Name)); v != nil {
				t.line("  - %s: %s", strings.ReplaceAll(inner.Name, "_", " "), t.value(&inner, inner.Shape, v))
			}
		}
	default:
		t.line("- %s: %s%s", name, t.value(m, m.Shape, value), meaning(m.Shape, value))
	}
}

// meaning is what a word of a closed list means.
func meaning(s *record.Shape, value []byte) string {
	word, _ := unquote(json.RawMessage(value))
	for _, v := range s.List {
		if v.Word == word && v.Doc != "" {
			return " (" + inline(strings.TrimSuffix(v.Doc, ".")) + ")"
		}
	}
	return ""
}

// value writes a value on one line.
func (t *twin) value(m *record.Member, s *record.Shape, value []byte) string {
	var parts []string
	switch {
	case s.Type == record.Array:
		for _, e := range parseArray(value) {
			parts = append(parts, t.value(m, s.Elem, e))
		}
		return strings.Join(parts, ", ")
	case s.Type == record.Object:
		o, err := parseObject(value)
		if err != nil {
			return "none"
		}
		for _, v := range o {
			inner := &record.Member{Name: v.name, Shape: &record.Shape{Type: record.String}} // of an object whose names are the author's own
			if i := slices.IndexFunc(s.Members, func(m record.Member) bool { return m.Name == v.name }); i >= 0 {
				inner = &s.Members[i]
			}
			parts = append(parts, inline(strings.ReplaceAll(v.name, "_", " "))+": "+t.value(inner, inner.Shape, asBytes(v.value)))
		}
		return strings.Join(parts, "; ")
	}
	text, ok := unquote(json.RawMessage(value))
	switch {
	case !ok: // a number, true or false
		return string(value)
	case m.Ref != nil:
		return t.reference(text)
	case s.Go == reflect.TypeFor[record.URL]():
		return "<" + text + ">"
	case s.Go == reflect.TypeFor[record.ID]():
		return code(text)
	}
	return inline(text)
}

// reference names a record by its ID, its title and, where it has a page, its twin.
func (t *twin) reference(id string) string {
	k, _, ok := t.Find(id)
	title := t.Title(id)
	switch {
	case !ok || title == "":
		return code(id)
	case edition.HasPage(k):
		return code(id) + " ([" + inline(title) + "](" + t.at(twinPath(k, id)) + "))"
	}
	return code(id) + " (" + inline(title) + ")"
}

// own writes the publisher's own members.
func (t *twin) own() {
	for _, m := range t.record {
		if strings.HasPrefix(m.name, "x_") {
			t.line("- %s: %s", code(m.name), code(string(asBytes(m.value))))
		}
	}
}

// related writes the links of the graph.
func (t *twin) related() {
	count := 0
	for l := range t.Links(t.id) {
		switch count++; {
		case count == 1:
			t.line("\n## Related records\n\n→ leads from this record to the other, ← from the other to this one.\n")
		case count > mostLinks:
			t.line("- and more, in <%s>", t.at(record.KindNamed("graph_edge").Collection.Path))
			return
		}
		arrow := "←"
		if l.Out {
			arrow = "→"
		}
		t.line("- %s %s %s", arrow, strings.ReplaceAll(string(l.Relation), "_", " "), t.reference(l.ID))
	}
}

// changes writes what happened to the record, the newest first.
func (t *twin) changes() {
	events := t.EventsOf(t.id)
	if len(events) == 0 {
		return
	}
	t.line("\n## Changes\n")
	for i, e := range slices.Backward(events) {
		if len(events)-i > mostEvents {
			t.line("- and more, in <%s>", t.at(changes().Collection.Path))
			return
		}
		t.line("- %s: %s", e.PublishedDate, inline(changeText(&e)))
	}
}

// inline writes a text so that nothing in it is taken for Markdown or HTML, on one line.
func inline(text string) string {
	b := make([]byte, 0, len(text)+16)
	for word := range strings.FieldsSeq(text) {
		if len(b) > 0 {
			b = append(b, ' ')
		}
		for i := range len(word) {
			if strings.IndexByte("\\`*_[]<>&|~", word[i]) >= 0 {
				b = append(b, '\\')
			}
			b = append(b, word[i])
		}
	}
	return string(b)
}

// paragraph does the same for a text that begins a line. Some marks mean something there; digits do only before a point or bracket.
func paragraph(text string) string {
	text = inline(text)
	rest := strings.TrimLeft(text, "0123456789")
	if rest == "" || strings.IndexByte("#+=.)-", rest[0]) < 0 {
		return text
	}
	return text[:len(text)-len(rest)] + "\\" + rest
}

// code writes a text in a fence of backticks that is longer than any in it.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}
