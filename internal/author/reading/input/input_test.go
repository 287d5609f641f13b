package input_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
)

// item is what was read of one input.Item, kept beyond the worker.
type item struct {
	kind     string
	record   string   // in a form like JSON, or "" where there is none
	places   []string // of every value, as "/id 1:5"
	problems []schema.Problem
}

// read reads a folder to the end.
func read(fsys fs.FS, workers int) []item {
	return slices.Collect(
		input.Read(input.Batches(fsys, nil), workers, func() func(input.Item) item { return keep }),
	)
}

func keep(i input.Item) item {
	kept := item{problems: slices.Clone(i.Problems)}
	if i.Kind != nil {
		kept.kind = i.Kind.Name
	}
	if i.Tree != nil {
		kept.record = render(i.Tree, 0)
		kept.places = places(i.Tree, 0, "")
	}
	return kept
}

// render writes a value with plain words bare, texts quoted and cells in angle brackets, so that a
// test sees the types too.
func render(t *schema.Tree, i int32) string {
	n := &t.Nodes[i]
	var parts []string
	for c := range t.Children(i) {
		part := render(t, c)
		if n.Type == schema.Object {
			part = t.Nodes[c].Name + ":" + part
		}
		parts = append(parts, part)
	}
	switch n.Type {
	case schema.Object:
		return "{" + strings.Join(parts, ",") + "}"
	case schema.Array:
		return "[" + strings.Join(parts, ",") + "]"
	case schema.String:
		return strconv.Quote(n.Text)
	case schema.Cell:
		return "<" + n.Text + ">"
	case schema.Null:
		return "null"
	}
	return n.Text
}

// places lists where each value stands, and in which file if that is not the record's own.
func places(t *schema.Tree, i int32, at string) []string {
	n := &t.Nodes[i]
	line := fmt.Sprintf("%s %d:%d", at, n.At.Line, n.At.Column)
	if n.File > 0 {
		line += " " + t.Files[n.File]
	}
	list, index := []string{line}, 0
	for c := range t.Children(i) {
		name := t.Nodes[c].Name
		if n.Type == schema.Array {
			name = strconv.Itoa(index)
			index++
		}
		list = append(list, places(t, c, at+"/"+name)...)
	}
	return list
}

// one is a folder with one file of signals.
func one(name, content string) fstest.MapFS {
	return fstest.MapFS{"records/signals/" + name: {Data: []byte(content)}}
}

// lines are items as text: a line for each record and each problem.
func lines(items []item) []string {
	var list []string
	for _, i := range items {
		for _, p := range i.problems {
			p.File = strings.TrimPrefix(p.File, "records/signals/")
			list = append(list, p.String())
		}
		if i.record != "" {
			list = append(list, i.record)
		}
	}
	return list
}

// expectLines compares a listing with what is wanted. Each wanted line is compared as far as it
// goes, so that a test need not repeat the advice that ends a message.
func expectLines(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s\nwant:\n%s", len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i := range got {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("line %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}
