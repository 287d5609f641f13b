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

// decodeHeader decodes the first line of a delta and checks it.
func (s *openDelta) decodeHeader(line []byte) error {
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
		return fmt.Errorf("inconsistent count: %d records, %d positions", h.Count, len(h.Placed))
	case !ascending(h.LeftOut) || !ascending(h.Placed):
		return errors.New("positions out of order")
	case !strings.HasSuffix(h.Head, `"records":[`) || strings.ContainsAny(h.Head, "\r\n"):
		return errors.New("its header is not the first line of a collection")
	}
	for _, id := range h.Removed {
		if err := checkID(id); err != nil {
			return err
		}
	}
	return nil
}

// Chain returns the deltas that lead from the collection with the digest have to that of the
// release. The chain is empty if the two are the same. ok is false if the release does not contain
// the changes since then.
func (m *Manifest) Chain(kind string, have Digest) (chain []layout.Delta, ok bool) {
	k := m.Kind(kind)
	if k == nil {
		return nil, false
	}
	if f := m.File(k.Collection); f != nil && f.SHA256 == have {
		return nil, true
	}
	for i := len(k.Deltas) - 1; i >= 0; i-- { // from the end, to skip changes that were undone
		if k.Deltas[i].Before == have {
			return k.Deltas[i:], true
		}
	}
	return nil, false
}

// ChainSince returns the deltas that lead from an earlier release to this one. ok is false if the
// release does not contain them.
func (m *Manifest) ChainSince(kind, earlier string) (chain []layout.Delta, ok bool) {
	k := m.Kind(kind)
	if k == nil {
		return nil, false
	}
	if earlier == m.Release {
		return nil, true
	}
	from, reach := m.earlierIndex(earlier), m.earlierIndex(k.Since)
	if from < 0 || reach < 0 || from < reach {
		return nil, false
	}
	for i, d := range k.Deltas {
		if m.earlierIndex(d.From) >= from {
			return k.Deltas[i:], true
		}
	}
	return nil, true
}

// earlierIndex returns the index of a release in Earlier, or -1.
func (m *Manifest) earlierIndex(release string) int {
	return slices.IndexFunc(m.Earlier, func(p Previous) bool { return p.Release == release })
}

// Limits on deltas in a manifest.
const maxDeltas = 256

// checkDeltas checks that the data about deltas in the manifest is consistent.
func (m *Manifest) checkDeltas(k *Kind) error {
	if len(k.Deltas) > maxDeltas {
		return fmt.Errorf("%s: %d deltas of %s; at most %d are allowed", layout.ManifestPath, len(k.Deltas), k.Kind, maxDeltas)
	}
	last := m.earlierIndex(k.Since)
	if k.Since != "" && last < 0 || k.Since == "" && len(k.Deltas) > 0 {
		return fmt.Errorf("%s: deltas of %s since unknown release %.40q", layout.ManifestPath, k.Kind, k.Since)
	}
	for i, d := range k.Deltas {
		at := m.earlierIndex(d.From)
		if at < last || i > 0 && at == last {
			return fmt.Errorf("%s: deltas of %s out of order at release %.40q", layout.ManifestPath, k.Kind, d.From)
		}
		if last = at; m.File(d.Path) == nil {
			return fmt.Errorf("%s: delta %.80q is not in the list of files", layout.ManifestPath, d.Path)
		}
	}
	return nil
}

// Delta opens a delta. Use Records to read its records, or Apply to apply it.
func (r *Release) Delta(kind string, d layout.Delta) (*openDelta, error) {
	s := &openDelta{path: d.Path}
	s.lines = func(head func([]byte) error) iter.Seq2[Line, error] { return r.linesAfter(d.Path, head) }
	for _, err := range r.linesAfter(d.Path, s.decodeHeader) {
		if err != nil {
			return nil, err
		}
		break // the records are read later
	}
	if s.Kind != kind || s.From != d.From || s.Before != d.Before {
		return nil, damagedError(d.Path, "%s does not start from the collection that the manifest says", d.Path)
	}
	return s, nil
}

