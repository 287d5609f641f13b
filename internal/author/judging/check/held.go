package check

import (
	"fmt"
	"iter"
	"slices"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Held counts the records that are held back from a release.
type Held struct {
	Drafts int                   `json:"drafts"`
	Until  map[record.Moment]int `json:"until,omitempty"` // by the day or hour at which their embargo ends
}

// IsZero reports whether no records are held back.
func (h Held) IsZero() bool { return h.Drafts == 0 && len(h.Until) == 0 }

// KeepHeld includes records that are held back, for previews.
func (c *Checker) KeepHeld() { c.keepHeld = true }

// HoldText returns in words how long the record with the ID is held back, or "" if it is not.
func (c *Checker) HoldText(id string) string {
	h, ok := c.held[id]
	if !ok {
		return ""
	}
	return holdText(h.hold)
}

// heldRecord is a record that is held back, and its position.
type heldRecord struct {
	hold  record.Hold
	where schema.Problem
}

func holdText(h record.Hold) string {
	if day := h.Until(); day != "" {
		return "held back until " + string(day)
	}
	return "a draft"
}

// addHeld adds a record that is held back. The record waits until all others are added, so that it
// can be removed again.
func (c *Checker) addHeld(f *Facts) {
	if c.held == nil {
		c.held = map[string]heldRecord{}
	}
	c.held[f.id] = heldRecord{f.hold, schema.Problem{
		File: f.file, Line: int(f.at.Line), Column: int(f.at.Column), Record: f.id,
	}}
	if day := f.hold.Until(); day != "" {
		if c.counted.Until == nil {
			c.counted.Until = map[record.Moment]int{}
		}
		c.counted.Until[day]++
	} else {
		c.counted.Drafts++
	}
	if !c.keepHeld {
		c.later = append(c.later, *f)
	}
}

// Waiting yields the records of a kind that are held back and not in the release.
func (c *Checker) Waiting(k *record.Kind) iter.Seq2[string, schema.Problem] {
	return func(yield func(id string, where schema.Problem) bool) {
		for i := range c.later {
			if f := &c.later[i]; f.kind == k && !yield(f.id, c.held[f.id].where) {
				return
			}
		}
	}
}

// MarkReplacedByPublished records that the release contains the published version of a record,
// because a change of it is held back. The change is checked when its embargo ends.
func (c *Checker) MarkReplacedByPublished(id string) {
	c.later = slices.DeleteFunc(c.later, func(f Facts) bool { return f.id == id })
	delete(c.held, id)
}

// CheckWaiting reports changes that are held back if the published version is unknown: the release
// would lack these records.
func (c *Checker) CheckWaiting() {
	for i := range c.later {
		f := &c.later[i]
		if f.version < 2 {
			continue
		}
		p := c.held[f.id].where
		p.Code = codes.Vanished
		p.Message = fmt.Sprintf("%s is version %d and %s. An earlier version is probably published, but would be missing, because the previous release is unknown",
			quoteText(f.id), f.version, holdText(f.hold))
		p.Fix = "add --previous with the release that has the published version; if none is published, write version: 1"
		c.Report(p)
	}
}

// checkHeld runs the rules across all records, and then removes the records that are held back from
// the index.
func (c *Checker) checkHeld() {
	x := c.index
	before := x.lengths()
	for i := range c.later {
		x.add(&c.later[i])
	}
	x.checkAll(c.Report, c.unread, c.mustWait)
	for n := before[0]; n < x.entries.Len(); n++ {
		e := x.entry(int32(n))
		x.counts[e.kind]--
		if x.definerOf(e.name) == int32(n) {
			x.defined.Set(int(e.name), -1)
		}
	}
	x.truncate(before)
	x.standings, c.later = x.deriveStandings(), nil
}

// checkNotHeld reports a reference from a record to one that is held back.
func (x *index) checkNotHeld(ref *refEntry, report func(...schema.Problem)) {
	to, held := x.held[x.idText(ref.to)]
	if _, too := x.held[x.ID(ref.from)]; !held || too {
		return
	}
	to.where.Column = 0
	report(x.refProblem(codes.RefersToHeld, ref,
		quoteText(to.where.Record)+" is "+holdText(to.hold)+" ("+to.where.Position()+"), but the record that refers to it is not ("+x.locationOf(ref.from)+")",
		"remove the reference, hold this record back too, or publish both"))
}
