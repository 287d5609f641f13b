package serve

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"testing"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/http1"
	"stele/internal/deliver/serve/http2"
	"stele/internal/testkit/specimen"
)

// sink is a connection that forgets what is written to it.
type sink struct{ net.Conn }

func (sink) Write(p []byte) (int, error) { return len(p), nil }
func (sink) SetDeadline(time.Time) error { return nil }

// TestNoAllocation: the common requests are read, looked up and answered without allocating
// anything, from memory and from disk. There, variants of records are left out: files are
// opened for them.
func TestNoAllocation(t *testing.T) {
	for _, opt := range []Options{{}, {Memory: 1}} {
		l := openSpecimen(t, opt)
		scarcely(l)
		s := New(l, opt)
		defer s.Shutdown(context.Background())
		etag := tagOf(answered(l, specimen.Plain, ""))
		for name, c := range map[string]struct {
			request string
			want    int
			opens   bool // whether it opens files if the release is on disk
		}{
			"record":              {ofClient("wrk", specimen.Record), 200, false},
			"record of a browser": {ofClient("chromium", specimen.Record), 200, true},
			"record with gzip":    {get(specimen.Record, "Accept-Encoding: gzip"), 200, true},
			"record, head only":   {head(specimen.Record), 200, false},
			"page":                {get("/"), 200, false},
			"304 by tag":          {get(specimen.Plain, "If-None-Match: W/\"other\", "+etag), 304, false},
			"304 by time":         {get(specimen.Plain, "If-Modified-Since: "+specimen.Modified.Format(http.TimeFormat)), 304, false},
			"404":                 {get("/api/v1/evidence/evd-nothing.json"), 404, false},
			"404 as a page":       {get("/nothing", "Accept: text/html", "Accept-Encoding: br"), 404, false},
		} {
			session := http1.Session{Port: s.desk, Out: make([]byte, 0, http1.AnswerRoom)}
			lane := lane{house: s.house, Session: session, conn: sink{}}
			data := []byte(c.request)
			n := testing.AllocsPerRun(100, func() {
				if _, v := lane.Take(data, &lane.progress); v != http1.Whole || lane.InFull {
					t.Fatalf("%s is not recognised", name)
				}
				lane.Ask()
				lane.Compose(lane.of)
				if err := lane.send(); err != nil {
					t.Fatal(err)
				}
			})
			if opt.Memory == 1 && c.opens {
				n = 0
			}
			if n != 0 || lane.Answer.Status != c.want {
				t.Errorf("%s: %v allocations for a %d, want none for a %d", name, n, lane.Answer.Status, c.want)
			}
		}
	}
}

// TestNoAllocationHTTP2: nor does HTTP/2 allocate, once a client has said what it always says.
func TestNoAllocationHTTP2(t *testing.T) {
	for _, opt := range []Options{{}, {Memory: 1}} {
		l := openSpecimen(t, opt)
		scarcely(l)
		s := New(l, opt)
		defer s.Shutdown(context.Background())
		for path, want := range map[string]int{specimen.Record: 200, "/": 200, specimen.Plain: 200, "/api/v1/evidence/evd-nothing.json": 404} {
			c, said := new(http2.Session), newSaid()
			c.Begin(s.desk, (*counted)(nil))
			said.ask(1, "GET", path)
			hear(t, c, said.Bytes())
			said.Reset()
			said.ask(3, "GET", path) // after the first time, the client only sends numbers
			frame, id := said.Bytes(), uint32(3)
			ask := func() {
				binary.BigEndian.PutUint32(frame[5:], id)
				id += 2
				hear(t, c, frame)
				c.Out = c.Out[:0] // sent
			}
			ask()
			before := s.metrics.requests[want].Load()
			n := testing.AllocsPerRun(100, ask)
			if got := s.metrics.requests[want].Load() - before; n != 0 || got != 101 {
				t.Errorf("%s: %v allocations, and %d answers of 101 are %d", path, n, got, want)
			}
		}
	}
}

// scarce is a share of the time of which one suggestion uses up all.
const scarce = 1e8

// scarcely lets a library make no suggestions for a while.
func scarcely(l *library.Library) {
	library.ForTest(l).SetSuggesting(scarce)
	library.ForTest(l).Exhaust()
}
