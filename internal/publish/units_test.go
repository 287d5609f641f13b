package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/check"
	"stele/record"
	"stele/release"
)

// texts are hard to write as JSON.
var texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"\/`, "<b>&amp;</b>", "\u2028\u2029", "\x00\x1f\x7f", "é ☃ 𝄞"}))

var ids = rapid.StringMatching(`[A-Za-z0-9]([A-Za-z0-9_-]{0,126}[A-Za-z0-9])?`)

// TestLinesByHand: what is written by hand, for speed, is what the typed records would be.
func TestLinesByHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := record.Envelope{
			ID: record.ID(ids.Draw(t, "id")), Kind: "evidence", Version: rapid.Int64Min(1).Draw(t, "version"),
			Title: strings.ToValidUTF8(
				texts.Draw(t, "title"),
				"",
			), UpdatedDate: record.Date(rapid.SampledFrom([]string{"", "2026-01-10"}).Draw(t, "date")),
		}
		node := &record.GraphNode{
			Envelope:   record.Envelope{ID: e.ID, Kind: "graph_node", Version: e.Version},
			RecordID:   e.ID,
			RecordKind: e.Kind,
			Label:      e.Title,
		}
		same(t, appendNode(nil, &e), record.AppendJSON(nil, record.KindNamed("graph_node"), node))

		r := check.Relation{Source: ids.Draw(t, "source"), Target: ids.Draw(t, "target"), Relation: "derived_from"}
		edge := &record.GraphEdge{
			Envelope: record.Envelope{
				ID:      record.ID(edgeID(r)),
				Kind:    "graph_edge",
				Version: 1,
			}, Source: record.ID(r.Source), Target: record.ID(r.Target),
			Relation: r.Relation, Directed: true, AssertedBy: e.ID,
		}
		same(t, appendEdge(nil, r, string(e.ID)), record.AppendJSON(nil, record.KindNamed("graph_edge"), edge))

		want := release.Entry{
			ID:      string(e.ID),
			Version: e.Version,
			Title:   e.Title,
			Updated: string(e.UpdatedDate),
			SHA256:  release.Sum([]byte(e.Title)),
		}
		var got release.Entry
		if err := json.Unmarshal(appendEntry(nil, &e, want.SHA256), &got); err != nil || got != want {
			t.Fatalf("a line of the listing is read as %+v, want %+v: %v", got, want, err)
		}
	})
}

func same(t *rapid.T, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Fatalf("by hand:\n%s\nas a record:\n%s", got, want)
	}
}

// TestMadeIDs: what is named after records has IDs of the right form, each its own.
func TestMadeIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		releaseID := rapid.StringMatching(`[0-9a-f]{12}`).Draw(t, "release")
		relations := record.ListOf[record.Relation]()
		one := check.Relation{
			Source:   ids.Draw(t, "source"),
			Target:   ids.Draw(t, "target"),
			Relation: record.Relation(rapid.SampledFrom(relations).Draw(t, "relation").Word),
		}
		two := check.Relation{Source: one.Target, Target: one.Source, Relation: one.Relation}
		for _, id := range []string{
			edgeID(one), edgeID(two), string(eventID(releaseID, one.Source)),
			string(eventID(releaseID, one.Target)),
		} {
			if message, _ := record.CheckID(id); message != "" {
				t.Fatalf("%s: %s", id, message)
			}
		}
		if one.Source != one.Target &&
			(edgeID(one) == edgeID(two) || eventID(releaseID, one.Source) == eventID(releaseID, one.Target)) {
			t.Fatalf("%v and %v have the same ID", one, two)
		}
	})
	seen := map[string]bool{}
	for i := range 20_000 {
		id := strings.Repeat("long-", 24) + fmt.Sprint(i)
		seen[edgeID(check.Relation{Source: id, Target: id, Relation: "about"})] = true
		seen[string(eventID("0123456789ab", id))] = true
	}
	if len(seen) != 40_000 {
		t.Errorf("%d IDs of 40000", len(seen))
	}
}

func edgeID(r check.Relation) string { return string(appendEdgeID(nil, r)) }

// scratch is a Writer that makes scratch files only.
type scratch struct {
	Writer
	dir string
}

func (s scratch) Scratch() (*os.File, error) { return os.CreateTemp(s.dir, "") }

