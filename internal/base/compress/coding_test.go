package compress

import "testing"

// TestCodings: every encoding of a release has a coding, and the names lead there and back.
func TestCodings(t *testing.T) {
	for _, e := range Encodings {
		if c, ok := ParseCoding(e.Name); !ok || c != e.Coding || c == Identity || c.String() != e.Name {
			t.Errorf("%s is coding %d", e.Name, c)
		}
	}
	for name, want := range map[string]Coding{"GZip": Gzip, "x-gzip": Gzip, "identity": Identity, "br": Brotli} {
		if c, ok := ParseCoding(name); !ok || c != want {
			t.Errorf("%s is coding %v, %t", name, c, ok)
		}
	}
	for _, name := range []string{"", "deflate", "*", "z\u017ftd", "gzip "} {
		if c, ok := ParseCoding(name); ok {
			t.Errorf("%q is coding %v", name, c)
		}
	}
}
