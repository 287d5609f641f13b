package serve

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/deliver/serve/http1"
)

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
		lane := lane{house: s.house, Session: http1.Session{Port: s.desk}, conn: sink{}}
		paths := append(slices.Clone(specimenPaths), "/api/v1/signals/sig-congo-outbreak.json", "/api/v1/proof/clm-deaths-fell.json")
		for range 3 {
			for _, path := range paths {
				data := []byte(get(path))
				if _, v := lane.Take(data, &lane.progress); v != http1.Whole || lane.InFull {
					t.Fatalf("%s is not recognised", path)
				}
				lane.Ask()
				lane.Compose(lane.of)
				if err := lane.send(); err != nil {
					t.Fatal(err)
				}
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

// TestByteByByte: a request gets the same answer whether it comes at once or byte by byte.
func TestByteByByte(t *testing.T) {
	l := openSpecimen(t, Options{})
	s := New(l, Options{})
	defer s.Shutdown(context.Background())
	session := http1.Session{Port: s.desk}
	// answers lets the session take a request that comes in pieces of a size.
	answers := func(data []byte, size int) (out []string) {
		var p http1.Progress
		for at, have := 0, 0; have < len(data); {
			have = min(have+size, len(data))
			for v := http1.Whole; v != http1.Partial; {
				var n int
				n, v = session.Take(data[at:have], &p)
				at += n
				if v == http1.Whole {
					session.Ask()
					session.Compose((*counted)(nil))
				}
				if v != http1.Partial {
					out = append(out, string(session.Out))
					session.End(&session.Reply)
				}
				if v == http1.Refused {
					return out
				}
			}
		}
		return out
	}
	for _, request := range slices.Concat(odd, []string{ofClient("chromium", "/"), "\r\n" + get("/") + "\r\n\r\n" + get("/?x")}) {
		if len(request) > 6<<10 {
			continue // of what is too large, some is refused sooner
		}
		whole, pieces := answers([]byte(request), len(request)), answers([]byte(request), 1)
		if date := regexp.MustCompile("Date: .*"); !slices.EqualFunc(whole, pieces, func(a, b string) bool {
			return date.ReplaceAllString(a, "") == date.ReplaceAllString(b, "")
		}) {
			t.Errorf("%.300q: %.300q, and byte by byte %.300q", request, whole, pieces)
		}
	}
}
