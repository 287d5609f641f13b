package words

import (
	"reflect"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/trust/standing"
	"stele/record"
)

// The closed lists that pages show by name.
var (
	CertaintyFactors = schema.ShapeOf[record.CertaintyFactor]()
	ChangeTypes      = schema.ShapeOf[record.ChangeType]()
	CorrectionTypes  = schema.ShapeOf[record.CorrectionType]()
	DecisionLabels   = schema.ShapeOf[record.DecisionLabel]()
	Assessors        = schema.ShapeOf[record.Assessor]()
	Directions       = schema.ShapeOf[record.Direction]()
	Effects          = schema.ShapeOf[record.Effect]()
	EntityTypes      = schema.ShapeOf[record.EntityType]()
	EvidenceLabels   = schema.ShapeOf[record.EvidenceLabel]()
	EvidenceTypes    = schema.ShapeOf[record.EvidenceType]()
	Intervals        = schema.ShapeOf[record.Interval]()
	MeasureCodes     = schema.ShapeOf[record.MeasureCode]()
	ObsStatuses      = schema.ShapeOf[record.ObsStatus]()
	SignalTypes      = schema.ShapeOf[record.SignalType]()
	SourceRoles      = schema.ShapeOf[record.SourceRole]()
	Standings        = &schema.Shape{Go: reflect.TypeFor[standing.Standing](), List: standing.Words[:]}
	StartLabels      = schema.ShapeOf[record.StartLabel]()
	Strengths        = schema.ShapeOf[record.Strength]()
	UpdateTypes      = schema.ShapeOf[record.UpdateType]()
)

// Written returns the text that pages show for word, a value of a closed list. For codes of one
// letter, it is their meaning.
func (t *Set) Written(s *schema.Shape, word string) string {
	list := ListName(s.Go)
	if text := t.Lists[list][word][0]; text != "" {
		return text
	}
	if k := record.KindNamed(word); list == kindNames && k != nil {
		return Capital(t.Singular(k))
	}
	if len(word) == 1 {
		return Capital(t.Meaning(s, word))
	}
	return Phrase(word)
}

// kindNames is the name of the list of kinds.
const kindNames = "kind_name"

// Meaning returns the meaning of word, a value of a closed list.
func (t *Set) Meaning(s *schema.Shape, word string) string {
	list := ListName(s.Go)
	if text := t.Lists[list][word][1]; text != "" {
		return text
	}
	if kind := t.Kinds[word]; list == kindNames && kind.Doc != "" {
		return kind.Doc
	}
	for _, v := range s.List {
		if v.Word == word {
			return v.Doc
		}
	}
	return ""
}

// ListName returns the name of a closed list, such as evidence_label for record.EvidenceLabel.
func ListName(t reflect.Type) string {
	var b strings.Builder
	for i, r := range t.Name() {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// StandingWords returns the standings, each as a word and as pages show it.
func (t *Set) StandingWords() (list [][2]string) {
	for _, v := range Standings.List {
		list = append(list, [2]string{v.Word, t.Written(Standings, v.Word)})
	}
	return list
}

// Relations lists the relations of the graph, in order.
var Relations = schema.ListOf[record.Relation]()

// RelationOrder returns the position of r in lists of relations. Relations from the record itself,
// for which out is true, come first. An unknown one has a negative position.
func RelationOrder(r record.Relation, out bool) int {
	i := slices.IndexFunc(Relations, func(v schema.Value) bool { return v.Word == string(r) })
	if !out {
		i += len(Relations)
	}
	return i
}
