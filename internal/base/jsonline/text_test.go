package jsonline

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestAppendText compares with the library, with every byte in every place of texts around the
// eight bytes that are looked at together.
func TestAppendText(t *testing.T) {
	check := func(s string) {
		t.Helper()
		want, _ := jsontext.AppendQuote([]byte("x"), s)
		if got := AppendText([]byte("x"), s); string(got) != string(want) {
			t.Fatalf("%q is written as %s, not as %s", s, got, want)
		}
		plain := 0
		for plain < len(s) && s[plain] < 0x7f && string(want[2+plain:3+plain]) == s[plain:plain+1] && s[plain] != '\\' {
			plain++
		}
		if got := PlainBytes(s); got != plain {
			t.Fatalf("%q has %d plain bytes, not %d", s, got, plain)
		}
	}
	for _, filler := range []string{" ", "a", "~", "!", "#", "[", "]"} {
		for length := range 20 {
			text := strings.Repeat(filler, length)
			check(text)
			for at := range length {
				for c := range 256 {
					check(text[:at] + string([]byte{byte(c)}) + text[at+1:])
				}
			}
		}
	}
	check("eight by\x1f\x20\"\\\x7f\x80\xff")
	check("ein Übermaß an Zeichen, 日本語 and 😀")
}
