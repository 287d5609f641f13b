package check

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

func (t *Texts) addRedactions(list []settings.Redaction) {
	t.Redactions = list
	if len(list) == 0 {
		return
	}
	t.redactions = map[string][]settings.Redaction{}
	sum := fnv.New64a()
	for _, r := range list {
		t.redactions[string(r.ID)] = append(t.redactions[string(r.ID)], r)
		fmt.Fprintf(sum, "%+v\n", r) // a hash never fails
	}
	t.State += sum.Sum64() // facts cached with other redactions are invalid
}

// checkRedacted reports redacted content that a record contains again. It needs no release, so
// every command that reads the folder runs it.
func (t *Texts) checkRedacted(e *record.Envelope, k *record.Kind, tree *schema.Tree) (problems []schema.Problem) {
	if t == nil {
		return nil
	}
	report := func(pointer, message, fix string) {
		problems = append(problems, problemAt(tree, codes.WrongRedaction, pointer, message, fix))
	}
	notes := map[string]int{} // by list of notes: number of redacted texts
	const takeBack = "; if it may be published now, write taken_back: DAY beside the redaction"
	for _, r := range t.redactions[string(e.ID)] {
		_, last, _ := r.Span()
		switch {
		case r.Has(e.Version):
			report("/version", fmt.Sprintf("version %d of %s is redacted, and the record still has this version", e.Version, e.ID),
				fmt.Sprintf("remove the content that must not be published from the record, and write version: %d", last+1))
		case r.Whole && r.TakenBack == "":
			report("", fmt.Sprintf("%s was redacted on %s, but exists again", e.ID, r.Date), "delete the record"+takeBack)
		}
		for _, m := range r.Members {
			if list := redactedList(m); list != "" {
				notes[list] += map[bool]int{r.TakenBack == "": 1}[true]
				continue
			}
			i, found := tree.At(m)
			back := found && tree.Nodes[i].Type != schema.Null && tree.Nodes[i].Text != settings.RedactedText
			if back && r.TakenBack == "" && !slices.Contains(r.Replaced, m) && !isRequired(k.Shape(), m) {
				report(m, fmt.Sprintf("%s of %s was redacted on %s, but the record contains it again", m, e.ID, r.Date),
					"delete it"+takeBack)
			}
		}
	}
	for _, list := range slices.Sorted(maps.Keys(notes)) {
		if is := countRedacted(tree, list); is < notes[list] {
			report(list, fmt.Sprintf("%d texts in %s of %s were redacted, but only %d of them are %s", notes[list], list, e.ID, is, settings.RedactedText),
				"write "+settings.RedactedText+" instead of the restored text"+takeBack)
		}
	}
	return problems
}

// redactedList returns the list that contains a redacted summary, or "" for other members.
// Positions in such a list change, so only the number of redacted summaries can be compared.
func redactedList(pointer string) string {
	steps := schema.Steps(pointer)
	if len(steps) == 3 && (steps[0] == "corrections" || steps[0] == "source_updates") && steps[2] == "summary" {
		return "/" + steps[0]
	}
	return ""
}

// countRedacted counts the elements of list whose summary is redacted.
func countRedacted(tree *schema.Tree, list string) (count int) {
	i, found := tree.At(list)
	if !found {
		return 0
	}
	for c := range tree.Children(i) {
		if s := tree.Find(c, "summary"); s >= 0 && tree.Nodes[s].Text == settings.RedactedText {
			count++
		}
	}
	return count
}

// isRequired reports whether shape s requires the member at pointer. A redaction must have replaced
// a required member, because it cannot remove it.
func isRequired(s *schema.Shape, pointer string) bool {
	m := s.Member(schema.TopMember(pointer))
	return m != nil && m.Required && len(schema.Steps(pointer)) == 1
}

// ReportRedaction reports a contradiction between a redaction and the earlier release.
func (c *Checker) ReportRedaction(id, message, fix string) {
	c.reportIn(input.RedactionsFile, codes.WrongRedaction, id, "", message, fix)
}
