package standing

import (
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/record"
)

// Group is a group of the records that a record rests on. A record that loses all of a group is
// unsupported.
type Group uint8

// The groups. A record does not rest on references of NoGroup.
const (
	NoGroup Group = iota
	// Sources are a group only for records that rest on nothing else. A claim with evidence is
	// weakened, not unsupported, by the loss of its sources.
	Sources
	Evidence
	Opportunities
	Recommendations
	groups
)

// Bond describes the meaning of a reference from one record to another, in the graph and for the
// standing of the referring record.
type Bond struct {
	Member   string // path of the referring member; or AnyOther, or Edge
	Word     string // a word next to the reference, such as the role of a source link; "" for any
	Relation record.Relation
	// Backward means that the relation points from the other record to this one: evidence supports
	// a claim, although the claim names the evidence.
	Backward bool
	// Rests is the group that the other record belongs to. If the other is lost, this record is
	// weakened or unsupported.
	Rests Group
	// Changes is the standing of this record if the other changed after this record was verified,
	// or if the other is lost and this record does not rest on it; Stands for no effect.
	Changes Standing
}

// evidenceList is the path of references in a claim's list of evidence.
const evidenceList = "evidence.evidence_id"

// Placeholders for members in the table.
const (
	AnyOther = "*"    // any member that the table does not name
	Edge     = "edge" // an edge that a publisher wrote
)

// Bonds is the table of bonds. References that are not in it have no relation and no effect.
var Bonds = slices.Concat([]Bond{
	{}, // no bond
	{evidenceList, string(record.StanceSupports), record.RelationSupports, true, Evidence, SupportChanged},
	{evidenceList, string(record.StanceQualifies), record.RelationQualifies, true, NoGroup, SupportChanged},
	{evidenceList, string(record.StanceDisputes), record.RelationDisputes, true, NoGroup, SupportChanged},
	{evidenceList, string(record.StanceContext), "", false, NoGroup, Stands},
	{"source_links.source_id", string(record.RolePrimary), record.RelationDerivedFrom, false, Sources, SourceChanged},
	{"source_links.source_id", string(record.RoleSecondary), record.RelationCites, false, NoGroup, SourceChanged},
	{"source_links.source_id", string(record.RoleBackground), record.RelationCites, false, NoGroup, Stands},
	{"source_links.source_id", string(record.RoleDisputed), record.RelationDisputes, false, NoGroup, Stands},
	{"source_links.source_id", string(record.RoleSuperseded), record.RelationCites, false, NoGroup, Stands},
	{"source_links.source_id", string(record.RoleArchive), "", false, NoGroup, Stands},
	{"evidence_ids", "", record.RelationCites, false, Evidence, SupportChanged},
	{"statistic_ids", "", record.RelationCites, false, Evidence, SupportChanged},
	{"signal_ids", "", record.RelationCites, false, Evidence, SupportChanged},
	{"opportunity_ids", "", record.RelationRespondsTo, false, Opportunities, SupportChanged},
	{"options.recommendation_ids", "chosen", record.RelationRecommends, false, Recommendations, SupportChanged},
	{"replaced_by", "", record.RelationReplaces, true, NoGroup, Stands},
	{"options.recommendation_ids", "not chosen", record.RelationRecommends, false, NoGroup, SupportChanged},
}, relationBonds())

// relationBonds returns two bonds for each relation: one for members that the table does not name,
// which has no effect, and one for edges that a publisher wrote.
func relationBonds() (list []Bond) {
	for _, v := range schema.ListOf[record.Relation]() {
		relation := record.Relation(v.Word)
		written := Bond{Member: Edge, Relation: relation}
		switch relation {
		case record.RelationDerivedFrom:
			written.Rests, written.Changes = Sources, SupportChanged
		case record.RelationSupports:
			written.Backward, written.Rests, written.Changes = true, Evidence, SupportChanged
		case record.RelationQualifies, record.RelationDisputes:
			written.Backward, written.Changes = true, SupportChanged
		}
		list = append(list, Bond{Member: AnyOther, Relation: relation}, written)
	}
	return list
}

// IsListed reports whether the reference is in a claim's list of evidence, with any stance.
func (b *Bond) IsListed() bool { return b.Member == evidenceList }

// IsEvidence reports whether the other record is evidence that supports, qualifies or disputes this
// record.
func (b *Bond) IsEvidence() bool {
	switch b.Relation {
	case record.RelationSupports, record.RelationQualifies, record.RelationDisputes:
		return b.IsListed() || b.Member == Edge
	}
	return false
}

// BondNumber is the index of a bond in Bonds. The first has no effect.
type BondNumber uint8

// Bond returns the row of the table.
func (n BondNumber) Bond() *Bond { return &Bonds[n] }

// MemberBonds returns the bonds that a member may have, depending on the word next to it. If the
// word does not matter, there is only one.
func MemberBonds(r *schema.RefType) (list []BondNumber) {
	member := strings.Join(r.Path, ".")
	for i := range Bonds {
		if Bonds[i].Member == member {
			list = append(list, BondNumber(i))
		}
	}
	if list == nil { // it may still have a relation in the graph
		list = append(list, findBond(AnyOther, record.Relation(r.Relation)))
	}
	return list
}

// EdgeBond returns the bond of an edge that a publisher wrote.
func EdgeBond(relation record.Relation) BondNumber { return findBond(Edge, relation) }

func findBond(member string, relation record.Relation) BondNumber {
	i := slices.IndexFunc(Bonds, func(b Bond) bool { return b.Member == member && b.Relation == relation })
	return BondNumber(max(i, 0))
}