// TestSpool fills sections in turn, as several goroutines do, and reads back in several orders;
// some pieces are longer than what is read ahead.
func TestSpool(t *testing.T) {
	s, err := newSpool(scratch{dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + random.IntN(26))
		}
		return b
	}
	type content struct {
		record, index, node []byte
		variants            [3][]byte
		kept                []byte // what the section answered with
	}
	pieces := make([]content, 1000)
	makers := []*maker{newMaker(Options{}, s, true), newMaker(Options{}, s, false), newMaker(Options{}, s, true)}
	for i := range pieces {
		p := content{record: text(random.IntN(3000)), index: text(random.IntN(200)), node: text(random.IntN(100))}
		if i%50 == 7 {
			p.record = text(700_000)
		}
		if i%3 == 0 {
			p.variants = [3][]byte{text(random.IntN(500)), nil, text(random.IntN(500))}
		}
		m := makers[random.IntN(len(makers))]
		data, offset, err1 := m.records.add(p.record, p.variants[0], p.variants[1], p.variants[2])
		_, lines, err2 := m.lines.add(p.index, p.node)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		at := stored{
			offset: offset,
			lines:  lines,
			record: uint32(len(p.record)),
			index:  uint32(len(p.index)),
			node:   uint32(len(p.node)),
		}
		for e, v := range p.variants {
			at.variants[e] = uint32(len(v))
		}
		s.stored.Add(at)
		if m.records.keeps {
			p.kept = data
		}
		pieces[i] = p
	}
	for _, m := range makers {
		if err := m.flush(); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range pieces {
		if p.kept != nil && !bytes.Equal(p.kept, slices.Concat(p.record, p.variants[0], p.variants[1], p.variants[2])) {
			t.Fatalf("piece %d was overwritten in memory", i)
		}
	}
	forward := make([]int, len(pieces))
	for i := range forward {
		forward[i] = i
	}
	backward := make([]int, len(pieces))
	for i := range backward {
		backward[i] = len(pieces) - 1 - i
	}
	for name, order := range map[string][]int{"forward": forward, "backward": backward, "random": random.Perm(len(pieces))} {
		for _, i := range order {
			want, n := &pieces[i], int32(i)
			record, err1 := s.record(n)
			okRecord := bytes.Equal(record, want.record) // valid until the next read
			index, err2 := s.index(n)
			okIndex := bytes.Equal(index, want.index)
			node, err3 := s.node(n)
			okNode := bytes.Equal(node, want.node)
			if err1 != nil || err2 != nil || err3 != nil || !okRecord || !okIndex || !okNode {
				t.Fatalf("%s: piece %d is not as it was: %v, %v, %v", name, i, err1, err2, err3)
			}
			for e := range want.variants {
				if data, err := s.variant(n, e); err != nil || !bytes.Equal(data, want.variants[e]) {
					t.Fatalf("%s: variant %d of %d is not as it was: %v", name, e, i, err)
				}
			}
		}
	}
}

func TestListingFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := map[string]bool{}
		for _, id := range rapid.SliceOf(ids).Draw(t, "ids") {
			set[id] = true
		}
		var l listing
		sorted := sortedKeys(set)
		for i, id := range sorted {
			l.add(release.Entry{ID: id, Version: int64(i)})
		}
		asked := rapid.SliceOf(rapid.OneOf(ids, rapid.SampledFrom(append(sorted, "nothing")))).Draw(t, "asked")
		for _, id := range append(asked, sorted...) {
			at := l.find(id)
			if set[id] != (at >= 0) || at >= 0 && sorted[at] != id {
				t.Fatalf("%q is at %d of %q", id, at, sorted)
			}
		}
	})
}

func sortedKeys(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for id := range set {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

// TestInOrder makes parts of different lengths and uses them in their order.
func TestInOrder(t *testing.T) {
	for _, parts := range []int{0, 1, 2, 1000} {
		var got []byte
		inOrder(
			parts,
			func(i int) []byte { return fmt.Appendf(nil, "%d,", i) },
			func(b []byte) { got = append(got, b...) },
		)
		var want []byte
		for i := range parts {
			want = fmt.Appendf(want, "%d,", i)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d parts: %s", parts, got)
		}
	}
}
