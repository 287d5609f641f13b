package records

import (
	"reflect"
	"slices"

	"stele/internal/base/schema"
	"stele/internal/show/site/assets"
	"stele/internal/show/site/words"
	"stele/record"
)

// Plan describes how pages show the records of a kind. It is derived from the kind's shape, so that
// a new kind has pages as soon as it is declared.
type Plan struct {
	Kind      *record.Kind
	Class     string  // CSS class for its colour in pictures
	Statement *Field  // the main text: a claim, a finding, a question
	Labels    []Field // values of closed lists, shown as badges
	details   []Field // the other members of the kind
	related   []Field // the records that the special part shows
	special   special
}

// Field is a member of a record.
type Field struct {
	schema.Member
	Title string // its name on pages
}

// special writes a part of the page that only one kind has.
type special struct {
	members []string // members that it shows, which are not shown again
	write   func(*page, record.Record)
}

// specials contains the special parts of kinds. Other pages are derived from shapes alone.
var specials = map[string]special{
	record.KindSignal:          {[]string{"statistic_ids"}, (*page).writeCitedStatistics},
	record.KindEvidence:        {[]string{"effect", "label_basis", "comparison", "statistic_ids"}, (*page).writeEffect},
	record.KindProofClaim:      {[]string{"evidence", whatWouldChangeIt}, (*page).claimEvidence},
	record.KindOpportunity:     {[]string{"evidence_ids", "signal_ids"}, (*page).writeRelated},
	record.KindRecommendation:  {[]string{"evidence_ids", "opportunity_ids"}, (*page).writeRelated},
	record.KindPublicReference: {[]string{"illustrates"}, (*page).writeRelated},
	record.KindSourceObject:    {[]string{"source_license"}, nil},
	record.KindEntity:          {nil, (*page).writeEntity},
	record.KindDecisionView:    {[]string{"options", "chosen_option_id", "considerations"}, (*page).writeDecision},
}

// statements contains the member with the main text of kinds whose first required text it is not.
var statements = map[string]string{record.KindSourceObject: "citation_full", record.KindEntity: ""}

func newPlan(k *record.Kind, t *words.Set) *Plan {
	p := &Plan{Kind: k, Class: assets.KindClass(k.Name), special: specials[k.Name]}
	statement, named := statements[k.Name]
	shared := schema.ShapeOf[record.Envelope]().MemberNames()
	for _, m := range k.Shape().Members {
		f := Field{m, memberName(t, &m)}
		text := f.Required && f.Shape.Go.Kind() == reflect.String && f.Shape.List == nil && f.Shape.Format == nil &&
			f.Ref == nil
		if f.Ref != nil && slices.Contains(p.special.members, f.Name) {
			p.related = append(p.related, f)
		}
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
	slices.SortStableFunc(p.related, func(a, b Field) int {
		return slices.Index(p.special.members, a.Name) - slices.Index(p.special.members, b.Name)
	})
	return p
}

func (f *Field) of(rec record.Record) reflect.Value {
	return f.Field(reflect.ValueOf(rec).Elem())
}

// Word returns the text of the field in rec.
func (f *Field) Word(rec record.Record) string { return f.of(rec).String() }
