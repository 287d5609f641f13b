package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"stele/internal/base/layout"
)

// decode reads the first line of a delta and refuses one that cannot be applied.
func (s *step) decode(line []byte) error {
	h := &s.DeltaHead
	if err := json.Unmarshal(append(bytes.Clone(line), "]}"...), h); err != nil {
		return err
	}
	ascending := func(places []int64) bool {
		return slices.IsSorted(places) && len(slices.Compact(slices.Clone(places))) == len(places) &&
			(len(places) == 0 || places[0] >= 0)
	}
	switch {
	case h.Count != len(h.Placed):
		return fmt.Errorf("it counts %d records and has places for %d", h.Count, len(h.Placed))
	case !ascending(h.LeftOut) || !ascending(h.Placed):
		return errors.New("its places are not in order")
	case !strings.HasSuffix(h.Head, `"records":[`) || strings.ContainsAny(h.Head, "\r\n"):
		return errors.New("its head is not the first line of a collection")
	}
	for _, id := range h.Removed {
		if err := checkID(id); err != nil {
			return err
		}
	}
	return nil
}

// Chain returns the deltas that lead from a collection with a digest to that of the release. There
// are none if it is the same; ok is false if the release cannot tell what happened since.
func (m *Manifest) Chain(kind string, have Digest) (chain []layout.Delta, ok bool) {
	k := m.Kind(kind)
	if k == nil {
		return nil, false
	}
	if f := m.File(k.Collection); f != nil && f.SHA256 == have {
		return nil, true
	}
	for i := len(k.Deltas) - 1; i >= 0; i-- { // what changed and changed back is passed over
		if k.Deltas[i].Before == have {
			return k.Deltas[i:], true
		}
	}
	return nil, false
}

// ChainSince returns the deltas that lead from an earlier release to this one. ok is false if the
// release does not reach back so far.
func (m *Manifest) ChainSince(kind, earlier string) (chain []layout.Delta, ok bool) {
	k := m.Kind(kind)
	if k == nil {
		return nil, false
	}
	if earlier == m.Release {
		return nil, true
	}
	from, reach := m.earlier(earlier), m.earlier(k.Since)
	if from < 0 || reach < 0 || from < reach {
		return nil, false
	}
	for i, d := range k.Deltas {
		if m.earlier(d.From) >= from {
			return k.Deltas[i:], true
		}
	}
	return nil, true
}

// earlier returns the place of a release among those that deltas begin at, or -1.
func (m *Manifest) earlier(release string) int {
	return slices.IndexFunc(m.Earlier, func(p Previous) bool { return p.Release == release })
}

// What a manifest may have of deltas.
const maxDeltas = 256

// checkDeltas makes sure that what the manifest says of deltas fits together.
func (m *Manifest) checkDeltas(k *Kind) error {
	if len(k.Deltas) > maxDeltas {
		return fmt.Errorf("%s has %d deltas of %s; at most %d are allowed", layout.ManifestPath, len(k.Deltas), k.Kind, maxDeltas)
	}
	last := m.earlier(k.Since)
	if k.Since != "" && last < 0 || k.Since == "" && len(k.Deltas) > 0 {
		return fmt.Errorf("%s has deltas of %s since %.40q, which is not an earlier release", layout.ManifestPath, k.Kind, k.Since)
	}
	for i, d := range k.Deltas {
		at := m.earlier(d.From)
		if at < last || i > 0 && at == last {
			return fmt.Errorf("%s has a delta of %s from release %.40q, which is not in order", layout.ManifestPath, k.Kind, d.From)
		}
		if last = at; m.File(d.Path) == nil {
			return fmt.Errorf("%s does not list the delta %.80q", layout.ManifestPath, d.Path)
		}
	}
	return nil
}

// Delta opens a delta. Its records are read with Records, or the whole is applied with Apply.
func (r *Release) Delta(kind string, d layout.Delta) (*step, error) {
	s := &step{path: d.Path}
	s.lines = func(head func([]byte) error) iter.Seq2[Line, error] { return r.linesAfter(d.Path, head) }
	for _, err := range r.linesAfter(d.Path, s.decode) {
		if err != nil {
			return nil, err
		}
		break // the records are read later
	}
	if s.Kind != kind || s.From != d.From || s.Before != d.Before {
		return nil, damaged(d.Path, "%s leads from another collection than the manifest says", d.Path)
	}
	return s, nil
}

