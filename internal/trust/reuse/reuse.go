// Package reuse compares a copy that somebody made of published records with the release that they
// came from: did it keep the eight things that consumers are expected to preserve?
//
// The copy is a table of any make. Columns are found by the names that releases give them, or by a
// map; that of the IDs by its values. A thing is kept where its normal form is that of the
// published record: what the form leaves out of account, such as the order of day and month or the
// white space between words, is in the report.
package reuse

import (
	"fmt"
	"slices"
	"strings"
)

// Thing is one of the eight.
type Thing int

// The things, in the order of the specification.
const (
	ID Thing = iota
	Links
	Version
	Verified
	Boundary
	Updates
	Corrections
	Labels
	things
)

// All are the eight things.
var All = [things]Thing{ID, Links, Version, Verified, Boundary, Updates, Corrections, Labels}

var thingNames = [things]string{
	"record IDs", "source links", "versions", "verification dates", "claim boundaries", "source updates", "corrections", "labels",
}

// keys are the names that the things have in a map of columns, which are those of their members.
var keys = [things]string{
	"id", "source_links", "version", "verification_date", "claim_boundary", "source_updates", "corrections", "labels",
}

// String is what people call the things.
func (t Thing) String() string { return thingNames[t] }

// Key is what files call it.
func (t Thing) Key() string { return keys[t] }

func thingOf(key string) (Thing, error) {
	if i := slices.Index(keys[:], key); i >= 0 {
		return Thing(i), nil
	}
	return 0, fmt.Errorf("%q is none of the eight things: write %s", key, strings.Join(keys[:], ", "))
}

// Verdict is what became of a thing of a record.
type Verdict int

// The verdicts. Of these Kept, Stale and NotApplicable let a copy pass; a stale copy of a record
// that has since been retracted has the verdict Retracted and does not.
const (
	NotApplicable Verdict = iota // the record has none
	Kept
	Stale     // a faithful copy of an earlier version
	Retracted // the same, and the record has been retracted since
	Altered
	Truncated
	Dropped
	Foreign // an ID that was never published here
	verdicts
)

var verdictNames = [verdicts]string{
	"not applicable", "kept", "stale", "stale and retracted", "altered", "truncated", "dropped", "foreign",
}

func (v Verdict) String() string { return verdictNames[v] }

// Fails reports whether a copy with the verdict does not keep what it must.
func (v Verdict) Fails() bool { return v > Stale }

// MarshalText writes the verdict as files have it.
func (v Verdict) MarshalText() ([]byte, error) {
	return []byte(strings.ReplaceAll(v.String(), " ", "_")), nil
}

// Finding is a thing of a record that a copy did not keep.
type Finding struct {
	Table     string  `json:"table,omitempty"` // of the copy, where it has several
	Line      int     `json:"line"`            // of the copy
	ID        string  `json:"id"`
	Thing     string  `json:"thing"`
	Verdict   Verdict `json:"verdict"`
	Why       string  `json:"why,omitempty"`
	Published string  `json:"published,omitempty"` // what is missing or differs
	Copy      string  `json:"copy,omitempty"`      // what stands there
}
