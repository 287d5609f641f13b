package check

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
	"stele/internal/trust/standing"
	"stele/record"
)

// checkCase reports IDs that differ only in case. Equal IDs are reported when they are added.
func (x *index) checkCase(report func(...schema.Problem)) {
	// Hashes of the lower-case forms of IDs with upper-case letters, with their numbers. Texts are
	// read in the order in which they were added.
	var capital []uint64
	for i := range x.entries.Len() {
		n := int32(i)
		id := x.ID(n)
		folded := record.ID(id).Fold()
		if folded == id || x.definerOf(x.entry(n).name) != n {
			continue
		}
		if name := x.names.numberOf(folded); name >= 0 && x.definerOf(name) >= 0 {
			report(x.duplicateIDProblem(max(n, x.definerOf(name)), min(n, x.definerOf(name))))
			continue
		}
		capital = append(capital, x.names.hash(folded)&^math.MaxUint32|uint64(n))
	}
	slices.Sort(capital)
	for len(capital) > 0 {
		same := 1
		for same < len(capital) && capital[same]>>32 == capital[0]>>32 {
			same++
		}
		if same > 1 {
			firsts := map[string]int32{}
			for _, c := range capital[:same] {
				n := int32(uint32(c))
				folded := record.ID(x.ID(n)).Fold()
				if first, ok := firsts[folded]; ok {
					report(x.duplicateIDProblem(n, first))
				} else {
					firsts[folded] = n
				}
			}
		}
		capital = capital[same:]
	}
}

func (x *index) duplicateIDProblem(n, first int32) schema.Problem {
	id := x.ID(n)
	message := "the ID " + quoteText(id) + " is used in " + x.locationOf(first) + " already"
	if was := x.ID(first); was != id {
		message = "the ID " + quoteText(id) + " differs only in case from " + quoteText(was) + " in " + x.locationOf(first)
	}
	return x.newProblem(codes.DuplicateID, n, "/id", schema.Pos{}, message, "give the newer record another ID")
}

func (x *index) checkReferences(report func(...schema.Problem), waits func(kinds ...string) bool) {
	suggest := x.newSuggester()
	for ref := range x.refs.All {
		to := x.definerOf(ref.to)
		switch {
		case to >= 0:
			x.checkTarget(ref, to, report)
			if len(x.held) > 0 {
				x.checkNotHeld(ref, report)
			}
		case x.removed[ref.to] && x.kindOf(ref.from).Name == record.KindChangeEvent:
		case waits(x.declarationOf(ref).Kinds...):
		default:
			decl, id := x.declarationOf(ref), x.idText(ref.to)
			near := suggest(id, func(n int32) bool { return n != ref.from && x.canReferTo(decl, n) })
			report(x.refProblem(decl.Missing, ref, targetNoun(decl)+" "+quoteText(id)+" does not exist", near))
		}
	}
}

// checkRowCorrections reports corrections in files next to tables that belong to no row.
func (x *index) checkRowCorrections(report func(...schema.Problem), waits func(kinds ...string) bool) {
	suggest := x.newSuggester()
	for _, n := range x.named {
		in := func(e int32) bool { return x.files[x.entry(e).file] == n.Table }
		if name := x.names.numberOf(n.ID); name >= 0 && x.definerOf(name) >= 0 && in(x.definerOf(name)) || waits() {
			continue
		}
		report(schema.Problem{
			Code: codes.UnknownReference, File: n.File,
			Line: int(n.At.Line), Column: int(n.At.Column), Width: len(n.ID),
			Record: n.ID, Value: n.ID, Message: "no row of " + path.Base(n.Table) + " has the ID " + quoteText(n.ID), Fix: suggest(n.ID, in),
		})
	}
}

// canReferTo reports whether a reference declared by decl can refer to record n.
func (x *index) canReferTo(decl *schema.RefType, n int32) bool {
	return allowsKind(decl.Kinds, x.kindOf(n)) && (decl.Missing != codes.DanglingEdge || x.kindOf(n).CanEndEdge())
}

// targetNoun returns a noun for the target that decl expects.
func targetNoun(decl *schema.RefType) string {
	if len(decl.Kinds) == 1 {
		return record.KindNamed(decl.Kinds[0]).One
	}
	return "record"
}

