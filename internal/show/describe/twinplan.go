package describe

import (
	"reflect"
	"slices"

	"stele/internal/base/schema"
	"stele/internal/show/markdown"
	"stele/internal/show/site/words"
	"stele/record"
)

// twinPlan contains the data that the twins of a kind share. It is derived from the shape of the
// kind, so it covers every member.
type twinPlan struct {
	kind       *record.Kind
	one        string         // singular name, capitalized
	numbers    map[string]int // of members, by name
	sections   [3]twinSection
	page       string // URL of a record's page up to the ID
	schemaLine string
	footer     string
}

// twinSection is a part of a twin: some members under a heading.
type twinSection struct {
	title   string
	members []twinMember
}

type twinMember struct {
	*schema.Member
	number int
	name   string // in words
}

func (s *service) newTwinPlan(k *record.Kind) *twinPlan {
	members := k.Shape().Members
	p := &twinPlan{kind: k, one: words.Capital(k.One), numbers: map[string]int{}, page: s.urlOf(k.Folder() + "/")}
	p.schemaLine = "\n- schema: <" + s.urlOf(recordSchemaPath(k)) + ">\n"
	p.footer = "\n## Terms\n\n" + markdown.Paragraph(s.terms()) +
		"\n\nLicence: " + markdown.Inline(s.settings.License) + ", unless the record names another. Publisher: " + markdown.Inline(s.settings.Publisher) + ".\n"
	p.sections = [...]twinSection{{title: "What it says"}, {title: "Keep this with every copy"}, {title: "More"}}
	above := []string{"title", "summary", "kind", "illustrative", k.IDMember()}
	for i := range members {
		m := &members[i]
		p.numbers[m.Name] = i
		section := &p.sections[0]
		switch {
		case mustPreserve(m):
			section = &p.sections[1]
		case slices.Contains(above, m.Name):
			continue
		case slices.Contains(envelope, m.Name):
			section = &p.sections[2]
		}
		section.members = append(section.members, twinMember{m, i, string(markdown.AppendWords(nil, m.Name))})
	}
	return p
}

// envelope lists the members that every kind has.
var envelope = schema.ShapeOf[record.Envelope]().MemberNames()

// mustPreserve reports whether m must be preserved with every copy of a record.
func mustPreserve(m *schema.Member) bool {
	switch m.Name {
	case "id", "version", "source_links", "verification_date", "claim_boundary", "source_updates", "corrections",
		"label_basis":
		return true
	}
	return m.Shape.Go == reflect.TypeFor[record.EvidenceLabel]() ||
		m.Shape.Go == reflect.TypeFor[record.DecisionLabel]()
}

// newTwin returns a twin that one goroutine can use for many records, one after another.
func (s *service) newTwin(p *twinPlan) *twin {
	return &twin{
		service: s, plan: p, records: s.Reader(), parser: new(record.Parser),
		nodes: make([]int32, len(p.numbers)), known: map[string]string{},
	}
}
