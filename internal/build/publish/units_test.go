package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/author/check"
	"stele/internal/base/schema"
	"stele/internal/disk/lists"
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
		r := check.Relation{Source: ids.Draw(t, "source"), Target: ids.Draw(t, "target"), Relation: "derived_from"}
		edge := &record.GraphEdge{
			Envelope: record.Envelope{
				ID:      record.ID(edgeID(r)),
				Kind:    "graph_edge",
				Version: 1,
			}, Source: record.ID(r.Source), Target: record.ID(r.Target),
			Relation: r.Relation, Directed: true, AssertedBy: e.ID,
		}
		same(t, appendEdge(nil, r, string(e.ID)), record.KindNamed("graph_edge").AppendJSON(nil, edge))

		want := release.Entry{
			ID:      string(e.ID),
			Version: e.Version,
			Title:   e.Title,
			Updated: string(e.UpdatedDate),
			SHA256:  sha256.Sum256([]byte(e.Title)),
		}
		line := lists.AppendEntry(nil, &want)
		same(t, appendNode(nil, want.ID, string(e.Kind), line), record.KindNamed("graph_node").AppendJSON(nil, node))
		var got release.Entry
		if err := json.Unmarshal(line, &got); err != nil || got != want {
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

// TestEdgeIDs: edges have IDs of the right form, each its own.
func TestEdgeIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		relations := schema.ListOf[record.Relation]()
		one := check.Relation{
			Source:   ids.Draw(t, "source"),
			Target:   ids.Draw(t, "target"),
			Relation: record.Relation(rapid.SampledFrom(relations).Draw(t, "relation").Word),
		}
		two := check.Relation{Source: one.Target, Target: one.Source, Relation: one.Relation}
		for _, id := range []string{edgeID(one), edgeID(two)} {
			if message, _ := record.ID(id).Problem(); message != "" {
				t.Fatalf("%s: %s", id, message)
			}
		}
		if one.Source != one.Target && edgeID(one) == edgeID(two) {
			t.Fatalf("%v and %v have the same ID", one, two)
		}
	})
	seen := map[string]bool{}
	for i := range 20_000 {
		id := strings.Repeat("long-", 24) + fmt.Sprint(i)
		seen[edgeID(check.Relation{Source: id, Target: id, Relation: "about"})] = true
	}
	if len(seen) != 20_000 {
		t.Errorf("%d IDs of 20000", len(seen))
	}
}

func edgeID(r check.Relation) string { return string(appendEdgeID(nil, r)) }