// step is an open delta.
type step struct {
	layout.DeltaHead
	path  string
	lines func(head func([]byte) error) iter.Seq2[Line, error]
}

// Records reads the records that came or changed: the JSON of each, which is valid until the next.
func (s *step) Records() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		count := 0
		for line, err := range s.lines(nil) {
			if count++; err == nil && count > s.Count {
				err = damaged(s.path, "%s has more records than it counts", s.path)
			}
			if !yield(line.Text, err) || err != nil {
				return
			}
		}
		if count < s.Count {
			yield(nil, damaged(s.path, "%s has fewer records than it counts", s.path))
		}
	}
}

// Apply leaves lines out and puts others in. It takes memory for a line and for the places. That
// the outcome is right is for its digest to say.
func (s *step) Apply(lines iter.Seq2[layout.Applied, error]) iter.Seq2[layout.Applied, error] {
	return func(yield func(layout.Applied, error) bool) {
		next, stop := iter.Pull2(s.Records())
		defer stop()
		left, placed := s.LeftOut, s.Placed
		fail := func(err error) { yield(layout.Applied{}, err) }
		unfit := func() { fail(damaged(s.path, "%s does not fit what it is applied to", s.path)) }
		at := int64(0) // in the later collection
		put := func() (goOn bool) {
			for ; len(placed) > 0 && placed[0] == at; at, placed = at+1, placed[1:] {
				line, err, ok := next()
				if !ok && err == nil {
					err = damaged(s.path, "%s has fewer records than it counts", s.path)
				}
				if !yield(layout.Applied{Base: -1, Text: line}, err) || err != nil {
					return false
				}
			}
			return true
		}
		before := int64(0) // in the earlier collection
		for line, err := range lines {
			if err != nil {
				fail(err)
				return
			}
			if before++; len(left) > 0 && left[0] == before-1 {
				left = left[1:]
				continue
			}
			if !put() {
				return
			}
			if at++; !yield(line, nil) {
				return
			}
		}
		if !put() {
			return
		}
		if len(left) > 0 || len(placed) > 0 {
			unfit()
			return
		}
		if _, err, more := next(); err != nil {
			fail(err)
		} else if more {
			unfit()
		}
	}
}

// deltas checks the chain of a kind: that each delta leads to the next and the last one to the
// collection, and that what they put in is what the collection has there. What they leave out is
// not in the release any more, so of the earlier collections only the digests are known. The files
// of a service are not applied: as many would have to be read at once.
func (v *verifier) deltas(k *Kind) {
	if len(k.Deltas) == 0 {
		return
	}
	var steps []*step
	count := int64(k.Count)
	for i, d := range k.Deltas {
		s, err := v.Delta(k.Kind, d)
		if err != nil {
			v.failed(d.Path, err)
			return
		}
		next := layout.Delta{From: v.Manifest.Release, Path: k.Collection, Before: v.Manifest.File(k.Collection).SHA256}
		if i+1 < len(k.Deltas) {
			next = k.Deltas[i+1]
		}
		if s.After != next.Before {
			v.fault(d.Path, "%s does not lead to where %s begins", d.Path, next.Path)
			return
		}
		steps = append(steps, s)
		count += int64(len(s.LeftOut)) - int64(len(s.Placed))
	}
	if !v.local {
		return
	}
	if path := k.Deltas[len(steps)-1].Path; count < 0 || steps[len(steps)-1].Head != v.firstLine(k.Collection) {
		v.fault(path, "%s does not lead to %s", path, k.Collection)
		return
	}
	v.applied(k, steps, count)
}

// applied checks that deltas put in what the collection has, beginning with so many lines.
func (v *verifier) applied(k *Kind, steps []*step, count int64) {
	lines := layout.BaseLines(func(yield func([]byte, error) bool) { // of which nothing but the number is known
		for range count {
			if !yield(nil, nil) {
				return
			}
		}
	})
	for _, s := range steps {
		lines = s.Apply(lines)
	}
	is, stop := iter.Pull2(v.Release.Records(k.Kind))
	defer stop()
	for line, err := range lines {
		if err != nil {
			v.failed(steps[0].path, err)
			return
		}
		text, err, ok := is()
		if err != nil {
			return // said already
		}
		if !ok || line.Base < 0 && !bytes.Equal(line.Text, text) {
			v.fault(steps[len(steps)-1].path, "the deltas of %s do not lead to %s", k.Kind, k.Collection)
			return
		}
	}
}
