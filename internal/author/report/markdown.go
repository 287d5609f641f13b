package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"stele/record"
	"stele/release"
)

// Limits of a comment. GitHub takes 65,536 characters; here bytes are counted.
const (
	mostMarkdown  = 60_000
	mostOfType    = 500 // changes that are kept of each type
	mostValue     = 240 // characters of a value
	mostFields    = 20  // members of a record
	mostUsers     = 8   // records that are named as resting on another
	mostStandings = 60
)

// MarkdownMark is the first line of a comment, by which a later one finds it.
const MarkdownMark = "<!-- stele diff -->"

// comment is what changed, for a pull request. Of many changes it keeps the first of each type.
type comment struct {
	changes map[record.ChangeType][]change
	counts  map[record.ChangeType]int
	users   map[string][]string // by ID: the records that rest on one that changed
	moved   []moved
	b       strings.Builder
	shown   int // changes
	full    bool
}

// moved is a record whose standing changes.
type moved struct{ id, was, is, why string }

// diffMarkdown writes a comment for a pull request. All that comes from records stands in code
// spans, in which no host makes links, mentions or markup of it.
func diffMarkdown(ctx context.Context, w io.Writer, old, now *release.Release) (differ bool, err error) {
	m := &comment{
		changes: map[record.ChangeType][]change{}, counts: map[record.ChangeType]int{}, users: map[string][]string{},
	}
	total := 0
	for c, err := range changes(ctx, old, now) {
		if err != nil {
			return false, err
		}
		total++
		if m.counts[c.Change]++; m.counts[c.Change] <= mostOfType {
			m.changes[c.Change] = append(m.changes[c.Change], c)
			m.users[c.ID] = nil
		}
	}
	if err := m.readUsers(old, now); err != nil {
		return false, err
	}
	if err := m.readStandings(old, now); err != nil {
		return false, err
	}
	m.b.WriteString(MarkdownMark + "\n")
	fmt.Fprintf(&m.b, "**%s** since release %s\n", Changes(m.counts), Span(old.Manifest.Release+" ("+old.Manifest.Date+")"))
	byGravity := func(a, b record.ChangeType) int { return a.Gravity() - b.Gravity() }
	types := slices.SortedFunc(maps.Keys(m.changes), byGravity)
	rest, _ := slices.BinarySearchFunc(types, record.ChangeCorrected, byGravity)
	m.writeChanges(types[:rest]) // what was lost or came back
	m.writeStandings()
	m.writeChanges(types[rest:])
	if left := total - m.shown; left > 0 {
		fmt.Fprintf(&m.b, "\n%s left out here, because a comment has a limit; `stele diff` lists all.\n", Count(left, "changed record"))
	}
	_, err = io.WriteString(w, m.b.String())
	return total > 0, err
}

// add adds the entry of a change, if there is room.
func (m *comment) add(entry string) {
	if m.full = m.full || m.b.Len()+len(entry) > mostMarkdown; !m.full {
		m.b.WriteString(entry)
		m.shown++
	}
}

func (m *comment) writeChanges(types []record.ChangeType) {
	for _, t := range types {
		for _, c := range m.changes[t] {
			m.add(m.entry(&c))
		}
	}
}

