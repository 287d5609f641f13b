package page_test

import (
	"strings"
	"testing"

	"stele/bench/page"
)

func TestReplace(t *testing.T) {
	begin, end := page.Marks("x")
	text := "before\n" + begin + "\n\nold\n\n" + end + "\nafter\n"
	got, err := page.Replace([]byte(text), "x", []byte("new"))
	if want := strings.Replace(text, "old", "new", 1); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, text := range []string{"", begin, end + begin} {
		if _, err := page.Replace([]byte(text), "x", nil); err == nil {
			t.Errorf("%q has no such section", text)
		}
	}
}
