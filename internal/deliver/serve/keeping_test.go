package serve

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/deliver/serve/http1"
	"stele/internal/testkit/must"
)

// sink is a connection that forgets what is written to it.
type sink struct{ net.Conn }

func (sink) Write(p []byte) (int, error) { return len(p), nil }
func (sink) SetDeadline(time.Time) error { return nil }

// memo is a log that keeps what it is told, as one that writes later does.
type memo struct{ records *[]slog.Record }

func (m memo) Enabled(context.Context, slog.Level) bool { return true }
func (m memo) WithAttrs([]slog.Attr) slog.Handler       { return m }
func (m memo) WithGroup(string) slog.Handler            { return m }
func (m memo) Handle(_ context.Context, r slog.Record) error {
	*m.records = append(*m.records, r.Clone())
	return nil
}

// TestNothingKeepsRequests: the texts of a request lie in the connection's buffer, which the next
// request overwrites. Nothing that stays may refer to them.
func TestNothingKeepsRequests(t *testing.T) {
	for _, budget := range []int64{0, 1} { // in memory, and on disk
		var logged []slog.Record
		opt := Options{Memory: budget, AccessLog: true, Log: slog.New(memo{&logged})}
		l := openSpecimen(t, opt)
		s := New(l, opt)
		defer s.Shutdown(context.Background())
		lane := lane{shared: s.sharedState, Session: http1.Session{Port: s.responder}, conn: sink{}}
		paths := append(slices.Clone(specimenPaths), "/api/v1/signals/sig-congo-outbreak.json", "/api/v1/proof/clm-deaths-fell.json")
		for range 3 {
			for _, path := range paths {
				data := []byte(get(path))
				if _, v := lane.Take(data, &lane.progress); v != http1.Whole || lane.InFull {
					t.Fatalf("%s is not recognised", path)
				}
				lane.Ask()
				lane.Compose(lane.of)
				must.Do(t, lane.send())
				copy(data, strings.Repeat("x", len(data)))
			}
		}
		expectPaths(t, paths, pathsIn(logged))
	}
}

func pathsIn(records []slog.Record) (paths []string) {
	for _, r := range records {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "path" {
				paths = append(paths, a.Value.String())
			}
			return true
		})
	}
	return paths
}

func expectPaths(t *testing.T, asked, kept []string) {
	t.Helper()
	if len(kept) == 0 {
		t.Error("nothing is kept")
	}
	for _, path := range kept {
		if !slices.Contains(asked, path) {
			t.Errorf("%q is kept, which nobody asked for", path)
		}
	}
}
