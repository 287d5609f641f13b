// Package standinglist writes the listing of records that are retracted, in question or otherwise
// affected, and verifies such a listing from the records alone.
package standinglist

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/parallel"
	"stele/internal/base/schema"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// maxFaults is the maximum number of faults that are reported.
const maxFaults = 100

// Verify derives the standings of a release's records again, and returns the differences from its
// listing. It streams records and keeps an index in memory. The release does not say after which
// time records are due for review. For records that are listed as due, Verify therefore checks only
// that their standing is not worse.
func Verify(ctx context.Context, r *release.Release) ([]release.Fault, error) {
	if r.Manifest.File(layout.StandingPath) == nil { // of a release that had no such listing yet
		return nil, nil
	}
	c := check.New()
	c.Review(record.Date(r.Manifest.Date), &settings.Settings{})
	for _, k := range record.Kinds {
		if k.Name == record.KindChangeEvent || r.Manifest.Kind(k.Name) == nil {
			continue // events concern records, and no record rests on them
		}
		if err := readFacts(ctx, r, k, c); err != nil {
			return nil, err
		}
	}
	c.Derive(editionOf(r.Manifest))
	v := &standingsVerifier{Release: r, checker: c}
	err := v.compare()
	return v.faults, err
}

// editionOf returns the edition of the standing rules that a release follows.
func editionOf(m *release.Manifest) standing.Edition {
	switch {
	case m.Format == layout.FirstFormat:
		return standing.First
	case m.Built == nil || m.Built.Standings < int(standing.Lists):
		return standing.Concerns
	}
	return standing.Latest
}

// readFacts adds to c the records of kind k that publishers wrote. Derived records come after.
func readFacts(ctx context.Context, r *release.Release, k *record.Kind, c *check.Checker) error {
	var failed error
	const most = 64 // records per batch
	batches := func(yield func([][]byte) bool) {
		var batch [][]byte
		for is, err := range r.Listed(k.Name) {
			if failed = errors.Join(err, context.Cause(ctx)); failed != nil {
				return
			}
			if batch = append(batch, bytes.Clone(is.JSON)); len(batch) == most {
				if !yield(batch) {
					return
				}
				batch = nil
			}
		}
		yield(batch)
	}
	workers := make([]func([][]byte) iter.Seq[recordFacts], parallel.Workers(0))
	for i := range workers {
		workers[i] = factReader(k, record.Date(r.Manifest.Date))
	}
	for f := range parallel.Ordered(batches, workers) {
		if f.err != nil {
			return f.err
		}
		c.Add(&f.Facts)
	}
	return failed
}

// recordFacts are the facts about a record, or the reason why it cannot be read.
type recordFacts struct {
	check.Facts
	err error
}

// factReader returns a function that reads the facts of records, for one goroutine.
func factReader(k *record.Kind, date record.Date) func([][]byte) iter.Seq[recordFacts] {
	parser, decoder := new(record.Parser), &record.Parser{Date: date}
	return func(batch [][]byte) iter.Seq[recordFacts] {
		return func(yield func(recordFacts) bool) {
			for _, line := range batch {
				var f recordFacts
				var tree *schema.Tree
				if tree, f.err = parser.Tree(k, line); f.err == nil {
					f.Facts, _ = check.CheckItem(decoder, new(settings.Due), nil, nil, input.Item{Kind: k, Tree: tree})
				}
				if !yield(f) {
					return
				}
			}
		}
	}
}

// standingsVerifier compares the listing of standings with those derived from the records.
type standingsVerifier struct {
	*release.Release
	checker *check.Checker
	faults  []release.Fault
}

func (v *standingsVerifier) addFault(format string, args ...any) {
	if len(v.faults) < maxFaults {
		v.faults = append(v.faults, release.Fault{Path: layout.StandingPath, Message: fmt.Sprintf(format, args...)})
	}
}

// compare compares both lists, which are sorted by kind and ID.
func (v *standingsVerifier) compare() error {
	next, stop := iter.Pull(v.derivedStandings())
	defer stop()
	want, more := next()
	for is, err := range v.Standings() {
		if err != nil {
			return err
		}
		if is.Noticed > v.Manifest.Date || is.Since > is.Noticed {
			v.addFault("%s: invalid noticed date %s", is.ID, is.Noticed)
		}
		if is.Standing == standing.Due.String() {
			v.checkDue(&is)
			if more && compareOrder(&want, &is) == 0 {
				want, more = next()
			}
			continue
		}
		for more && compareOrder(&want, &is) < 0 {
			v.addFault("%s: missing record %s, which is %s according to the records", layout.StandingPath, want.ID, describe(&want))
			want, more = next()
		}
		switch {
		case !more || compareOrder(&want, &is) > 0:
			v.addFault("%s is listed as %s, which does not follow from the records", is.ID, describe(&is))
			continue
		case describe(&want) != describe(&is):
			v.addFault("%s is listed as %s, but is %s according to the records", is.ID, describe(&is), describe(&want))
		}
		want, more = next()
	}
	for ; more; want, more = next() {
		v.addFault("%s: missing record %s, which is %s according to the records", layout.StandingPath, want.ID, describe(&want))
	}
	return nil
}

// checkDue checks that a record listed as due exists and that nothing worse applies to it.
func (v *standingsVerifier) checkDue(is *release.Standing) {
	n := v.checker.Number(is.ID)
	switch {
	case n < 0 && is.Kind != record.KindChangeEvent:
		v.addFault("%s is listed as due, but does not exist", is.ID)
	case n >= 0 && v.checker.Standings().At(n).Standing > standing.Due:
		v.addFault("%s is listed as due, but is %s according to the records", is.ID, v.checker.Standings().At(n).Standing)
	}
}

// derivedStandings yields the records whose standing is not "stands".
func (v *standingsVerifier) derivedStandings() iter.Seq[release.Standing] {
	return func(yield func(release.Standing) bool) {
		for n, s := range v.checker.Standings().All() {
			if s.Standing != standing.Stands && !yield(Line(v.checker, n)) {
				return
			}
		}
	}
}

func compareOrder(a, b *release.Standing) int {
	kind := func(s *release.Standing) int { return slices.Index(record.Kinds, record.KindNamed(s.Kind)) }
	return cmp.Or(cmp.Compare(kind(a), kind(b)), strings.Compare(a.ID, b.ID))
}

func describe(s *release.Standing) string {
	text := s.Standing + " (" + s.Cause + " " + s.Since
	if len(s.Path) > 0 {
		text += ", by way of " + strings.Join(s.Path, " and ")
	}
	return text + ")"
}

// Line returns the listing's line for record n, except the date on which its standing was noticed.
func Line(checker *check.Checker, n int32) release.Standing {
	is := checker.Standings().At(n)
	s := release.Standing{
		ID: checker.ID(n), Kind: record.Kinds[checker.Kind(n)].Name, Standing: is.Standing.String(),
		Since: is.Since.String(), Cause: is.Cause.String(), Path: []string{},
	}
	for at := range checker.Standings().Path(n) {
		if at != n {
			s.Path = append(s.Path, checker.ID(at))
		}
	}
	return s
}
