package standing

import (
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/record"
)

// Group is a part of what a record rests on. Whoever has lost all of a group is unsupported.
type Group uint8

// The groups. A record of no group does not rest on what it refers to.
const (
	NoGroup Group = iota
	// Sources count as a group only where a record rests on nothing else: a claim that has its
	// evidence is weakened by the loss of its sources.
	Sources
	Evidence
	Opportunities
	Recommendations
	groups
)

// Bond is what a reference from one record to another means: in the graph, and for the standing of
// the record that refers.
type Bond struct {
	Member   string // the member that refers, by its path; or AnyOther, or Edge
	Word     string // what the record says beside it, such as the role of a source link; "" for anything
	Relation record.Relation
	// Backward says that the relation leads from the other record to this one: evidence supports a
	// claim, although the claim names the evidence.
	Backward bool
	// Rests is the group that the other belongs to. If the other is lost, this record is weakened
	// or unsupported.
	Rests Group
	// Changes is what this record becomes when the other changed after it was verified, or is lost
	// and the record does not rest on it; Stands for nothing.
	Changes Standing
}

// evidenceList is the path of the references in a claim's list of evidence.
const evidenceList = "evidence.evidence_id"

// What stands for members in the table.
const (
	AnyOther = "*"    // a member that it does not name
	Edge     = "edge" // an edge that a publisher wrote
)

// Bonds is the table of bonds. What is not in it has no relation and passes nothing on.
var Bonds = slices.Concat([]Bond{
	{}, // of what says nothing
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
}, ofRelations())

// ofRelations are, for each relation, the bond of members that the table does not name, which
// passes nothing on, and that of edges that a publisher wrote.
func ofRelations() (list []Bond) {
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

// Listed reports whether the reference is an entry of a claim's list of evidence, with any stance.
func (b *Bond) Listed() bool { return b.Member == evidenceList }

// Bears reports whether the other is evidence that supports, qualifies or disputes this record.
func (b *Bond) Bears() bool {
	switch b.Relation {
	case record.RelationSupports, record.RelationQualifies, record.RelationDisputes:
		return b.Listed() || b.Member == Edge
	}
	return false
}

// BondNumber is the number of a bond in the table. The first says nothing.
type BondNumber uint8

// Bond returns the row of the table.
func (n BondNumber) Bond() *Bond { return &Bonds[n] }

// MemberBonds returns the bonds that a member may mean, by the word beside it. Where that does not
// matter, there is one.
func MemberBonds(r *schema.RefType) (list []BondNumber) {
	member := strings.Join(r.Path, ".")
	for i := range Bonds {
		if Bonds[i].Member == member {
			list = append(list, BondNumber(i))
		}
	}
	if list == nil { // it is in the graph all the same, if its kind says as what
		list = append(list, find(AnyOther, record.Relation(r.Relation)))
	}
	return list
}

// EdgeBond returns the bond of an edge that a publisher wrote.
func EdgeBond(relation record.Relation) BondNumber { return find(Edge, relation) }

func find(member string, relation record.Relation) BondNumber {
	i := slices.IndexFunc(Bonds, func(b Bond) bool { return b.Member == member && b.Relation == relation })
	return BondNumber(max(i, 0))
}
