package steps_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/disk/steps"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// made makes a step from the specimen, whose delta replaces a signal by one that says more.
func made(t testing.TB, old *release.Release) (data []byte, files []steps.File) {
	t.Helper()
	h := layout.DeltaHead{Kind: record.KindSignal, LeftOut: []int64{0}, Placed: []int64{0}, Count: 1}
	head, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var line []byte
	for l, err := range old.Records(record.KindSignal) {
		if err != nil {
			t.Fatal(err)
		}
		line = bytes.Replace(l, []byte(`"version":`), []byte(`"version":1`), 1)
		break
	}
	events, err := old.ReadFile("api/v1/changes.json", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	files = []steps.File{
		{Path: "deltas/x/signals.json", Text: slices.Concat(head, []byte("\n"), line, []byte("\n]}\n"))},
		{Path: "history/signals.ndjson.zst", Rest: true, Text: []byte("what it said")},
		{Path: "api/v1/changes.json", Text: append(events, '\n')},
		{Path: "empty", Text: []byte{}},
	}
	data, err = steps.Make(old, files[:1], files[1:], []string{"api/v1/changes.json"})
	if err != nil {
		t.Fatal(err)
	}
	return data, files
}

// TestSteps: what went in comes out, and takes little.
func TestSteps(t *testing.T) {
	old := specimen.Open(t)
	data, files := made(t, old)
	got, err := steps.Read(data, old)
	if err != nil {
		t.Fatal(err)
	}
	text := func(list []steps.File) string {
		b, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if text(got) != text(files) {
		t.Errorf("other files came out:\n%s\n%s", text(got), text(files))
	}
	if len(data) > 1000 {
		t.Errorf("it has %d bytes", len(data))
	}
}

// FuzzRead: whatever a step holds, reading it ends, with files or an error.
func FuzzRead(f *testing.F) {
	old := specimen.Open(f)
	data, _ := made(f, old)
	f.Add(data)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := steps.Read(data, old)
		if err != nil {
			return
		}
		size := 0
		for _, f := range files {
			size += len(f.Text)
		}
		if size > 3*steps.Most { // heads, records and the rest
			t.Errorf("%d bytes came out", size)
		}
	})
}
