package publish

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/build/files"
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
		if err != nil {
			return err
		}
		defer s.close()
		// how well it can be compressed, the earlier collection tells
		size := int64(float64(s.size()) * float64(measure(from)) / float64(max(from.Size, 1)))
		if s == nil || size > budget {
			return nil
		}
		budget -= size
		d := layout.Delta{
			From: before.Release, Before: from.SHA256,
			Path: layout.DeltaPath(before.Release, layout.FolderOf(k.Listing)),
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
	if c.since == "" {
		c.since = previous
	}
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

func (s *step) close() {
	if s != nil {
		s.lines.Close() // what it held is written, or not wanted
	}
}

// size is about how many bytes it will have.
func (s *step) size() int64 {
	if s == nil {
		return 0
	}
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
		*e, err = graphEdit(p, k, was, before, lines.Add)
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

// aligned is a line of one of two collections.
type aligned struct {
	place int64
	text  []byte
}

// align walks down two collections and finds what leads from the one to the other. Lines that are
// the same stay; of two that differ, order says which one comes first, or with 0 that both belong
// to one thing. Whatever it says, what is found does lead there; an order that both have makes it
// short. Lines that are left out are given to drop, those that are put in to add.
func (e *edit) align(was, is iter.Seq2[[]byte, error], order func(was, is aligned) int,
	drop func([]byte) error, add func([]byte),
) error {
	old, stopOld := lookAhead(was)
	defer stopOld()
	now, stopNow := lookAhead(is)
	defer stopNow()
	put := func(line aligned) {
		e.placed = append(e.placed, line.place)
		add(line.text)
	}
	leave := func(line aligned) error {
		e.leftOut = append(e.leftOut, line.place)
		return drop(line.text)
	}
	for old.ok || now.ok {
		if err := errors.Join(old.err, now.err); err != nil {
			return err
		}
		first := 0
		switch {
		case !now.ok:
			first = -1
		case !old.ok:
			first = 1
		case bytes.Equal(old.text, now.text):
			old.next()
			now.next()
			continue
		default:
			first = order(old.aligned, now.aligned)
		}
		switch {
		case first < 0:
			if err := leave(old.aligned); err != nil {
				return err
			}
			old.next()
		case first > 0:
			put(now.aligned)
			now.next()
		default:
			x, y := old.aligned.clone(), now.aligned.clone()
			before := old.take(func(line aligned) bool { return order(line, y) == 0 })
			after := now.take(func(line aligned) bool { return order(x, line) == 0 })
			stay := slices.Equal(common(before, after), common(after, before)) // else their order is another
			for _, line := range before {
				if !stay || !line.in(after) {
					if err := leave(line); err != nil {
						return err
					}
				}
			}
			for _, line := range after {
				if !stay || !line.in(before) {
					put(line)
				}
			}
		}
	}
	return nil
}

// common are the lines of a list that are in another too.
func common(list, other []aligned) (texts []string) {
	for _, line := range list {
		if line.in(other) {
			texts = append(texts, string(line.text))
		}
	}
	return texts
}

func (a aligned) clone() aligned { return aligned{a.place, bytes.Clone(a.text)} }

func (a aligned) in(list []aligned) bool {
	return slices.ContainsFunc(list, func(other aligned) bool { return bytes.Equal(other.text, a.text) })
}

// ahead is lines of which the next one is known.
type ahead struct {
	aligned
	ok   bool
	err  error
	pull func() ([]byte, error, bool)
}

func lookAhead(lines iter.Seq2[[]byte, error]) (a *ahead, stop func()) {
	a = &ahead{aligned: aligned{place: -1}}
	a.pull, stop = iter.Pull2(lines)
	a.next()
	return a, stop
}

func (a *ahead) next() {
	a.place++
	a.text, a.err, a.ok = a.pull()
}

// take takes lines as long as they belong together.
func (a *ahead) take(belongs func(aligned) bool) (list []aligned) {
	for a.ok && a.err == nil && belongs(a.aligned) {
		list = append(list, a.aligned.clone())
		a.next()
	}
	return list
}

// graphEdit finds what leads from the nodes or edges of the previous release to the new ones.
func graphEdit(p *publication, k, was *release.Kind, before *previous, add func([]byte)) (e edit, err error) {
	checker := p.records.checker
	kindNow := func(id string) int {
		if n := checker.Number(id); n >= 0 {
			return checker.Kind(n)
		}
		return -1
	}
	kindThen := func(id string) int {
		return slices.IndexFunc(before.kinds, func(l listing) bool { return l.find(id) != nil })
	}
	order := func(x, y aligned) int {
		return compareGraph(keyInGraph(x, was, kindThen), keyInGraph(y, k, kindNow))
	}
	removed := map[string]bool{}
	drop := func(line []byte) error {
		var g graphLine
		if err := json.Unmarshal(line, &g); err != nil {
			return unreadable(err)
		}
		if !removed[g.ID] && !isInGraph(p.records, &g) {
			removed[g.ID], e.removed = true, append(e.removed, g.ID)
		}
		return nil
	}
	old := func(yield func([]byte, error) bool) {
		for line, err := range before.Records(k.Kind) {
			if err != nil {
				err = unreadable(err)
			}
			if !yield(line, err) {
				return
			}
		}
	}
	err = e.align(old, p.readBack(k.Collection), order, drop, add)
	return e, err
}

// graphLine is what is needed of a node or an edge.
type graphLine struct {
	ID         string `json:"id"`
	RecordID   string `json:"record_id"`
	AssertedBy string `json:"asserted_by"`
	Source     string `json:"source"`
	Target     string `json:"target"`
	Relation   string `json:"relation"`
}

// graphKey is where a node or an edge stands among the others: those of the publisher by their
// IDs, then those of records, kind by kind.
type graphKey struct {
	derived bool
	kind    int
	id      string
}

func keyInGraph(line aligned, k *release.Kind, kindOf func(id string) int) graphKey {
	var g graphLine
	if json.Unmarshal(line.text, &g) != nil { // what a publisher's machine wrote once; any order will do
		return graphKey{}
	}
	if line.place < int64(k.Count-k.Derived) {
		return graphKey{id: g.ID}
	}
	id := cmp.Or(g.AssertedBy, g.RecordID)
	return graphKey{true, kindOf(id), id}
}

func compareGraph(x, y graphKey) int {
	if x.derived != y.derived {
		if x.derived {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(x.kind, y.kind), strings.Compare(x.id, y.id))
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
