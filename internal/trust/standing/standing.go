// Package standing derives whether published records are still valid.
//
// A record names the records that it rests on, and its own corrections say whether it was
// retracted. The standings of all other records follow from one table (see Bonds) and from dates.
// Builds derive standings; they are never written by hand and not part of the records.
package standing

import (
	"slices"

	"stele/internal/base/schema"
	"stele/record"
)

// Edition is an edition of the rules for standings. A release names its edition, so that its
// listing can be verified.
type Edition uint8

// The editions, each with the rules that it added.
const (
	First    Edition = iota
	Concerns         // concerns, partial retractions, open questions
	Lists            // a claim that lists lost evidence needs other evidence that holds
	Latest   = Lists
)

// Standing is the known problem of a record. Higher is worse, and a record has the worst standing
// that applies.
type Standing uint8

// The standings, from best to worst.
const (
	Stands          Standing = iota
	Undecided                // an open question
	Due                      // verified longer ago than the publisher allows
	SourceChanged            // a source changed after it was verified
	SupportChanged           // a record that it rests on changed after it was verified
	InQuestion               // concerns about it are unresolved
	Weakened                 // a part of what it rests on was lost
	PartlyRetracted          // a part of it was retracted
	Unsupported              // everything that it rests on was lost
	Retracted                // it was retracted
)

// Words are the names of the standings, with their meanings.
var Words = [...]schema.Value{
	Stands:          {Word: "stands", Doc: "no problem with it is known"},
	Undecided:       {Word: "undecided", Doc: "the question that it asks is still open"},
	Due:             {Word: "due", Doc: "it was last verified longer ago than the publisher allows"},
	SourceChanged:   {Word: "source_changed", Doc: "a source changed after it was verified"},
	SupportChanged:  {Word: "support_changed", Doc: "a record that it rests on was corrected, replaced or retracted after it was verified"},
	InQuestion:      {Word: "in_question", Doc: "concerns about it have been raised and are unresolved"},
	Weakened:        {Word: "weakened", Doc: "part of what it rests on no longer holds"},
	PartlyRetracted: {Word: "partly_retracted", Doc: "part of it has been retracted"},
	Unsupported:     {Word: "unsupported", Doc: "nothing that it rests on holds any more"},
	Retracted:       {Word: "retracted", Doc: "it has been retracted"},
}

func (s Standing) String() string { return Words[s].Word }

// Parse returns the standing with this name, or the worst for an unknown name.
func Parse(word string) Standing {
	i := slices.IndexFunc(Words[:], func(v schema.Value) bool { return v.Word == word })
	if i < 0 {
		return Retracted
	}
	return Standing(i)
}

// IsSelfReported reports whether the record itself states the cause of the standing, so that
// readers need no explanation.
func (s Standing) IsSelfReported() bool {
	return s == Undecided || s == InQuestion || s == PartlyRetracted || s == Retracted
}

// IsLost reports whether a record with this standing is lost for the records that rest on it.
func (s Standing) IsLost() bool { return s >= Unsupported }

// Step is a record at a distance of Steps links.
type Step[T any] struct {
	Record T
	Steps  int
}

// Reachable returns all records that can be reached from the record from, without duplicates,
// sorted by distance and then by order.
func Reachable[T comparable](from T, next func(T) []T, order func(a, b T) int) (list []Step[T]) {
	seen, level := map[T]bool{from: true}, []T{from}
	for steps := 1; len(level) > 0; steps++ {
		var further []T
		for _, at := range level {
			for _, to := range next(at) {
				if !seen[to] {
					seen[to] = true
					further = append(further, to)
				}
			}
		}
		slices.SortFunc(further, order)
		for _, to := range further {
			list = append(list, Step[T]{to, steps})
		}
		level = further
	}
	return list
}

// Cause is the event at the end of the path that explains a standing.
type Cause uint8

// The causes.
const (
	NoCause Cause = iota
	Publication
	WasVerified
	SourceUpdate
	Correction
	Concern
	PartialRetraction
	Replacement
	Retraction
)

var causes = [...]string{
	"", "published", "last verified", "source updated", "corrected", "concerns raised", "retracted in part", "replaced",
	"retracted",
}

// String returns the cause in words that a date can follow.
func (c Cause) String() string { return causes[c] }

// Day is a date as a number such as 20261114, or 0 for none.
type Day uint32

// DayOf returns the day of d, or 0 if d is invalid.
func DayOf(d record.Date) Day {
	if !d.Valid() {
		return 0
	}
	n := Day(0)
	for _, c := range d {
		if c != '-' {
			n = n*10 + Day(c-'0')
		}
	}
	return n
}

func (d Day) Date() record.Date { return record.Date(d.String()) }

func (d Day) String() string {
	s := []byte("0000-00-00")
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != '-' {
			s[i] = '0' + byte(d%10)
			d /= 10
		}
	}
	return string(s)
}
