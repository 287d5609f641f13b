package serve

import (
	"bytes"
	"context"
	"io"
	"maps"
	"testing"

	wire2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"stele/internal/deliver/serve/http2"
	"stele/internal/testkit/specimen"
)

// Limits of HTTP/2 itself, and of what waits here.
const (
	maxWindow   = 1<<31 - 1
	firstWindow = 1<<16 - 1
	maxFrame    = 1 << 14
	maxWaiting  = http2.MaxWaiting
	maxWaits    = http2.MaxWaits
	maxKept     = http2.MaxKept
	maxWaitsAll = http2.MaxWaitsAll
)

// said is what a client of HTTP/2 says, as bytes.
type said struct {
	bytes.Buffer
	framer  *wire2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
}

// newSaid begins with the preface and a wide window.
func newSaid() *said {
	s := new(said)
	s.framer, s.encoder = wire2.NewFramer(&s.Buffer, nil), hpack.NewEncoder(&s.block)
	s.WriteString(wire2.ClientPreface)
	s.framer.WriteSettings()
	s.framer.WriteWindowUpdate(0, 1<<30)
	return s
}

// ask says a request.
func (s *said) ask(id uint32, method, path string) {
	s.block.Reset()
	for _, f := range requestFields(method, path, "User-Agent: test", "Accept: application/json") {
		s.encoder.WriteField(f)
	}
	s.framer.WriteHeaders(wire2.HeadersFrameParam{
		StreamID: id, BlockFragment: s.block.Bytes(), EndStream: true, EndHeaders: true,
	})
}

// hear lets a session take some bytes, as far as it has room for them at a time.
func hear(t *testing.T, c *http2.Session, data []byte) {
	t.Helper()
	for len(data) > 0 {
		n := copy(c.Free(), data)
		c.Came(n)
		data = data[n:]
		if !c.HasBegun() {
			if err := c.TakePreface(); err != nil {
				t.Fatal(err)
			}
		}
		for more := c.HasBegun(); more; {
			var err error
			if more, err = c.TakeAll(); err != nil {
				t.Fatal(err)
			}
			c.SendBodies()
		}
	}
}

// TestHTTP2WithoutConnection: the protocol needs no connection, and it is all the same in which
// pieces bytes come.
func TestHTTP2WithoutConnection(t *testing.T) {
	s := New(openSpecimen(t, Options{}), Options{})
	defer s.Shutdown(context.Background())
	all, want := newSaid(), map[uint32]string{}
	for i, ask := range []struct{ method, path, status string }{
		{"GET", specimen.Record, "200"}, {"HEAD", "/", "200"}, {"GET", "/nothing/here", "404"}, {"POST", "/", "405"},
	} {
		id := uint32(2*i + 1)
		all.ask(id, ask.method, ask.path)
		want[id] = ask.status
	}
	for _, size := range []int{1, 7, 100, all.Len()} {
		c := new(http2.Session)
		c.Begin(s.desk, (*counted)(nil))
		for rest := all.Bytes(); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			hear(t, c, rest[:min(size, len(rest))])
		}
		if got := statuses(t, c.Out); !maps.Equal(got, want) {
			t.Errorf("in pieces of %d bytes: %v, not %v", size, got, want)
		}
		c.Forget()
	}
}

// statuses are those of the answers among frames, by stream.
func statuses(t *testing.T, frames []byte) map[uint32]string {
	t.Helper()
	found := map[uint32]string{}
	in := wire2.NewFramer(io.Discard, bytes.NewReader(frames))
	in.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		f, err := in.ReadFrame()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if head, ok := f.(*wire2.MetaHeadersFrame); ok {
			found[head.StreamID] = head.PseudoValue("status")
		}
	}
}
