package layout

import (
	"strings"
	"testing"
)

func TestValidPath(t *testing.T) {
	for path, want := range map[string]bool{
		"manifest.json": true, "api/v1/signals/sig-a.json.br": true, ".well-known/api-catalog": true, "_headers": true, "a~b": true,
		strings.Repeat("a", 255): true, strings.Repeat("a/", 31) + "a": true,
		"": false, ".": false, "..": false, "/": false, "/etc/passwd": false, "../../x.sh": false, "a/../b": false, "a/./b": false, "a//b": false, "a/": false,
		"a\r\nSet-Cookie: x": false, "a\nb": false, "a\x00b": false, "a b": false, "a%2fb": false, `a\b`: false, "C:/x": false, "a:b": false, "é": false, "a?b": false, "a..b": false, "a\"b": false,
		strings.Repeat("a", 256): false, strings.Repeat("a/", 32) + "a": false, strings.Repeat("abcdefg/", 200) + "a": false,
	} {
		if ValidPath(path) != want || ValidPath([]byte(path)) != want {
			t.Errorf("%q: valid is %v", path, !want)
		}
	}
}
