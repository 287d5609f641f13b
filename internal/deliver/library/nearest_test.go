package library

import (
	"fmt"
	"testing"
)

// TestNearest: a slip in a name leads to the nearest one in its folder. Names that are not near,
// long addresses, and names among too many lead nowhere.
func TestNearest(t *testing.T) {
	l := &Library{}
	for i := range maxNearest {
		l.addName(fmt.Sprintf("places/place-%d-%d/index.html", i*7919, i))
		l.addName(fmt.Sprintf("many/name-%d/index.html", i))
	}
	l.addName("many/one-more/index.html")
	l.addName("index.html")
	l.addName("manifest.json")
	l.setNames()
	for path, want := range map[string]string{
		"/places/place-7919-1/":            "/places/place-7919-1/",
		"/places/plcae-7919-1/":            "/places/place-7919-1/",
		"/places/plcae-7919-1/index.html":  "/places/place-7919-1/",
		"/manifest.jsno":                   "/manifest.json",
		"/places/elsewhere/":               "",
		"/many/name-1x/":                   "",
		"/":                                "",
		"/places/place-7919-1/versions/1/": "",
	} {
		if got := l.nearestPath(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