// openDelta is an open delta.
type openDelta struct {
	layout.DeltaHead
	path  string
	lines func(head func([]byte) error) iter.Seq2[Line, error]
}

// Records yields the JSON of the added and changed records, valid until the next iteration.
func (s *openDelta) Records() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		count := 0
		for line, err := range s.lines(nil) {
			if count++; err == nil && count > s.Count {
				err = damagedError(s.path, "%s contains more records than its count", s.path)
			}
			if !yield(line.Text, err) || err != nil {
				return
			}
		}
		if count < s.Count {
			yield(nil, damagedError(s.path, "%s contains fewer records than its count", s.path))
		}
	}
}

// Apply yields the lines of the later collection, given those of the earlier one. It needs memory
// for one line and for the positions. The caller checks the digest of the result.
func (s *openDelta) Apply(lines iter.Seq2[layout.Applied, error]) iter.Seq2[layout.Applied, error] {
	return func(yield func(layout.Applied, error) bool) {
		next, stop := iter.Pull2(s.Records())
		defer stop()
		left, placed := s.LeftOut, s.Placed
		fail := func(err error) { yield(layout.Applied{}, err) }
		unfit := func() { fail(damagedError(s.path, "%s does not fit the collection that it is applied to", s.path)) }
		at := int64(0) // position in the later collection
		put := func() (goOn bool) {
			for ; len(placed) > 0 && placed[0] == at; at, placed = at+1, placed[1:] {
				line, err, ok := next()
				if !ok && err == nil {
					err = damagedError(s.path, "%s contains fewer records than its count", s.path)
				}
				if !yield(layout.Applied{Base: -1, Text: line}, err) || err != nil {
					return false
				}
			}
			return true
		}
		before := int64(0) // position in the earlier collection
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

// verifyDeltas checks the deltas of a kind: each delta must lead to the next, the last delta must
// lead to the collection, and added records must be in the collection. Removed records are no
// longer in the release, so only the digests of the earlier collections are known. Deltas of a
// service are not applied, because that needs all of them at once.
func (v *verifier) verifyDeltas(k *Kind) {
	if len(k.Deltas) == 0 {
		return
	}
	var steps []*openDelta
	count := int64(k.Count)
	for i, d := range k.Deltas {
		s, err := v.Delta(k.Kind, d)
		if err != nil {
			v.addError(d.Path, err)
			return
		}
		next := layout.Delta{From: v.Manifest.Release, Path: k.Collection, Before: v.Manifest.File(k.Collection).SHA256}
		if i+1 < len(k.Deltas) {
			next = k.Deltas[i+1]
		}
		if s.After != next.Before {
			v.addFault(d.Path, "%s does not lead to the start of %s", d.Path, next.Path)
			return
		}
		steps = append(steps, s)
		count += int64(len(s.LeftOut)) - int64(len(s.Placed))
	}
	if !v.local {
		return
	}
	if path := k.Deltas[len(steps)-1].Path; count < 0 || steps[len(steps)-1].Head != v.firstLine(k.Collection) {
		v.addFault(path, "%s does not lead to %s", path, k.Collection)
		return
	}
	v.verifyApplied(k, steps, count)
}

// verifyApplied checks that steps yield the collection, whatever the count lines are to which they
// are applied.
func (v *verifier) verifyApplied(k *Kind, steps []*openDelta, count int64) {
	lines := layout.BaseLines(func(yield func([]byte, error) bool) { // unknown lines
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
			v.addError(steps[0].path, err)
			return
		}
		text, err, ok := is()
		if err != nil {
			return // reported already
		}
		if !ok || line.Base < 0 && !bytes.Equal(line.Text, text) {
			v.addFault(steps[len(steps)-1].path, "the deltas of %s do not lead to %s", k.Kind, k.Collection)
			return
		}
	}
}
