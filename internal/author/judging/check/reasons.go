package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"stele/internal/base/schema/codes"
	"stele/record"
)

// checkFieldsNamed reports COR08 for a record with a new correction: a correction since the
// earlier release must name each changed member, so that the reason of one change does not cover
// another. A new source update that changed the record explains the other members. Without a
// correction, a change is a revision and needs no reason.
func (h *History) checkFieldsNamed(n int32, c *Change) {
	for _, name := range c.contentFields() {
		reported := slices.ContainsFunc(c.another, func(t identityChange) bool { return t.name == name })
		if reported || c.isExplained(name) || c.isRedacted("/"+name) {
			continue
		}
		id := h.c.ID(n)
		h.report(codes.ChangeNotNamed, n, "/"+name,
			fmt.Sprintf("%s changed since release %s, but no correction since then names it", name, h.release),
			fmt.Sprintf("explain the change in a separate correction (stele correct %s --fields %s --summary …), or add it to the fields of the correction about it", id, name))
	}
}

// compareEvidence finds entries of a claim's evidence that are missing or changed.
func (c *Change) compareEvidence(old, now []byte) error {
	if !c.differsIn("evidence") {
		return nil
	}
	var was, is struct {
		Evidence []record.ClaimEvidence `json:"evidence"`
	}
	if err := errors.Join(json.Unmarshal(old, &was), json.Unmarshal(now, &is)); err != nil {
		return err
	}
	for _, e := range was.Evidence {
		if !slices.Contains(is.Evidence, e) {
			c.moved = append(c.moved, e)
		}
	}
	return nil
}

// checkMovedEvidence reports COR09: lost evidence was removed from a claim, or has a new stance,
// without an explanation.
func (h *History) checkMovedEvidence(n int32, c *Change) {
	for _, e := range c.moved {
		lost := h.c.Number(string(e.EvidenceID))
		if lost < 0 || !h.c.standings.At(lost).Standing.IsLost() || c.isExplained("evidence") || c.isRedacted("/evidence") {
			continue
		}
		id := h.c.ID(n)
		h.report(codes.LostEvidenceMoved, n, "/evidence",
			fmt.Sprintf("%s is %s, and had the stance %s in release %s; the claim does not say why that changed",
				quoteText(string(e.EvidenceID)), h.c.standings.At(lost).Standing, e.Stance, h.release),
			fmt.Sprintf("add a correction that names it (stele correct %s --fields evidence --because-of %s --summary …), or restore the entry", id, e.EvidenceID))
	}
}
