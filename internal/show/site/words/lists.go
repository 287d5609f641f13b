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
	ChangeTypes     = schema.ShapeOf[record.ChangeType]()
	CorrectionTypes = schema.ShapeOf[record.CorrectionType]()
	DecisionLabels  = schema.ShapeOf[record.DecisionLabel]()
	Directions      = schema.ShapeOf[record.Direction]()
	EntityTypes     = schema.ShapeOf[record.EntityType]()
	EvidenceLabels  = schema.ShapeOf[record.EvidenceLabel]()
	EvidenceTypes   = schema.ShapeOf[record.EvidenceType]()
	ObsStatuses     = schema.ShapeOf[record.ObsStatus]()
	SignalTypes     = schema.ShapeOf[record.SignalType]()
	SourceRoles     = schema.ShapeOf[record.SourceRole]()
	Standings       = &schema.Shape{Go: reflect.TypeFor[standing.Standing](), List: standing.Words[:]}
	Strengths       = schema.ShapeOf[record.Strength]()
	UpdateTypes     = schema.ShapeOf[record.UpdateType]()
)

// Written is how a word of a closed list is written. Codes of one letter say nothing, so what they
// mean stands for them.
func Written(s *schema.Shape, word string) string {
	if text := written[ListName(s.Go)][word]; text != "" {
		return text
	}
	if len(word) == 1 {
		return Capital(Meaning(s.List, word))
	}
	return Phrase(word)
}

// ListName is the name of a closed list: evidence_label for record.EvidenceLabel.
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

// Meaning is what a word of a closed list means.
func Meaning(list []schema.Value, word string) string {
	for _, v := range list {
		if v.Word == word {
			return v.Doc
		}
	}
	return ""
}

// StandingWords are the standings, each as a word and as it is written.
func StandingWords() (list [][2]string) {
	for _, v := range Standings.List {
		list = append(list, [2]string{v.Word, Written(Standings, v.Word)})
	}
	return list
}

// Relations are those of the graph, in their order.
var Relations = schema.ListOf[record.Relation]()

// RelationOrder is the place of a relation among all, read from one of its ends: what a record says
// itself comes first. That of an unknown one is negative.
func RelationOrder(r record.Relation, out bool) int {
	i := slices.IndexFunc(Relations, func(v schema.Value) bool { return v.Word == string(r) })
	if !out {
		i += len(Relations)
	}
	return i
}
