package bulk

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"testing"

	"stele/internal/testkit/must"

	"pgregory.net/rapid"
)

// TestFieldsAsTheLibraryWritesThem: whatever a field holds, it stands in the file as encoding/csv
// would write it.
func TestFieldsAsTheLibraryWritesThem(t *testing.T) {
	some := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ ,"\r\n\\.a\x{a0}]{0,6}`),
		rapid.SampledFrom([]string{"", `\.`, " a", "\u2003a", "a ", `{"a":"b,c"}`, "\xff", "a\r\nb"}))
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SliceOfN(some, 2, 6).Draw(t, "fields")
		var want, got bytes.Buffer
		w := csv.NewWriter(&want)
		must.Do(t, w.Write(fields))
		w.Flush()
		c := csvWriter{bufio.NewWriter(&got)}
		for i, f := range fields {
			c.field(i, []byte(f))
		}
		c.WriteByte('\n')
		if err := c.close(); err != nil || got.String() != want.String() {
			t.Fatalf("%q is written as %q, and the library writes %q", fields, got.String(), want.String())
		}
	})
}
