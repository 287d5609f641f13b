package compress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/iotest"

	"stele/internal/testkit/must"

	"pgregory.net/rapid"
)

func encode(t interface{ Fatal(...any) }, e Encoding, data []byte) []byte {
	var b bytes.Buffer
	if err := e.Encode(&b, bytes.NewReader(data), int64(len(data))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(e Encoding, data []byte) ([]byte, error) {
	r, err := e.Reader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// records are bytes as a collection has them.
func records(n int) []byte {
	var b []byte
	for i := range n {
		b = fmt.Appendf(b, `{"id":"sig-%06d","kind":"signal","title":"Cases rose in district %d"},`+"\n", i, i*i%977)
	}
	return b
}

// all are the encodings at all their levels.
var all = append(slices.Clone(All), Far)

func TestRoundTrip(t *testing.T) {
	if len(Encodings) != 3 {
		t.Fatalf("%d encodings", len(Encodings))
	}
	for i, e := range Listings {
		if e.Name != Encodings[i].Name || e.Suffix != Encodings[i].Suffix {
			t.Errorf("listings are encoded as %s where others are as %s", e.Name, Encodings[i].Name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		for _, e := range all {
			if got, err := decode(e, encode(t, e, data)); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s: %d bytes of %d: %v", e.Name, len(got), len(data), err)
			}
		}
	})
	for _, e := range all { // above and below the size at which the level changes
		many := records(20_000)
		for _, data := range [][]byte{records(200), many[:maxTiny-1], many[:maxTiny], many[:maxTiny+1], many} {
			small := encode(t, e, data)
			if got, err := decode(e, small); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: %d bytes of %d: %v", e.Name, len(got), len(data), err)
			}
			if len(small) > len(data)/5 {
				t.Errorf("%s: %d bytes become %d", e.Name, len(data), len(small))
			}
		}
	}
}

// TestSameBytes: the same input gives the same bytes, whatever a writer was used for before, how
// the input comes, and how many work at once.
func TestSameBytes(t *testing.T) {
	large := 16_000
	if testing.Short() {
		large = 1_000
	}
	for _, e := range all {
		inputs := [][]byte{records(1), records(300), {}, records(large), bytes.Repeat([]byte{0}, 5000), records(299)}
		var want [][]byte
		for _, data := range inputs {
			fresh := e
			fresh.idle = new([classes]idle)
			want = append(want, encode(t, fresh, data))
		}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 3 {
					for i, data := range inputs {
						var b bytes.Buffer
						if err := e.Encode(&b, bytes.NewReader(data), int64(len(data))); err != nil ||
							!bytes.Equal(b.Bytes(), want[i]) {
							t.Errorf("%s: input %d gives other bytes with a writer that was used: %v", e.Name, i, err)
						}
					}
				}
			})
		}
		group.Wait()
	}
}

// TestErrors: an error of either side comes out, and does no harm to what is compressed next.
func TestErrors(t *testing.T) {
	data := records(3000)
	for _, e := range Encodings {
		want := encode(t, e, data)
		broken := errors.New("broken")
		for range 3 {
			if err := e.Encode(io.Discard, iotest.ErrReader(broken), 10); !errors.Is(err, broken) {
				t.Errorf("%s: reading fails, and the error is %v", e.Name, err)
			}
			if err := e.Encode(failWriter{broken}, bytes.NewReader(data), int64(len(data))); !errors.Is(err, broken) {
				t.Errorf("%s: writing fails, and the error is %v", e.Name, err)
			}
			if !bytes.Equal(encode(t, e, data), want) {
				t.Errorf("%s: other bytes after an error", e.Name)
			}
		}
	}
}

type failWriter struct{ err error }

func (w failWriter) Write([]byte) (int, error) { return 0, w.err }

// TestDamage: what is cut off or followed by something else is not taken for whole.
func TestDamage(t *testing.T) {
	data := records(300)
	for _, e := range Encodings {
		whole := encode(t, e, data)
		for _, damaged := range [][]byte{
			whole[:len(whole)-1], whole[:len(whole)/2], append(bytes.Clone(whole), "tail"...),
			{},
		} {
			if got, err := decode(e, damaged); err == nil && bytes.Equal(got, data) {
				t.Errorf("%s: %d bytes of %d pass for whole", e.Name, len(damaged), len(whole))
			}
		}
	}
}

// TestClasses: each class of size has a level of its own, and all of them can be read back and give
// the same bytes again.
func TestClasses(t *testing.T) {
	data := records(300)
	for _, e := range all {
		for _, size := range []int64{1 << 10, 2 << 20, 40 << 20} { // as if it were so large
			var first, again bytes.Buffer
			for _, b := range []*bytes.Buffer{&first, &again} {
				must.Do(t, e.Encode(b, bytes.NewReader(data), size))
			}
			if !bytes.Equal(first.Bytes(), again.Bytes()) {
				t.Errorf("%s, class of %d bytes: other bytes the second time", e.Name, size)
			}
			if got, err := decode(e, first.Bytes()); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s, class of %d bytes: %d bytes of %d: %v", e.Name, size, len(got), len(data), err)
			}
		}
	}
}
