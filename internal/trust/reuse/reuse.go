// Package reuse compares a copy of published records with the release that it was made from: does
// it preserve the eight things that consumers are expected to keep?
//
// The copy is a table in any supported format. Columns are found by the names that releases use, or
// by a map; the ID column is found by its values. A thing is preserved if its normal form is that
// of the published record. The report lists normalizations, such as date formats.
package reuse

import (
	"fmt"
	"slices"
	"strings"
)

// Thing is one of the eight things that copies must keep, or one that they may leave out but not
// change.
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
	Reasons // of labels
	Effects
	Areas // the codes of the publisher's areas
	things
)

// All are the eight things, and those that copies need not have.
var All = [things]Thing{ID, Links, Version, Verified, Boundary, Updates, Corrections, Labels, Reasons, Effects, Areas}

// isOptional reports whether copies need not have t.
func (t Thing) isOptional() bool { return t >= Reasons }

func (t Thing) isGroup() bool { return t == Reasons || t == Effects }

var thingNames = [things]string{
	"record IDs", "source links", "versions", "verification dates", "claim boundaries", "source updates", "corrections", "labels",
	"reasons of labels", "effects", "areas",
}

// keys are the names of the things in a map, which are those of members.
var keys = [things]string{
	"id", "source_links", "version", "verification_date", "claim_boundary", "source_updates", "corrections", "labels",
	"label_basis", "effect", "ref_area",
}

// String returns the name of the thing in texts.
func (t Thing) String() string { return thingNames[t] }

// Key returns the name of the thing in files.
func (t Thing) Key() string { return keys[t] }

func parseThing(key string) (Thing, error) {
	if i := slices.Index(keys[:], key); i >= 0 {
		return Thing(i), nil
	}
	return 0, fmt.Errorf("unknown key %q (known: %s)", key, strings.Join(keys[:], ", "))
}

// Verdict is the result for a thing of a record.
type Verdict int

// The verdicts. NotApplicable, Kept, Less and Stale let a copy pass. Retracted does not: it is a
// stale copy of a record that was retracted since.
const (
	NotApplicable Verdict = iota // the record does not have it
	Kept
	Less      // kept, without the values that belong to it
	Stale     // a correct copy of an earlier version
	Retracted // the same, but the record was retracted since
	Altered
	Truncated
	Dropped
	Foreign // an unknown ID
	verdicts
)

var verdictNames = [verdicts]string{
	"not applicable", "kept", "less", "stale", "stale and retracted", "altered", "truncated", "dropped", "foreign",
}

func (v Verdict) String() string { return verdictNames[v] }

// Fails reports whether a copy with this verdict fails.
func (v Verdict) Fails() bool { return v > Stale }

// MarshalText returns the name of the verdict in files.
func (v Verdict) MarshalText() ([]byte, error) {
	return []byte(strings.ReplaceAll(v.String(), " ", "_")), nil
}

// Finding says how a copy differs from a record in one thing.
type Finding struct {
	Table     string  `json:"table,omitempty"` // of the copy, if it has several
	Line      int     `json:"line"`            // of the copy
	ID        string  `json:"id"`
	Thing     string  `json:"thing"`
	Verdict   Verdict `json:"verdict"`
	Why       string  `json:"why,omitempty"`
	Published string  `json:"published,omitempty"` // what is missing or differs
	Copy      string  `json:"copy,omitempty"`      // the value in the copy
}
