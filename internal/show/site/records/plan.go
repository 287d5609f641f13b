package records

import (
	"reflect"
	"slices"

	"stele/internal/base/schema"
	"stele/internal/show/site/assets"
	"stele/internal/show/site/words"
	"stele/record"
)

// Plan is how the records of a kind are shown. It follows from the kind's shape, so that a new kind
// has pages as soon as it is declared.
type Plan struct {
	Kind      *record.Kind
	Class     string  // that gives it its colour in pictures
	Statement *Field  // the text that the record is there for: a claim, a finding, a question
	Labels    []Field // words from closed lists, shown as badges with what they mean
	details   []Field // everything else that the kind has of its own
	special   special
}

// Field is a member of a record.
type Field struct {
	schema.Member
	Title string // what a page calls it
}

// special is a part of a page that a kind has for itself.
type special struct {
	members []string // which it shows, so that nothing else does
	write   func(*page, record.Record)
}

// specials are the kinds whose pages have a part of their own. All others are shown by their shape
// alone.
var specials = map[string]special{
	record.KindSignal:       {[]string{"statistic_ids"}, (*page).cited},
	record.KindEvidence:     {[]string{"effect", "label_basis", "comparison", "statistic_ids"}, (*page).effect},
	record.KindProofClaim:   {[]string{"evidence"}, (*page).claimEvidence},
	record.KindSourceObject: {[]string{"source_license"}, nil},
	record.KindEntity:       {nil, (*page).entity},
	record.KindDecisionView: {[]string{"options", "chosen_option_id", "considerations"}, (*page).decision},
}

// statements name the members that hold what a record is there for, where that is not the first
// required text.
var statements = map[string]string{record.KindSourceObject: "citation_full", record.KindEntity: ""}

func newPlan(k *record.Kind, t *words.Set) *Plan {
	p := &Plan{Kind: k, Class: assets.KindClass(k.Name), special: specials[k.Name]}
	statement, named := statements[k.Name]
	shared := schema.ShapeOf[record.Envelope]().MemberNames()
	for _, m := range k.Shape().Members {
		f := Field{m, memberName(t, &m)}
		text := f.Required && f.Shape.Go.Kind() == reflect.String && f.Shape.List == nil && f.Shape.Format == nil &&
			f.Ref == nil
		switch {
		case slices.Contains(shared, f.Name), slices.Contains(p.special.members, f.Name), f.Name == k.IDMember():
		case f.Shape.List != nil:
			p.Labels = append(p.Labels, f)
		case p.Statement == nil && (named && f.Name == statement || !named && text):
			p.Statement = &f
		default:
			p.details = append(p.details, f)
		}
	}
	return p
}

// of is the field's value in a record.
func (f *Field) of(rec record.Record) reflect.Value {
	return f.Field(reflect.ValueOf(rec).Elem())
}

// Word is the value of a field that holds a text.
func (f *Field) Word(rec record.Record) string { return f.of(rec).String() }
