package release

import (
	"encoding/json"
	"reflect"
	"testing"
)

const gzipped = `{"encoding":"gzip","path":"a/index.html.gz","size":3,"sha256":"` + digits + `"}`

// fileLines are lines of a listing of files, well formed and not. Those that the scanner is there
// for come first.
var fileLines = []struct {
	text    string
	scanned bool
}{
	{`{"path":"a/index.html","size":12,"sha256":"` + digits + `"}`, true},
	{`{"path":"ü.md","size":0,"sha256":"` + digits + `","variants":[` + gzipped + `]}`, true},
	{`{"path":"a","size":1,"sha256":"` + digits + `","variants":[` + gzipped + `,` + gzipped + `,` + gzipped + `]}`, true},
	{`{"path":"a","size":1,"sha256":"` + digits + `","variants":[]}`, false},
	{`{"path":"a","size":1,"sha256":"` + digits + `","variants":null}`, false},
	{`{"path":"a","size":1,"sha256":"` + digits + `","variants":[` + gzipped + `,]}`, false},
	{`{"path":"a","size":1,"sha256":"` + digits + `","variants":[` + gzipped + gzipped + `]}`, false},
	{`{"path":"a\u00fc","size":1,"sha256":"` + digits + `"}`, false},
	{`{"path":"a","size":-1,"sha256":"` + digits + `"}`, false},
	{`{"path":"a","size":1,"sha256":"` + digits + `","more":1}`, false},
	{`{"size":1,"path":"a","sha256":"` + digits + `"}`, false},
	{`{}`, false},
	{``, false},
}

// expectSameFile: what the scanner reads, it reads as the library does.
func expectSameFile(t *testing.T, line string) {
	t.Helper()
	scanned, ok := scanFile([]byte(line))
	var f File
	if err := json.Unmarshal([]byte(line), &f); ok && (err != nil || !reflect.DeepEqual(f, scanned)) {
		t.Errorf("%s is read as %+v, and by the library as %+v, %v", line, scanned, f, err)
	}
}

func TestParseFile(t *testing.T) {
	for _, line := range fileLines {
		var want File
		wrong := json.Unmarshal([]byte(line.text), &want)
		if wrong == nil {
			wrong = want.check()
		}
		got, err := Line{Text: []byte(line.text)}.File()
		if (err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v, %v", line.text, got, err, want, wrong)
		}
	}
}

func FuzzScanFile(f *testing.F) {
	for _, line := range fileLines {
		f.Add(line.text)
	}
	f.Fuzz(expectSameFile)
}
