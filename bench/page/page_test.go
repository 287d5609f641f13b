package page_test

import (
	"errors"
	"fmt"
	"os"
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

func TestRun(t *testing.T) {
	begin, end := page.Marks("x")
	const old = "figures of last year"
	write := func() {
		t.Helper()
		if err := os.WriteFile(page.Path, []byte(begin+old+end), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(page.Path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Chdir(t.TempDir())
	show := func() error { _, err := fmt.Println("| 12 s |"); return err }
	if err := page.Run("x", true, show); err == nil {
		t.Error("there is no page to write into")
	}
	if err := os.Mkdir("docs", 0o755); err != nil {
		t.Fatal(err)
	}
	write()
	failed := errors.New("failed")
	err := page.Run("x", true, func() error { return errors.Join(show(), failed) })
	if !errors.Is(err, failed) || !strings.Contains(read(), old) {
		t.Errorf("%v: %s", err, read())
	}
	if err := page.Run("x", false, show); err != nil || !strings.Contains(read(), old) {
		t.Errorf("%v: %s", err, read())
	}
	if err := page.Run("x", true, show); err != nil || strings.Contains(read(), old) || !strings.Contains(read(), "| 12 s |") {
		t.Errorf("%v: %s", err, read())
	}
	if err := page.Run("y", true, func() error { t.Error("ran"); return nil }); err == nil {
		t.Error("the page has no such section")
	}
}
