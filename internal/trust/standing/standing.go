// Package standing derives whether records still hold.
//
// A record says what it rests on; its own corrections say whether it was retracted. What follows
// for all others is worked out here, from one table of bonds (see Bonds) and from dates, and from
// nothing else. Standings are derived in a build, never written by hand, and no part of the
// records.
package standing

import (
	"slices"

	"stele/internal/base/schema"
	"stele/record"
)

// Edition is an edition of the rules by which standings are derived. A release says which one it
// follows, so that its listing can be verified by that.
type Edition uint8

// The editions, each with what it added.
const (
	First    Edition = iota
	Concerns         // concerns, retractions in part, questions that are not decided
	Lists            // a claim needs evidence in its list that holds, if the list names lost evidence
	Newest   = Lists
)

// Standing says whether a record still holds. A higher one is worse, and a record has the worst
// that applies.
type Standing uint8

// The standings, from best to worst.
const (
	Stands          Standing = iota
	Undecided                // it is a question that is not decided
	Due                      // verified longer ago than the publisher allows
	SourceChanged            // a source changed since it was verified
	SupportChanged           // a record that it rests on changed since it was verified
	InQuestion               // concerns about it are not resolved
	Weakened                 // a part of what it rests on was lost
	PartlyRetracted          // a part of it was retracted
	Unsupported              // all of what it rests on was lost
	Retracted                // it was retracted itself
)

// Words are the standings as they are written, with what each means.
var Words = [...]schema.Value{
	Stands:          {Word: "stands", Doc: "no problem with it is known"},
	Undecided:       {Word: "undecided", Doc: "the question that it puts is not decided"},
	Due:             {Word: "due", Doc: "it was last verified longer ago than the publisher allows"},
	SourceChanged:   {Word: "source_changed", Doc: "a source has changed since it was verified"},
	SupportChanged:  {Word: "support_changed", Doc: "a record that it rests on was corrected, replaced or retracted after it was verified"},
	InQuestion:      {Word: "in_question", Doc: "concerns about it have been raised and are not resolved"},
	Weakened:        {Word: "weakened", Doc: "part of what it rests on no longer holds"},
	PartlyRetracted: {Word: "partly_retracted", Doc: "part of it has been retracted"},
	Unsupported:     {Word: "unsupported", Doc: "nothing that it rests on holds any more"},
	Retracted:       {Word: "retracted", Doc: "it has been retracted"},
}

// String returns the standing as it is written.
func (s Standing) String() string { return Words[s].Word }

// Named returns the standing that is written so. One that is not known may be the worst.
func Named(word string) Standing {
	i := slices.IndexFunc(Words[:], func(v schema.Value) bool { return v.Word == word })
	if i < 0 {
		return Retracted
	}
	return Standing(i)
}

// SelfReported reports whether a record has a standing because its publisher says so in the record
// itself, so that nobody has to be shown where it comes from.
func (s Standing) SelfReported() bool {
	return s == Undecided || s == InQuestion || s == PartlyRetracted || s == Retracted
}

// Lost reports whether what rests on a record of this standing has lost it.
func (s Standing) Lost() bool { return s >= Unsupported }

// Step is a record that another leads to, so many links away.
type Step[T any] struct {
	Record T
	Steps  int
}

// Reach returns all records that one leads to, each once: the nearest first, and those that are
// equally near in an order.
func Reach[T comparable](from T, next func(T) []T, order func(a, b T) int) (list []Step[T]) {
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

// Cause is what happened at the end of the path that explains a standing.
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

// String returns the cause as a participle, which a date may follow.
func (c Cause) String() string { return causes[c] }

// Day is a date as the number 20261114; 0 for none. Order is kept.
type Day uint32

// DayOf returns the day of a date, or 0 where it is none.
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

// Date returns the day as a date.
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
