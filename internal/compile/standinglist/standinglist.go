// Package standinglist writes the lines of the listing of records that do not stand as they are,
// and verifies such a listing from the records alone.
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

// mostStandingFaults is how many records are listed whose standing is another.
const mostStandingFaults = 100

// Verify derives the standings of a release again, from its records, and says where its
// listing has others. Records stream through; memory holds the index of them. How long a record may
// go without being verified is the publisher's to say and does not stand in a release, so what is
// listed as due is only held to that nothing worse is known of it.
func Verify(ctx context.Context, r *release.Release) ([]release.Fault, error) {
	if r.Manifest.File(layout.StandingPath) == nil { // made before there was one
		return nil, nil
	}
	c := check.New()
	c.Review(record.Date(r.Manifest.Date), &settings.Settings{})
	for _, k := range record.Kinds {
		if k.Name == record.KindChangeEvent || r.Manifest.Kind(k.Name) == nil {
			continue // events are about records, and nothing rests on them
		}
		if err := readFacts(ctx, r, k, c); err != nil {
			return nil, err
		}
	}
	c.Derive(edition(r.Manifest))
	v := &standingsVerifier{Release: r, checker: c}
	err := v.compare()
	return v.faults, err
}

// edition returns the edition of the rules that a release follows.
func edition(m *release.Manifest) standing.Edition {
	switch {
	case m.Format == layout.FirstFormat:
		return standing.First
	case m.Built == nil || m.Built.Standings < int(standing.Lists):
		return standing.Concerns
	}
	return standing.Newest
}

// readFacts adds the records of a kind that the publisher wrote; they come before those that are
// derived from them.
func readFacts(ctx context.Context, r *release.Release, k *record.Kind, c *check.Checker) error {
	var failed error
	const most = 64 // in one piece of work
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
	workers := make([]func([][]byte) iter.Seq[facts], parallel.Workers(0))
	for i := range workers {
		workers[i] = gatherer(k, record.Date(r.Manifest.Date))
	}
	for f := range parallel.Ordered(batches, workers) {
		if f.err != nil {
			return f.err
		}
		c.Add(&f.Facts)
	}
	return failed
}

// facts are what a record is known by, or why it cannot be read.
type facts struct {
	check.Facts
	err error
}

// gatherer gathers the facts of records, for one goroutine.
func gatherer(k *record.Kind, date record.Date) func([][]byte) iter.Seq[facts] {
	parser, decoder := new(record.Parser), &record.Parser{Date: date}
	return func(batch [][]byte) iter.Seq[facts] {
		return func(yield func(facts) bool) {
			for _, line := range batch {
				var f facts
				var tree *schema.Tree
				if tree, f.err = parser.Tree(k, line); f.err == nil {
					f.Facts, _ = check.Gather(decoder, new(settings.Due), nil, nil, input.Item{Kind: k, Tree: tree})
				}
				if !yield(f) {
					return
				}
			}
		}
	}
}

// standingsVerifier holds the listing of standings to those that follow from the records.
type standingsVerifier struct {
	*release.Release
	checker *check.Checker
	faults  []release.Fault
}

func (v *standingsVerifier) fault(format string, args ...any) {
	if len(v.faults) < mostStandingFaults {
		v.faults = append(v.faults, release.Fault{Path: layout.StandingPath, Message: fmt.Sprintf(format, args...)})
	}
}

// compare walks down both lists, which are in the order of kinds and IDs.
func (v *standingsVerifier) compare() error {
	next, stop := iter.Pull(v.derived())
	defer stop()
	want, more := next()
	for is, err := range v.Standings() {
		if err != nil {
			return err
		}
		if is.Noticed > v.Manifest.Date || is.Since > is.Noticed {
			v.fault("%s is said to be noticed on %s", is.ID, is.Noticed)
		}
		if is.Standing == standing.Due.String() {
			v.due(&is)
			if more && inOrder(&want, &is) == 0 {
				want, more = next()
			}
			continue
		}
		for more && inOrder(&want, &is) < 0 {
			v.fault("%s lacks %s, which is %s by the records", layout.StandingPath, want.ID, inWords(&want))
			want, more = next()
		}
		switch {
		case !more || inOrder(&want, &is) > 0:
			v.fault("%s is said to be %s, which does not follow from the records", is.ID, inWords(&is))
			continue
		case inWords(&want) != inWords(&is):
			v.fault("%s is said to be %s, and is %s by the records", is.ID, inWords(&is), inWords(&want))
		}
		want, more = next()
	}
	for ; more; want, more = next() {
		v.fault("%s lacks %s, which is %s by the records", layout.StandingPath, want.ID, inWords(&want))
	}
	return nil
}

// due makes sure that a record which is said to be due is there, and that nothing worse is known.
func (v *standingsVerifier) due(is *release.Standing) {
	n := v.checker.Number(is.ID)
	switch {
	case n < 0 && is.Kind != record.KindChangeEvent:
		v.fault("%s is said to be due, and is not there", is.ID)
	case n >= 0 && v.checker.Standings().At(n).Standing > standing.Due:
		v.fault("%s is said to be due, and is %s by the records", is.ID, v.checker.Standings().At(n).Standing)
	}
}

// derived yields the records that do not stand as they are.
func (v *standingsVerifier) derived() iter.Seq[release.Standing] {
	return func(yield func(release.Standing) bool) {
		for n, s := range v.checker.Standings().All() {
			if s.Standing != standing.Stands && !yield(Line(v.checker, n)) {
				return
			}
		}
	}
}

func inOrder(a, b *release.Standing) int {
	kind := func(s *release.Standing) int { return slices.Index(record.Kinds, record.KindNamed(s.Kind)) }
	return cmp.Or(cmp.Compare(kind(a), kind(b)), strings.Compare(a.ID, b.ID))
}

func inWords(s *release.Standing) string {
	text := s.Standing + " (" + s.Cause + " " + s.Since
	if len(s.Path) > 0 {
		text += ", by way of " + strings.Join(s.Path, " and ")
	}
	return text + ")"
}

// Line is the line of a record in the listing, but for when it was noticed.
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
