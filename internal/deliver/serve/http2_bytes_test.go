package serve

import (
	"bytes"
	"context"
	"maps"
	"testing"

	"golang.org/x/net/http2/hpack"

	"stele/internal/testkit/specimen"
)

// TestHTTP2WithoutConnection: the protocol needs no connection, and it is all the same in which
// pieces bytes come.
func TestHTTP2WithoutConnection(t *testing.T) {
	s := New(openSpecimen(t, Options{}), Options{})
	defer s.Shutdown(context.Background())
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	said := appendSettings([]byte(preface))
	want := map[uint32]string{}
	for i, ask := range []struct{ method, path, status string }{
		{"GET", specimen.Record, "200"}, {"HEAD", "/", "200"}, {"GET", "/nothing/here", "404"}, {"POST", "/", "405"},
	} {
		block.Reset()
		for _, f := range requestFields(ask.method, ask.path, "User-Agent: test") {
			encoder.WriteField(f)
		}
		id := uint32(2*i + 1)
		said = appendFrameHead(said, block.Len(), frameHeaders, flagEndHeaders|flagEndStream, id)
		said = append(said, block.Bytes()...)
		want[id] = ask.status
	}
	for _, size := range []int{1, 7, 100, len(said)} {
		c := &h2{in: make([]byte, usualFrames)}
		c.begin(s, nil)
		var told []byte
		for rest := said; len(rest) > 0; {
			n := copy(c.free(), rest[:min(size, len(rest))])
			c.have, rest = c.have+n, rest[n:]
			if !c.begun {
				if err := c.takePreface(); err != nil {
					t.Fatal(err)
				}
			}
			for more := c.begun; more; {
				var err error
				if more, err = c.takeAll(); err != nil {
					t.Fatal(err)
				}
				c.sendBodies()
				told, c.out = append(told, c.out...), c.out[:0]
			}
		}
		if got := statuses(t, told); !maps.Equal(got, want) {
			t.Errorf("in pieces of %d bytes: %v, not %v", size, got, want)
		}
		c.forget()
	}
}

// statuses are those of the answers among frames, by stream.
func statuses(t *testing.T, frames []byte) map[uint32]string {
	t.Helper()
	found := map[uint32]string{}
	stream := uint32(0)
	decoder := hpack.NewDecoder(firstTable, func(f hpack.HeaderField) {
		if f.Name == ":status" {
			found[stream] = f.Value
		}
	})
	for len(frames) > 0 {
		f, size, err := nextFrame(frames)
		if err != nil || size == 0 {
			t.Fatalf("%d bytes are no frame: %v", len(frames), err)
		}
		if f.typ == frameHeaders {
			stream = f.stream
			if _, err := decoder.Write(f.data); err != nil {
				t.Fatal(err)
			}
		}
		frames = frames[size:]
	}
	return found
}