// entry is what is shown of a change.
func (m *comment) entry(c *change) string {
	var b strings.Builder
	head := fmt.Sprintf("%s %s %s %s", c.Change, words(c.Kind), Span(c.ID), versions(c))
	if c.Change == record.ChangeReverified {
		return "\n- " + head + "\n"
	}
	fmt.Fprintf(&b, "\n**%s**", head)
	if c.Title != "" {
		b.WriteString(" " + Span(cut(c.Title)))
	}
	b.WriteString("\n")
	fields := slices.DeleteFunc(slices.Clone(c.Fields), func(f field) bool { return f.Pointer == "/version" || f.Pointer == "/updated_date" })
	for _, f := range fields[:min(len(fields), mostFields)] {
		b.WriteString(fieldLine(&f))
	}
	if more := len(fields) - mostFields; more > 0 {
		fmt.Fprintf(&b, "- and %s more\n", Count(more, "member"))
	}
	if users := m.users[c.ID]; len(users) > 0 {
		b.WriteString("- used by ")
		for i, id := range users[:min(len(users), mostUsers)] {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(Span(id))
		}
		if more := len(users) - mostUsers; more > 0 {
			fmt.Fprintf(&b, " and %s more", thousands(more))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// fieldLine shows what a member was and is. Of a correction or source update it shows what it says.
func fieldLine(f *field) string {
	name := strings.TrimPrefix(f.Pointer, "/")
	if said, ok := f.New.(map[string]any); ok && f.Old == nil {
		typ, _ := said["type"].(string)
		if summary, ok := said["summary"].(string); ok {
			return fmt.Sprintf("- %s %s: %s\n", Span(name), Span(typ), Span(cut(summary)))
		}
	}
	label := ""
	if name == "evidence_label" || name == "decision_label" {
		label = "**label** "
	}
	was, is := "nothing", "nothing"
	old, now := apart(value(f.Old), value(f.New))
	if f.Old != nil {
		was = Span(old)
	}
	if f.New != nil {
		is = Span(now)
	}
	return fmt.Sprintf("- %s%s: %s → %s\n", label, Span(name), was, is)
}

// apart cuts two long values to where they differ.
func apart(a, b string) (string, string) {
	if utf8.RuneCountInString(a) <= mostValue && utf8.RuneCountInString(b) <= mostValue {
		return a, b
	}
	x, y := []rune(a), []rune(b)
	same := 0
	for same < len(x) && same < len(y) && x[same] == y[same] {
		same++
	}
	const before = 40
	if same > before {
		x, y = append([]rune("…"), x[same-before:]...), append([]rune("…"), y[same-before:]...)
	}
	return cut(string(x)), cut(string(y))
}

func cut(s string) string {
	if r := []rune(s); len(r) > mostValue {
		return string(r[:mostValue]) + "…"
	}
	return s
}

// Span writes a text as code, which no host of Markdown reads any further.
func Span(s string) string {
	s = Printable(s)
	fence, run := 1, 0
	for _, c := range s {
		if c != '`' {
			run = 0
			continue
		}
		if run++; run >= fence {
			fence = run + 1
		}
	}
	if s == "" || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) != s {
		s = " " + s + " "
	}
	marks := strings.Repeat("`", fence)
	return marks + s + marks
}

// readUsers finds which records refer to those that changed, by the graphs of the two releases.
func (m *comment) readUsers(old, now *release.Release) error {
	found := map[string]map[string]bool{}
	for _, r := range []*release.Release{old, now} {
		for line, err := range r.Records(record.KindGraphEdge) {
			var e struct {
				Source, Target string
				AssertedBy     string `json:"asserted_by"`
				Relation       record.Relation
			}
			if err == nil {
				err = json.Unmarshal(line, &e)
			}
			if err != nil {
				return err
			}
			switch e.Relation {
			case record.RelationAbout, record.RelationPartOf, record.RelationReplaces:
				continue
			}
			user := cmp.Or(e.AssertedBy, e.Source)
			for _, id := range []string{e.Source, e.Target} {
				if _, changed := m.users[id]; changed && id != user {
					if found[id] == nil {
						found[id] = map[string]bool{}
					}
					found[id][user] = true
				}
			}
		}
	}
	for id, users := range found {
		m.users[id] = slices.Sorted(maps.Keys(users))
	}
	return nil
}

// readStandings finds the records that stood otherwise before.
func (m *comment) readStandings(old, now *release.Release) error {
	was, is := map[string]release.Standing{}, map[string]release.Standing{}
	for r, list := range map[*release.Release]map[string]release.Standing{old: was, now: is} {
		for s, err := range r.Standings() {
			if err != nil {
				return err
			}
			list[s.ID] = s
		}
	}
	const stands = "stands"
	for id, s := range is {
		if before := cmp.Or(was[id].Standing, stands); before != s.Standing {
			path := strings.Join(append([]string{id}, s.Path...), " → ")
			m.moved = append(m.moved, moved{id, before, s.Standing, path + ": " + s.Cause + " " + s.Since})
		}
	}
	for id, s := range was {
		if _, still := is[id]; !still {
			m.moved = append(m.moved, moved{id: id, was: s.Standing, is: stands})
		}
	}
	slices.SortFunc(m.moved, func(a, b moved) int { return strings.Compare(a.id, b.id) })
	return nil
}

func (m *comment) writeStandings() {
	if len(m.moved) == 0 {
		return
	}
	m.b.WriteString("\n**standings that change**\n")
	for _, s := range m.moved[:min(len(m.moved), mostStandings)] {
		line := fmt.Sprintf("- %s: %s → **%s**", Span(s.id), words(s.was), words(s.is))
		if s.why != "" {
			line += " (" + Span(cut(s.why)) + ")"
		}
		if m.b.Len()+len(line) > mostMarkdown {
			break
		}
		m.b.WriteString(line + "\n")
	}
	if more := len(m.moved) - mostStandings; more > 0 {
		fmt.Fprintf(&m.b, "- and %s more\n", thousands(more))
	}
}

// words writes a standing, which is a word of a list, unless somebody else made the release.
func words(standing string) string {
	for _, c := range standing {
		if c != '_' && (c < 'a' || c > 'z') {
			return Span(standing)
		}
	}
	return strings.ReplaceAll(standing, "_", " ")
}
