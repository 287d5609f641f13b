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
	Until  map[record.Moment]int `json:"until,omitempty"` // by the day or the hour from which they are no longer
}

// IsZero reports whether none is.
func (h Held) IsZero() bool { return h.Drafts == 0 && len(h.Until) == 0 }

// KeepHeld says that records which are held back are to be kept among the others, for those who
// show them to their publisher.
func (c *Checker) KeepHeld() { c.keepHeld = true }

// HeldBack returns until when a record is held back, in words; "" if it is not.
func (c *Checker) HeldBack(id string) string {
	h, ok := c.held[id]
	if !ok {
		return ""
	}
	return heldWords(h.hold)
}

// heldRecord is a record that is held back, and where it stands.
type heldRecord struct {
	hold  record.Hold
	where schema.Problem
}

func heldWords(h record.Hold) string {
	if day := h.Until(); day != "" {
		return "held back until " + string(day)
	}
	return "a draft"
}

// hold takes in a record that the release does not have. It waits until all others are there, so
// that it can be taken out again.
func (c *Checker) hold(f *Facts) {
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

// Waiting yields the records of a kind that are held back and that the release does not have.
func (c *Checker) Waiting(k *record.Kind) iter.Seq2[string, schema.Problem] {
	return func(yield func(id string, where schema.Problem) bool) {
		for i := range c.later {
			if f := &c.later[i]; f.kind == k && !yield(f.id, c.held[f.id].where) {
				return
			}
		}
	}
}

// StandsIn says that the release has a record as it was published, because a change of it is held
// back. The change is checked with others when it is no longer held back.
func (c *Checker) StandsIn(id string) {
	c.later = slices.DeleteFunc(c.later, func(f Facts) bool { return f.id == id })
	delete(c.held, id)
}

// CheckWaiting refuses changes that are held back where it is not known what was published: the
// release would lack these records.
func (c *Checker) CheckWaiting() {
	for i := range c.later {
		f := &c.later[i]
		if f.version < 2 {
			continue
		}
		p := c.held[f.id].where
		p.Code = codes.Vanished
		p.Message = fmt.Sprintf("%s is version %d and %s, so an earlier version is published, and without the previous release this one would lack it",
			quote(f.id), f.version, heldWords(f.hold))
		p.Fix = "build on the previous release (--previous), which has the version that is published; if none is, write version: 1"
		c.Report(p)
	}
}

// checkHeld runs the rules that concern several records on all of them, and takes out those that
// are held back: whatever follows from the index is as if they were not written.
func (c *Checker) checkHeld() {
	x := c.index
	before := x.mark()
	for i := range c.later {
		x.add(&c.later[i])
	}
	x.check(c.Report, c.unread, c.waits)
	for n := before[0]; n < x.entries.Len(); n++ {
		e := x.entry(int32(n))
		x.counts[e.kind]--
		if x.definedBy(e.name) == int32(n) {
			x.defined.Set(int(e.name), -1)
		}
	}
	x.cut(before)
	x.standings, c.later = x.derive(), nil
}

// checkNotHeld finds a reference to a record that is held back, in one that is not.
func (x *index) checkNotHeld(ref *refEntry, report func(...schema.Problem)) {
	to, held := x.held[x.text(ref.to)]
	if _, too := x.held[x.ID(ref.from)]; !held || too {
		return
	}
	to.where.Column = 0
	report(x.refProblem(codes.RefersToHeld, ref,
		quote(to.where.Record)+" is "+heldWords(to.hold)+" ("+to.where.Position()+"), and the record that refers to it is not ("+x.where(ref.from)+")",
		"take the reference out, hold this record back too, or publish both"))
}
