package serve

import (
	"net/url"
	"strings"
	"testing"

	"stele/internal/deliver/serve/exchange"
)

// slowPath decodes a path letter by letter; "" if it hides something.
func slowPath(raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		c, hidden := raw[i], false
		if c == '%' {
			decoded, err := url.PathUnescape(raw[i : i+3])
			if err != nil {
				panic(err) // net/url took it
			}
			c, hidden = decoded[0], true
			i += 2
		}
		if c < ' ' || c == 0x7f || c == '\\' || c == '/' && hidden {
			return ""
		}
		b.WriteByte(c)
	}
	return b.String()
}

func FuzzPath(f *testing.F) {
	for _, path := range specimenPaths {
		f.Add(path)
	}
	for _, path := range []string{"/%2f", "/%2F%2f", "/%5c", "/%25%32%66", "/%252f", "/%00", "/%ff%fe", "/%c3%bc", "/!*'()%2F", "/%2", "/%%32f"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !strings.HasPrefix(raw, "/") || strings.ContainsAny(raw, "?#") {
			return
		}
		u, err := url.ParseRequestURI(raw)
		if err != nil {
			return
		}
		if got, want := exchange.Path(u), slowPath(raw); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	})
}
