package release

import (
	"encoding/json"
	"strings"
	"testing"
)

const digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"

// entryLines are lines of listings, well formed and not. Those that the scanner is there for come
// first.
var entryLines = []struct {
	text    string
	scanned bool
}{
	{`{"id":"sig-a","version":1,"sha256":"` + digits + `"}`, true},
	{`{"id":"sig-a","version":12,"title":"A title, with [signs] {of} JSON: ü 日本","sha256":"` + digits + `"}`, true},
	{`{"id":"sig-a","version":999999999999999999,"title":"","updated_date":"2026-01-31","sha256":"` + digits + `"}`, true},
	{`{"id":"","version":0,"updated_date":"any text","sha256":"` + digits + `"}`, true},
	{`{"id":"sig-a","version":1,"title":"of \"Nature\" \u00fc","sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":1,"title":"` + "\xff" + `","sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":1,"title":"` + "\t" + `","sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":1,"title":"","title":"twice","sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":1,"sha256":"` + digits + `","more":[]}`, false},
	{`{"id":"sig-a","version":1,"sha256":"` + digits + `"} `, false},
	{`{"id":"sig-a","version":1,"sha256":"` + digits + `"}}`, false},
	{`{"id":"sig-a","version":1,"sha256":"` + digits[1:] + `"}`, false},
	{`{"id":"sig-a","version":1,"sha256":"` + digits[1:] + `x"}`, false},
	{`{"id":"sig-a","version":1,"sha256":"` + digits, false},
	{`{"id":"sig-a","version":01,"sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":-1,"sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":1.5,"sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":,"sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":9223372036854775807,"sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a","version":9223372036854775808,"sha256":"` + digits + `"}`, false},
	{`{"version":1,"id":"sig-a","sha256":"` + digits + `"}`, false},
	{`{"id":"sig-a"}`, false},
	{`{"id":"sig-a`, false},
	{`{}`, false},
	{``, false},
}

// expectSameEntry: what the scanner reads, it reads as the library does.
func expectSameEntry(t *testing.T, line string) {
	t.Helper()
	if _, ok := scanEntry([]byte(line)); !ok {
		return
	}
	var e Entry
	err := json.Unmarshal([]byte(line), &e)
	if scanned, _ := (Line{Text: []byte(line)}).Entry(); err != nil || e != scanned {
		t.Errorf("%s is read as %+v, and by the library as %+v, %v", line, scanned, e, err)
	}
}

func TestParseEntry(t *testing.T) {
	for _, line := range entryLines {
		var want Entry
		wrong := json.Unmarshal([]byte(line.text), &want)
		if wrong == nil {
			wrong = checkID(want.ID)
		}
		got, err := Line{Text: []byte(line.text)}.Entry()
		if (err == nil) != (wrong == nil) || err == nil && got != want {
			t.Errorf("%s: %+v, %v; want %+v, %v", line.text, got, err, want, wrong)
		}
		id, digest, err := Line{Text: []byte(line.text)}.Pin()
		if (err == nil) != (wrong == nil) || err == nil && (string(id) != want.ID || digest != want.SHA256) {
			t.Errorf("%s pins %s, %s, %v; want %+v, %v", line.text, id, digest, err, want, wrong)
		}
	}
}

func FuzzScanEntry(f *testing.F) {
	for _, line := range entryLines {
		f.Add(line.text)
		f.Add(strings.Replace(line.text, "sig-a", "é", 1))
	}
	f.Fuzz(expectSameEntry)
}
