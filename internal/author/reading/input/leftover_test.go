package input_test

import "testing"

// What editors and systems leave behind is passed over with a word; a conflict in a table and a
// column that is written otherwise get the advice that a person would give.
func TestLeftoversAndSlips(t *testing.T) {
	for _, name := range []string{"a.yaml~", "#a.yaml#", "a.bak", "a.yaml.orig", ".a.yaml.swp", "Thumbs.db", ".DS_Store", "~$a.csv"} {
		got := lines(read(folder(map[string]string{"signals/" + name: "x", "decision-views/good.yaml": "id: good"}), 2))
		want := []string{"{id:good}"}
		if name[0] != '.' {
			want = append([]string{name + ": warning FIL08: this looks like a temporary file"}, want...)
		}
		expectLines(t, got, want)
	}
	expectLines(t, lines(read(one("a.csv", "id,title\na,A\n<<<<<<< HEAD\nb,B\n"), 2)), []string{
		"a.csv:3: error FIL03: unresolved merge conflict", "{id:<a>,title:<A>}", "{id:<b>,title:<B>}",
	})
}
