package serve

import (
	"context"
	"net"
	"testing"
	"time"
)

// sink is a connection that forgets what is written to it.
type sink struct{ net.Conn }

func (sink) Write(p []byte) (int, error) { return len(p), nil }
func (sink) SetDeadline(time.Time) error { return nil }

// TestNoAllocation: the common requests are read, looked up and answered without allocating anything, from memory and from the shelf. There, variants of records are left out: files are opened for them.
func TestNoAllocation(t *testing.T) {
	for _, opt := range []Options{{}, {Memory: 1}} {
		l := openSpecimen(t, opt)
		s := New(l, opt)
		defer s.Shutdown(context.Background())
		etag := l.files["plain.txt"].forms[0].etag()
		for name, c := range map[string]struct {
			request string
			want    int
			opens   bool // whether it opens files if the release is on a shelf
		}{
			"record":              {ofClient("wrk", specimenRecord), 200, false},
			"record of a browser": {ofClient("chromium", specimenRecord), 200, true},
			"record with gzip":    {get(specimenRecord, "Accept-Encoding: gzip"), 200, true},
			"record, head only":   {head(specimenRecord), 200, false},
			"page":                {get("/"), 200, false},
			"304 by tag":          {get(specimenPlain, "If-None-Match: W/\"other\", "+string(etag)), 304, false},
			"304 by time":         {get(specimenPlain, "If-Modified-Since: "+sampleTime), 304, false},
			"404":                 {get("/api/v1/evidence/evd-nothing.json"), 404, false},
			"404 as a page":       {get("/nothing", "Accept: text/html", "Accept-Encoding: br"), 404, false},
		} {
			lane := lane{server: s, conn: sink{}, out: make([]byte, 0, answerRoom)}
			data := []byte(c.request)
			var r request
			var a answer
			n := testing.AllocsPerRun(100, func() {
				if _, v := recognise(data, &r); v != whole {
					t.Fatalf("%s is not recognised", name)
				}
				if err := lane.reply(&r, &a); err != nil {
					t.Fatal(err)
				}
			})
			if l.shelf != nil && c.opens {
				n = 0
			}
			if n != 0 || a.status != c.want {
				t.Errorf("%s: %v allocations for a %d, want none for a %d", name, n, a.status, c.want)
			}
		}
	}
}
