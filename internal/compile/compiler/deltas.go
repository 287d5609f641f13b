package compiler

import (
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/compile/files"
	"stele/internal/disk/lists"
	"stele/record"
	"stele/release"
)

// A release contains the changes to each collection since recent releases, so that clients with a
// copy of one need not download everything again. A build adds one delta per kind. It keeps earlier
// deltas as long as they save enough bytes.
const (
	maxSteps = 30
	// The deltas of a kind may take 1/deltaShare of the compressed collection,
	deltaShare = 4
	// or smallDeltas bytes if that is more.
	smallDeltas = 32 << 10
)

// writeDeltas writes the deltas of all kinds and lists them in the manifest.
func writeDeltas(p *publication, changes *comparison, before *previous) error {
	m := p.manifest
	m.Earlier = before.Manifest.Earlier
	if !p.unchanged {
		m.Earlier = append(slices.Clone(m.Earlier), *m.Previous)
		m.Earlier = m.Earlier[max(0, len(m.Earlier)-maxSteps):]
	}
	for i := range m.Kinds {
		if err := writeDelta(p, &m.Kinds[i], changes, before); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(m.Kinds, func(k release.Kind) bool { return k.Since != "" }) {
		m.Earlier = nil
	}
	return nil
}

// writeDelta writes a kind's new delta, if the collection changed, and keeps earlier ones within
// the size budget.
func writeDelta(p *publication, k *release.Kind, changes *comparison, previous *previous) error {
	before := previous.Manifest
	was := before.Kind(k.Kind)
	if was == nil {
		return nil
	}
	m, from, is := p.manifest, before.File(was.Collection), p.to.Find(k.Collection)
	c := chain{m.Earlier, was.Since, slices.Clone(was.Deltas)}
	if !p.unchanged {
		c.startAfter(before.Release)
	}
	budget := max(smallestSize(from)/deltaShare, smallDeltas)
	if from.SHA256 != is.SHA256 {
		s, err := newDelta(p, k, was, changes, previous)
		if err != nil || s == nil {
			return err
		}
		defer s.lines.Close() // this also deletes its file
		// Estimate the compressed size by the ratio of the earlier collection.
		size := int64(float64(s.size()) * float64(smallestSize(from)) / float64(max(from.Size, 1)))
		if size > budget {
			return nil
		}
		budget -= size
		d := layout.Delta{
			From: before.Release, Before: from.SHA256,
			Path: layout.DeltaPath(before.Release, layout.FolderOfListing(k.Listing)),
		}
		s.head.From, s.head.To, s.head.Before, s.head.After = d.From, m.Release, d.Before, is.SHA256
		if err := s.write(p.to, d.Path); err != nil {
			return err
		}
		c.deltas = append(c.deltas, d)
	}
	if err := c.copyPrevious(before, budget, p.to); err != nil {
		return err
	}
	k.Since, k.Deltas = c.since, c.deltas
	return nil
}

// copyPrevious copies the deltas of the previous release, the latest first. It stops at the budget,
// or at the first delta that cannot be read.
func (c *chain) copyPrevious(before *release.Manifest, budget int64, to *files.Set) error {
	for i := len(c.deltas) - 1; i >= 0; i-- {
		d := c.deltas[i]
		if d.From == before.Release {
			continue
		}
		f := before.File(d.Path)
		budget -= smallestSize(f)
		if budget >= 0 {
			err := to.CopyPrevious(f)
			if err == nil {
				continue
			}
			if unread := new(files.UnreadError); !errors.As(err, &unread) {
				return err
			}
		}
		c.removeUpTo(i)
		break
	}
	return nil
}

func smallestSize(f *release.File) int64 {
	size := f.Size
	for _, v := range f.Variants {
		size = min(size, v.Size)
	}
	return size
}

// chain contains the deltas of a kind.
type chain struct {
	earlier []release.Previous
	since   string
	deltas  []layout.Delta
}

func (c *chain) index(id string) int {
	return slices.IndexFunc(c.earlier, func(p release.Previous) bool { return p.Release == id })
}

// startAfter starts an empty chain at the release previous, and removes deltas that are too old.
func (c *chain) startAfter(previous string) {
	c.since = cmp.Or(c.since, previous)
	if c.index(c.since) < 0 {
		c.since = c.earlier[0].Release
	}
	c.deltas = slices.DeleteFunc(c.deltas, func(d layout.Delta) bool { return c.index(d.From) < 0 })
}

// removeUpTo removes delta i and those before it.
func (c *chain) removeUpTo(i int) {
	next := c.index(c.deltas[i].From) + 1
	if c.since, c.deltas = "", c.deltas[i+1:]; next < len(c.earlier) {
		c.since = c.earlier[next].Release
	}
}

// deltaDraft is a delta. Its records are stored on disk until its size is known.
type deltaDraft struct {
	head  layout.DeltaHead
	lines *lists.Lines
}

// size returns the approximate size of the delta in bytes.
func (s *deltaDraft) size() int64 {
	const digits = 8 // of an index
	return s.lines.Size() + int64(digits*(len(s.head.LeftOut)+len(s.head.Placed)))
}

func (s *deltaDraft) write(to *files.Set, path string) error {
	head, err := s.head.Encode()
	if err != nil {
		return err
	}
	return to.WriteLines(path, head, s.lines.All)
}

// newDelta computes the delta from the previous collection, described by oldKind, to the new one,
// described by k. It returns nil if the delta would be too large.
func newDelta(p *publication, k, oldKind *release.Kind, changes *comparison, before *previous) (*deltaDraft, error) {
	lines, err := lists.NewLines(p.to.Scratch)
	if err != nil {
		return nil, err
	}
	s := &deltaDraft{lines: lines}
	kind := record.KindNamed(k.Kind)
	e, err := p.diffCollection(kind, k, oldKind, changes, before, lines)
	if err == nil {
		err = lines.Flush()
	}
	if err != nil || e == nil {
		return nil, errors.Join(err, lines.Close())
	}
	s.head = layout.DeltaHead{
		Kind: k.Kind, Count: len(e.placed), Removed: append([]string{}, e.removed...),
		LeftOut: append([]int64{}, e.leftOut...), Placed: append([]int64{}, e.placed...),
		Head: string(p.collectionHead(kind, k.Count)),
	}
	return s, nil
}

// diffCollection returns the difference between the previous collection and the new one, and adds
// the inserted records to lines. It returns nil if the difference is too large.
func (p *publication) diffCollection(
	kind *record.Kind, k, was *release.Kind, changes *comparison, before *previous, lines *lists.Lines,
) (e *difference, err error) {
	e = &difference{}
	switch k.Kind {
	case record.KindGraphNode, record.KindGraphEdge:
		*e, err = diffGraph(p, k, before, lines.Add)
	case changeEvent:
		// Events are copied verbatim, so all that differ are new, except the first ones: these were
		// moved into archives, which does not count as removed.
		for _, a := range k.Archives[len(was.Archives):] {
			for range a.Count {
				e.leftOut = append(e.leftOut, int64(len(e.leftOut)))
			}
		}
		e.placed = p.added
		var line []byte
		for _, place := range e.placed {
			if line, err = p.events.Line(place, line); err != nil {
				return nil, err
			}
			lines.Add(line)
		}
	default:
		*e = changes.edits[slices.Index(record.Kinds, kind)]
		if len(e.placed) > max(k.Count/2, 1<<10) {
			return nil, nil
		}
		numbers, spool := p.records.recordsOf(kind).numbers, p.records.spool.Reader()
		for _, at := range e.placed {
			line, err := spool.Record(numbers[at])
			if err != nil {
				return nil, err
			}
			lines.Add(line)
		}
	}
	return e, err
}

// diffGraph returns the difference between the nodes or edges of the previous release and the new
// ones. Both are in the same order, so common lines keep their order.
func diffGraph(
	p *publication, k *release.Kind, before *previous, add func([]byte) lists.Ref,
) (e difference, err error) {
	places, count, err := indexLines(before.Records(k.Kind))
	if err != nil {
		return e, err
	}
	stays, last, place := make([]bool, count), int32(-1), int64(-1)
	for line, err := range p.readBack(k.Collection) {
		if err != nil {
			return e, err
		}
		place++
		if at, found := places[layout.Shorten(line)]; found && at > last {
			last, stays[at] = at, true
			continue
		}
		e.placed = append(e.placed, place)
		add(line)
	}
	place = -1
	removed := map[string]bool{}
	for line, err := range before.Trusted().Records(k.Kind) { // verified when it was read before
		if err != nil {
			return e, previousError(err)
		}
		if place++; stays[place] {
			continue
		}
		e.leftOut = append(e.leftOut, place)
		var g graphLine
		if err := json.Unmarshal(line, &g); err != nil {
			return e, previousError(err)
		}
		if !removed[g.ID] && !isInGraph(p.records, &g) {
			removed[g.ID], e.removed = true, append(e.removed, g.ID)
		}
	}
	return e, nil
}

// indexLines returns the index of each line of before, by its digest, and the number of lines.
func indexLines(before iter.Seq2[[]byte, error]) (indexes map[layout.Short]int32, count int32, err error) {
	indexes = map[layout.Short]int32{}
	for line, err := range before {
		if err != nil {
			return nil, 0, previousError(err)
		}
		indexes[layout.Shorten(line)] = count
		count++
	}
	return indexes, count, nil
}

// graphLine contains the members of a node or edge that isInGraph needs.
type graphLine struct {
	ID       string `json:"id"`
	Source   string `json:"source"`
	Target   string `json:"target"`
	Relation string `json:"relation"`
}

// isInGraph reports whether the node or edge still exists. The records at both ends of an edge may
// assert it; then the graph contains it twice.
func isInGraph(records *corpus, g *graphLine) bool {
	checker := records.checker
	if n := checker.Number(g.ID); n >= 0 {
		return records.nodes[n] || !record.Kinds[checker.Kind(n)].HasNode()
	}
	for _, end := range []string{g.Source, g.Target} {
		n := checker.Number(end)
		if n < 0 || !records.nodes[n] {
			continue
		}
		for _, r := range checker.Relations(n, nil) {
			if r.Source == g.Source && r.Target == g.Target && string(r.Relation) == g.Relation {
				return true
			}
		}
	}
	return false
}
