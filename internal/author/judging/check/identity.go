package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stele/internal/base/fold"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// identityChange is a member that is part of a record's identity and has changed its value.
type identityChange struct {
	name    string
	was, is string
	mayBe   bool // a correction or a source update can explain the change
}

// compareIdentity finds changes of the members that identify a record of kind k.
func (c *Change) compareIdentity(k *record.Kind, old, now []byte) error {
	if k == nil { // a kind of another program version
		return nil
	}
	var differ []*schema.Member
	members := k.Shape().Members
	for i := range members {
		if m := &members[i]; m.Identity != "" && (c.differsIn(m.Name) || m.Otherwise != "" && c.differsIn(m.Otherwise)) {
			differ = append(differ, m)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	var was, is map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(old, &was), json.Unmarshal(now, &is)); err != nil {
		return err
	}
	short := func(raw json.RawMessage) string { return cmp.Or(schema.Shorten(string(raw)), "missing") }
	for _, m := range differ {
		name := m.Name
		if m.Otherwise != "" && (was[name] == nil || is[name] == nil) {
			if name, m = m.Otherwise, k.Shape().Member(m.Otherwise); was[name] == nil {
				continue
			}
		}
		if was[name] == nil && m.Identity != "fixed" || isSameMeaning(m, was, is) {
			continue
		}
		c.another = append(c.another, identityChange{
			name: name, was: short(was[name]), is: short(is[name]), mayBe: m.Identity != "fixed" && m.Identity != "kept",
		})
	}
	return nil
}

// isSameMeaning reports whether member m has the same meaning in was and is, regardless of
// spelling.
func isSameMeaning(m *schema.Member, was, is map[string]json.RawMessage) bool {
	text := func(of map[string]json.RawMessage, name string) (s string) {
		if json.Unmarshal(of[name], &s) != nil { // absent, or not a text
			return string(of[name])
		}
		return s
	}
	a, b := text(was, m.Name), text(is, m.Name)
	switch {
	case m.Ref != nil:
		return a == b
	case m.Shape.Open:
		return haveSameTerms(m, was[m.Name], is[m.Name])
	case m.Name == "ref_area":
		key := func(of map[string]json.RawMessage, code string) string {
			return record.AreaScheme(text(of, "ref_area_scheme")).Key(code)
		}
		return key(was, a) == key(is, b)
	case m.Name == "time_period":
		return record.Period(a).Key() == record.Period(b).Key()
	}
	if m.Identity == "fixed" {
		return fold.Code(a) == fold.Code(b)
	}
	return fold.Letters(a) == fold.Letters(b)
}

// haveSameTerms reports whether two maps of names to texts are equal. Unless m is fixed, the later
// map may have more names.
func haveSameTerms(m *schema.Member, was, is json.RawMessage) bool {
	var a, b map[string]string
	if json.Unmarshal(was, &a) != nil && was != nil || json.Unmarshal(is, &b) != nil && is != nil {
		return false
	}
	if m.Identity == "fixed" && len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if fold.Code(trimURLPrefix(text)) != fold.Code(trimURLPrefix(b[name])) {
			return false
		}
	}
	return true
}

// trimURLPrefix removes the URL prefix of an identifier such as a DOI.
func trimURLPrefix(s string) string {
	if _, after, ok := strings.Cut(s, "doi.org/"); ok {
		return after
	}
	return strings.TrimPrefix(strings.ToLower(s), "doi:")
}

// checkIdentity reports ID04: an ID cannot become a different record.
func (h *History) checkIdentity(n int32, c *Change) {
	for _, t := range c.another {
		if t.mayBe && (c.isExplained(t.name) || c.isRedacted("/"+t.name)) {
			continue
		}
		kind := h.c.kindOf(n)
		fix := "restore it, and create a new record (stele new " + kind.Name + " ID); if that replaces this one, write replaced_by: ID here"
		if t.mayBe {
			fix = fmt.Sprintf("if the record is still about the same thing, add a correction that names %s (stele correct %s --fields %s --summary …); otherwise %s", t.name, h.c.ID(n), t.name, fix)
		}
		h.report(codes.BecameAnother, n, "/"+t.name,
			fmt.Sprintf("%s was %s in release %s, now %s, which makes it a different %s", t.name, t.was, h.release, t.is, kind.One), fix)
	}
}

// isExplained reports whether a new correction names the member, or a new source update changed the
// record.
func (c *Change) isExplained(name string) bool {
	return slices.ContainsFunc(c.Is.Corrections, func(is record.Correction) bool {
		return !hasCorrection(&c.Was, is) && slices.ContainsFunc(is.Fields,
			func(f string) bool { return schema.TopMember(f) == name })
	}) || slices.ContainsFunc(c.Is.SourceUpdates, func(u record.SourceUpdate) bool {
		return u.Effect == record.EffectRecordChanged && !slices.Contains(c.Was.SourceUpdates, u)
	})
}
