package compiler

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/author/judging/check"
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

func edgeID(r check.Relation) string { return string(appendEdgeID(nil, r)) }
