package serve

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2/hpack"

	"stele/internal/deliver/library"
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
			lane := lane{http1: http1{server: s, out: make([]byte, 0, answerRoom)}, conn: sink{}}
			data := []byte(c.request)
			n := testing.AllocsPerRun(100, func() {
				if _, v := lane.take(data, false, nil, nil); v != whole {
					t.Fatalf("%s is not recognised", name)
				}
				if err := lane.send(); err != nil {
					t.Fatal(err)
				}
			})
			if opt.Memory == 1 && c.opens {
				n = 0
			}
			if n != 0 || lane.answer.Status != c.want {
				t.Errorf("%s: %v allocations for a %d, want none for a %d", name, n, lane.answer.Status, c.want)
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
			c := new(h2)
			c.begin(s, nil)
			var block bytes.Buffer
			encoder := hpack.NewEncoder(&block)
			ask := func(id uint32) {
				c.head = frame{typ: frameHeaders, flags: flagEndHeaders | flagEndStream, stream: id}
				if err := c.takeHead(block.Bytes()); err != nil {
					t.Fatal(err)
				}
				c.out = c.out[:0] // sent
			}
			id := uint32(1)
			for range 2 { // after the first time, the client only sends numbers
				block.Reset()
				for _, f := range requestFields("GET", path, "User-Agent: test", "Accept: application/json") {
					encoder.WriteField(f)
				}
				ask(id)
				id += 2
			}
			before := s.metrics.requests[want].Load()
			n := testing.AllocsPerRun(100, func() {
				c.window = firstWindow
				ask(id)
				id += 2
			})
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