// checkTarget checks record to, the target of ref.
func (x *index) checkTarget(ref *refEntry, to int32, report func(...schema.Problem)) {
	decl, want, kind, id := x.declarationOf(ref), x.positionOf(ref).want, x.kindOf(to), x.idText(ref.to)
	is := func(rest string) string { return quoteText(id) + " is " + withArticle(kind.One) + rest }
	switch {
	case !allowsKind(decl.Kinds, kind) && kind.Name == record.KindPublicReference &&
		allowsKind(decl.Kinds, record.KindNamed(record.KindEvidence)):
		report(x.refProblem(codes.ReferenceAsEvidence, ref, quoteText(id)+" is a public reference, which cannot be evidence", "name an evidence record, or move it to see_also"))
	case !allowsKind(decl.Kinds, kind):
		report(x.refProblem(codes.WrongKind, ref, is(", where "+withArticle(targetNoun(decl))+" is expected"), "name "+withArticle(targetNoun(decl))))
	case decl.Path[0] == replacedBy && to == ref.from:
		report(x.refProblem(codes.CircularRelations, ref, quoteText(id)+" cannot replace itself", "name the replacing record"))
	case decl.Path[0] == replacedBy && kind != x.kindOf(ref.from):
		own := withArticle(x.kindOf(ref.from).One)
		report(x.refProblem(codes.WrongKind, ref, is(", which cannot replace "+own), "name "+own))
	case decl.Missing == codes.DanglingEdge && !kind.CanEndEdge():
		report(x.refProblem(codes.DanglingEdge, ref, is(", which is not a node"), "name a record that is a node"))
	case want > 0 && record.Kinds[want-1] != kind:
		report(x.refProblem(codes.WrongKind, ref, is(", but record_kind says "+record.Kinds[want-1].Name), "write record_kind: "+kind.Name))
	}
}

func allowsKind(kinds []string, kind *record.Kind) bool {
	return len(kinds) == 0 || slices.Contains(kinds, kind.Name)
}

// refProblem returns a problem at the position of ref.
func (x *index) refProblem(code codes.Code, ref *refEntry, message, fix string) schema.Problem {
	place := x.positionOf(ref)
	r := schema.Reference{RefType: x.declOf[place.decl], Index: place.index}
	p := x.newProblem(code, ref.from, r.Pointer(x.kindOf(ref.from).Shape()), place.at, message, fix)
	p.File, p.Value = x.files[place.file], x.idText(ref.to)
	p.Width = len(p.Value)
	return p
}

// checkClaims compares each claim's label with its supporting evidence.
func (x *index) checkClaims(report func(...schema.Problem)) {
	best := make(map[int32]uint8, len(x.claims))
	broken := map[int32]bool{}
	for ref := range x.refs.All {
		if x.positionOf(ref).bond.Bond().Relation != record.RelationSupports {
			continue
		}
		if to := x.definerOf(ref.to); to >= 0 && x.kindOf(to).Name == record.KindEvidence {
			if x.standings.At(to).Standing.IsLost() && x.standings.At(ref.from).Standing == standing.Weakened {
				continue // the remaining evidence must support the label
			}
			best[ref.from] = max(best[ref.from], x.entry(to).label)
		} else {
			broken[ref.from] = true // already reported; its strength is unknown
		}
	}
	for _, c := range x.claims {
		have, supported := best[c.entry]
		if c.label.Rank() <= have || broken[c.entry] {
			continue
		}
		message := "labelled " + quoteText(string(c.label)) + ", but no evidence supports it"
		if supported {
			message = "labelled " + quoteText(string(c.label)) + ", but its best supporting evidence is " + quoteText(string(labelOfRank(have)))
		}
		p := x.newProblem(codes.LabelTooStrong, c.entry, "/evidence_label", c.at.at, message, "write "+string(labelOfRank(have))+", or name stronger evidence")
		p.File, p.Value, p.Width = c.at.file, string(c.label), len(c.label)
		report(p)
	}
}

func labelOfRank(rank uint8) record.EvidenceLabel {
	for _, v := range schema.ListOf[record.EvidenceLabel]() {
		if label := record.EvidenceLabel(v.Word); label.Rank() == rank {
			return label
		}
	}
	return record.LabelNotRated
}

// checkUnused reports sources and entities that no record refers to.
func (x *index) checkUnused(report func(...schema.Problem)) {
	used := make([]bool, x.entries.Len())
	for ref := range x.refs.All {
		if to := x.definerOf(ref.to); to >= 0 && to != ref.from {
			used[to] = true
		}
	}
	for n := range x.entries.Len() {
		k := x.kindOf(int32(n))
		if (k.Name == record.KindSourceObject || k.Name == record.KindEntity) && !used[n] &&
			x.entry(int32(n)).flags&example == 0 && x.definerOf(x.entry(int32(n)).name) == int32(n) {
			report(x.newProblem(codes.Unreferenced, int32(n), "/id", schema.Pos{}, "no record refers to the "+k.One+" "+quoteText(x.ID(int32(n))), "add a reference to it, or delete it"))
		}
	}
}

// newSuggester returns a function that suggests an existing ID for a misspelled one. It compares a
// limited number of IDs, because a large folder can have many broken references.
func (x *index) newSuggester() func(id string, fits func(n int32) bool) string {
	budget := 5_000_000
	return func(id string, fits func(n int32) bool) string {
		if budget -= x.entries.Len(); budget < 0 {
			return ""
		}
		var ids []string
		for n := range int32(x.entries.Len()) {
			if fits(n) {
				ids = append(ids, x.ID(n))
			}
		}
		near := suggest.Closest(id, ids)
		if near == "" {
			return "write the record, or correct the ID"
		}
		return "did you mean " + quoteText(near) + " (" + x.files[x.entry(x.definerOf(x.names.numberOf(near))).file] + ")?"
	}
}

func withArticle(noun string) string {
	if noun == "evidence record" || strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func quoteText(s string) string { return strconv.Quote(s) }
