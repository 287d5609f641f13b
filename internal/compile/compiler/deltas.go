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

// A release tells what changed in each collection since the last releases, so that who has one of
// those need not fetch everything again. The build adds a step and carries earlier ones over, as
// long as they are worth it.
const (
	maxSteps = 30
	// of the compressed collection, what the deltas of a kind may take together
	deltaShare = 4
	// what they may take where the collection is small: bytes that nobody notices
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

// writeDelta writes the deltas of a kind: the new one, if the collection changed, and those before
// it that are worth it.
func writeDelta(p *publication, k *release.Kind, changes *comparison, previous *previous) error {
	before := previous.Manifest
	was := before.Kind(k.Kind)
	if was == nil {
		return nil
	}
	m, from, is := p.manifest, before.File(was.Collection), p.to.Find(k.Collection)
	c := chain{m.Earlier, was.Since, slices.Clone(was.Deltas)}
	if !p.unchanged {
		c.begin(before.Release)
	}
	budget := max(measure(from)/deltaShare, smallDeltas)
	if from.SHA256 != is.SHA256 {
		s, err := newStep(p, k, was, changes, previous)
		if err != nil || s == nil {
			return err
		}
		defer s.lines.Close() // what it held is written, or not wanted
		// how well it can be compressed, the earlier collection tells
		size := int64(float64(s.size()) * float64(measure(from)) / float64(max(from.Size, 1)))
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
	if err := c.carry(before, budget, p.to); err != nil {
		return err
	}
	k.Since, k.Deltas = c.since, c.deltas
	return nil
}

// carry takes over the deltas of the previous release, the newest first, as long as they are worth
// it and can be read.
func (c *chain) carry(before *release.Manifest, budget int64, to *files.Set) error {
	for i := len(c.deltas) - 1; i >= 0; i-- {
		d := c.deltas[i]
		if d.From == before.Release {
			continue
		}
		f := before.File(d.Path)
		budget -= measure(f)
		if budget >= 0 {
			err := to.Carry(f)
			if err == nil {
				continue
			}
			if unread := new(files.UnreadError); !errors.As(err, &unread) {
				return err
			}
		}
		c.cut(i)
		break
	}
	return nil
}

// measure is how many bytes a file takes that is sent as small as possible.
func measure(f *release.File) int64 {
	size := f.Size
	for _, v := range f.Variants {
		size = min(size, v.Size)
	}
	return size
}

// chain is the deltas of a kind.
type chain struct {
	earlier []release.Previous
	since   string
	deltas  []layout.Delta
}

func (c *chain) place(id string) int {
	return slices.IndexFunc(c.earlier, func(p release.Previous) bool { return p.Release == id })
}

// begin lets a chain go on from a release, and leaves out what is too old.
func (c *chain) begin(previous string) {
	c.since = cmp.Or(c.since, previous)
	if c.place(c.since) < 0 {
		c.since = c.earlier[0].Release
	}
	c.deltas = slices.DeleteFunc(c.deltas, func(d layout.Delta) bool { return c.place(d.From) < 0 })
}

// cut leaves out a delta and those before it.
func (c *chain) cut(i int) {
	next := c.place(c.deltas[i].From) + 1
	if c.since, c.deltas = "", c.deltas[i+1:]; next < len(c.earlier) {
		c.since = c.earlier[next].Release
	}
}

// step is a delta in the making. Its records wait on disk until it is known whether it is worth it.
type step struct {
	head  layout.DeltaHead
	lines *lists.Lines
}

// size is about how many bytes it will have.
func (s *step) size() int64 {
	const digits = 8 // of a place
	return s.lines.Size() + int64(digits*(len(s.head.LeftOut)+len(s.head.Placed)))
}

func (s *step) write(to *files.Set, path string) error {
	head, err := s.head.Encode()
	if err != nil {
		return err
	}
	return to.WriteLines(path, head, s.lines.All)
}

// newStep finds what leads from the collection of the previous release to the new one. It is nil
// where that is too much to be worth it.
func newStep(p *publication, k, was *release.Kind, changes *comparison, before *previous) (*step, error) {
	lines, err := lists.NewLines(p.to.Scratch)
	if err != nil {
		return nil, err
	}
	s := &step{lines: lines}
	kind := record.KindNamed(k.Kind)
	e, err := p.edit(kind, k, was, changes, before, lines)
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

// edit finds what leads from a collection to the new one, and adds the records that it puts in to
// lines; nil where that is too much to be worth it.
func (p *publication) edit(
	kind *record.Kind, k, was *release.Kind, changes *comparison, before *previous, lines *lists.Lines,
) (e *edit, err error) {
	e = &edit{}
	switch k.Kind {
	case record.KindGraphNode, record.KindGraphEdge:
		*e, err = graphEdit(p, k, before, lines.Add)
	case changeEvent:
		// events are carried over word for word, so that all that differ are new, but for the
		// first, which archives have now: they are left out, and not gone
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
		numbers, spool := p.records.of(kind).numbers, p.records.spool.Reader()
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

// graphEdit finds what leads from the nodes or edges of the previous release to the new ones. Both
// have the same order, so lines that both have stay where they are.
func graphEdit(p *publication, k *release.Kind, before *previous, add func([]byte) lists.Ref) (e edit, err error) {
	places, count, err := linesBefore(before.Records(k.Kind))
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
	for line, err := range before.Trusted().Records(k.Kind) { // it was read a moment ago
		if err != nil {
			return e, unreadable(err)
		}
		if place++; stays[place] {
			continue
		}
		e.leftOut = append(e.leftOut, place)
		var g graphLine
		if err := json.Unmarshal(line, &g); err != nil {
			return e, unreadable(err)
		}
		if !removed[g.ID] && !isInGraph(p.records, &g) {
			removed[g.ID], e.removed = true, append(e.removed, g.ID)
		}
	}
	return e, nil
}

// linesBefore returns the place of each line of the collection before, and how many lines it has.
func linesBefore(before iter.Seq2[[]byte, error]) (places map[layout.Short]int32, count int32, err error) {
	places = map[layout.Short]int32{}
	for line, err := range before {
		if err != nil {
			return nil, 0, unreadable(err)
		}
		places[layout.Shorten(line)] = count
		count++
	}
	return places, count, nil
}

// graphLine is what is needed of a node or an edge.
type graphLine struct {
	ID       string `json:"id"`
	Source   string `json:"source"`
	Target   string `json:"target"`
	Relation string `json:"relation"`
}

// isInGraph reports whether a node or an edge with an ID is still there. An edge may be asserted by
// the records at both of its ends, and then stands there twice.
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
