package compress

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"testing"

	"stele/internal/testkit/must"
)

// TestNumber: what the compressors make of some files is what they made when they got their number.
func TestNumber(t *testing.T) {
	const want = "c5d09b36367b71b8e23dfd76bbe175c10c9e2c1747a0ac86b26a5ff5f83d3a0e"
	sum := sha256.New()
	for _, size := range []int{600, 20_000, 300_000, 3_000_000} {
		var text bytes.Buffer
		for i := 0; text.Len() < size; i++ {
			digest := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
			fmt.Fprintf(&text, `{"id":"sig-%06d","version":%d,"title":"Measles in district %d","sha256":"%x"},`+"\n", i, i%7, i%31, digest[:8])
		}
		data := text.Bytes()[:size]
		for _, all := range [][]Encoding{Encodings, Listings, {Quick}} {
			for _, e := range all {
				must.Do(t, e.Encode(sum, bytes.NewReader(data), int64(size)))
			}
		}
		must.Do(t, Zstandard.Stream(sum, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("other bytes come out than with compressors %d: raise Number, and write %s here", Number, got)
	}
}
