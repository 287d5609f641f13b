package compiler_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/sample"
)

// renderAll writes a page for each record, with what is known of it.
func renderAll(e render.Records, out render.Output) error {
	for _, k := range record.Kinds {
		if !k.HasPage() {
			continue
		}
		type worker struct {
			records render.Reader
			*record.Parser
		}
		idle := sync.Pool{New: func() any { return &worker{e.Reader(), new(record.Parser)} }}
		path := func(i int) string { return render.PagePath(k, e.ID(k, i)) }
		err := out.Each(e.Len(k), path, func(i int, b []byte) ([]byte, error) {
			w := idle.Get().(*worker)
			defer idle.Put(w)
			data, err := w.records.Record(k, i)
			if err != nil {
				return nil, err
			}
			rec, err := w.Parse(k, data)
			if err != nil {
				return nil, err
			}
			id := e.ID(k, i)
			kind, at, ok := e.Find(id)
			b = fmt.Appendf(b, "%s %s %v %v %v\n", rec.Common().Title, e.Title(id), kind == k, at == i, ok)
			for l := range e.Edges(k, i) {
				b = fmt.Appendf(b, "%s %v %s\n", l.Relation, l.Out, l.ID)
			}
			b = fmt.Appendf(b, "%d events\n%s", e.EventsOf(k, i).Len(), strings.Repeat("text that can be compressed ", 200))
			return b, nil
		})
		if err != nil {
			return err
		}
	}
	count := 0
	for range e.Collection(record.KindNamed("graph_edge")) {
		count++
	}
	return out.Put("counts.txt", fmt.Appendf(nil, "%d edges, %d events", count, e.Events(nil).Len()))
}

// everyNode is the sample with every statistic in the graph.
func everyNode(t *testing.T) fs.FS {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, sample.Files))
	f, err := os.OpenFile(filepath.Join(dir, "stele.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("\ngraph_statistics: true\n")
	}
	must.Do(t, errors.Join(err, f.Close()))
	return os.DirFS(dir)
}

// TestEdges: a record has each edge of the whole graph that begins or ends at it, once, however
// many records there are and however often they say so.
func TestEdges(t *testing.T) {
	const signals = 200
	var lines strings.Builder
	for i := range signals {
		fmt.Fprintf(&lines, `{"id":"sig-%03d","version":1,"title":"t","summary":"s","signal_type":"trend","observation":"Seen.","detected_date":"2026-01-01","evidence_ids":["evd-who-two-doses"],`+
			`"source_links":[{"url":"https://example.org/1","source_id":"src-who-gho","role":"primary"},{"url":"https://example.org/2","source_id":"src-who-gho","role":"primary"}],`+
			`"claim_boundary":{"statement":"Nothing beyond."},"verification_date":"2026-11-01","published_date":"2026-11-01","updated_date":"2026-11-01","source_updates":[],"corrections":[]}`+"\n", i)
	}
	dir := t.TempDir()
	must.Do(t, errors.Join(
		os.CopyFS(dir, everyNode(t)),
		os.WriteFile(filepath.Join(dir, "records", "signals", "many.ndjson"), []byte(lines.String()), 0o644),
	))

	seen := map[string]int{}
	see := func(e render.Records, _ render.Output) error {
		for _, k := range record.Kinds {
			for i := range e.Len(k) {
				for l := range e.Edges(k, i) {
					if l.Out {
						seen[fmt.Sprintf("%s %s %s", e.ID(k, i), l.Relation, l.ID)]++
					} else {
						seen[fmt.Sprintf("%s %s %s", l.ID, l.Relation, e.ID(k, i))]++
					}
				}
			}
		}
		return nil
	}
	opt := compiler.Options{Date: sampleDate, NoVariants: true, Render: []render.Renderer{see}}
	r := makeRelease(t, os.DirFS(dir), opt)
	edges := 0
	for line, err := range r.Release.Records(record.KindGraphEdge) {
		must.Do(t, err)
		edges++
		var edge struct{ Source, Target, Relation string }
		must.Do(t, json.Unmarshal(line, &edge))
		key := fmt.Sprintf("%s %s %s", edge.Source, edge.Relation, edge.Target)
		if seen[key] != 2 {
			t.Errorf("%s: its two records have it %d times", key, seen[key])
		}
		delete(seen, key)
	}
	for key := range seen {
		t.Errorf("%s is no edge of the graph", key)
	}
	if edges < 2*signals {
		t.Errorf("%d edges", edges)
	}
}
