package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"stele/internal/base/schema/codes"
	"stele/record"
)

// checkNamed looks for COR08 in a record that has a new correction: each member that differs from
// the earlier release is named by a correction since then, so that the reason of one change does
// not cover another. A new source update that changed the record explains the members that no
// correction names. Without a correction, a change needs no reason: it is a revision.
func (h *History) checkNamed(n int32, c *Change) {
	for _, name := range c.content() {
		reported := slices.ContainsFunc(c.another, func(t turned) bool { return t.name == name })
		if reported || c.explained(name) || c.takenOut("/"+name) {
			continue
		}
		id := h.c.ID(n)
		h.report(codes.ChangeNotNamed, n, "/"+name,
			fmt.Sprintf("%s changed since release %s, and no correction since then names it", name, h.release),
			fmt.Sprintf("say why it changed in a correction of its own (stele correct %s --fields %s --summary …), or add it to the fields of the one that is about it", id, name))
	}
}

// compareEvidence finds the entries of a claim's list of evidence that are gone or changed.
func (c *Change) compareEvidence(old, now []byte) error {
	if !c.touches("evidence") {
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

// checkMovedEvidence looks for COR09: evidence that is lost was removed from a claim, or given
// another stance, and the claim does not say why.
func (h *History) checkMovedEvidence(n int32, c *Change) {
	for _, e := range c.moved {
		lost := h.c.Number(string(e.EvidenceID))
		if lost < 0 || !h.c.standings.At(lost).Standing.Lost() || c.explained("evidence") || c.takenOut("/evidence") {
			continue
		}
		id := h.c.ID(n)
		h.report(codes.LostEvidenceMoved, n, "/evidence",
			fmt.Sprintf("%s is %s, and had the stance %s in release %s; the claim does not say why that changed",
				quote(string(e.EvidenceID)), h.c.standings.At(lost).Standing, e.Stance, h.release),
			fmt.Sprintf("add a correction that names it (stele correct %s --fields evidence --because-of %s --summary …), or put the entry back", id, e.EvidenceID))
	}
}
