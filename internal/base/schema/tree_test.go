package schema

import (
	"slices"
	"testing"
)

func TestTree(t *testing.T) {
	tree := scan(t, `{
  "a": [1, {"b": "c"}, []],
  "d/e": {"f~g": null, "": true},
  "h": "i"
}`)
	for pointer, want := range map[string]struct {
		at    Pos
		text  string
		whole bool
	}{
		"":             {Pos{1, 1}, "", true},
		"/a":           {Pos{2, 8}, "", true},
		"/a/0":         {Pos{2, 9}, "1", true},
		"/a/1/b":       {Pos{2, 18}, "c", true},
		"/a/2":         {Pos{2, 24}, "", true},
		"/d~1e":        {Pos{3, 10}, "", true},
		"/d~1e/f~0g":   {Pos{3, 18}, "null", true},
		"/d~1e/":       {Pos{3, 28}, "true", true},
		"/h":           {Pos{4, 8}, "i", true},
		"/none":        {Pos{1, 1}, "", false},
		"/a/3":         {Pos{2, 8}, "", false},
		"/a/1/none":    {Pos{2, 12}, "", false},
		"/a/one":       {Pos{2, 8}, "", false},
		"/a/1/b/c":     {Pos{2, 18}, "c", false},
		"/d~1e/none/x": {Pos{3, 10}, "", false},
	} {
		i, whole := tree.At(pointer)
		if n := tree.Nodes[i]; n.At != want.at || n.Text != want.text || whole != want.whole {
			t.Errorf("At(%q) is %v %q %v, want %v", pointer, n.At, n.Text, whole, want)
		}
	}
	var names []string
	for c := range tree.Children(0) {
		names = append(names, tree.Nodes[c].Name)
		if c != tree.Find(0, tree.Nodes[c].Name) {
			t.Errorf("%s is not found", tree.Nodes[c].Name)
		}
	}
	if !slices.Equal(names, []string{"a", "d/e", "h"}) || tree.Find(0, "b") >= 0 {
		t.Errorf("the members are %q, or one of another object is found", names)
	}
	for range tree.Children(tree.Find(0, "h")) {
		t.Error("a text has children")
	}
}

func TestTreeIsUsedAgain(t *testing.T) {
	tree := scan(t, `{"a": [1]}`)
	tree.Open(Object, Pos{}) // left open, as by a text that breaks off
	tree.SetName("left over", Pos{9, 9})
	tree.SetFile(1)
	tree.Reset("own.yaml", "shared.yaml")
	if tree.Depth() != 0 {
		t.Error("something is open still")
	}
	tree.Open(Object, Pos{1, 1})
	if tree.Depth() != 1 {
		t.Error("nothing is open")
	}
	tree.SetFile(1)
	tree.SetName("b", Pos{2, 1})
	tree.AddScalar(String, "text", Pos{2, 4})
	tree.Close()
	if n := tree.Nodes[0]; n.Name != "" || n.File != 0 || len(tree.Nodes) != 2 {
		t.Errorf("the tree begins with %+v", n)
	}
	if n := tree.Nodes[1]; tree.Files[n.File] != "shared.yaml" || n.Name != "b" || n.NameAt != (Pos{2, 1}) {
		t.Errorf("then comes %+v", n)
	}
}

func TestPointer(t *testing.T) {
	if got := Pointer("a/b", 0, "c~d", ""); got != "/a~1b/0/c~0d/" {
		t.Errorf("pointer is %s", got)
	}
	if got := Pointer(); got != "" {
		t.Errorf("pointer to the whole is %q", got)
	}
}

func scan(t *testing.T, text string) *Tree {
	t.Helper()
	tree := new(Tree)
	if !tree.ScanJSON("record.json", text, 1) {
		t.Fatalf("cannot be read: %s", text)
	}
	return tree
}
