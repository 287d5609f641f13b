package jsonline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// line is one of a known form, with one of everything that a Scanner reads.
type line struct {
	text   []byte
	number int64
	digest [sha256.Size]byte
}

// scan reads a line of the form {"text":"a","number":1,"digest":"00…"}.
func scan(data []byte) (l line, ok bool) {
	s := Scanner{Rest: data}
	l.text = s.Text(`{"text":`)
	l.number = s.Number(`,"number":`)
	s.Digest(`,"digest":`, &l.digest)
	s.Skip("}")
	return l, s.Ended()
}

// write makes the line that scan reads.
func write(text, number, digest string) []byte {
	return []byte(`{"text":` + text + `,"number":` + number + `,"digest":` + digest + `}`)
}

var (
	sum    = sha256.Sum256([]byte("record"))
	digest = `"` + hex.EncodeToString(sum[:]) + `"`
)

func TestScanner(t *testing.T) {
	for _, text := range []string{"", "a", "two words", "déjà vu, 麻疹", "/path?x=1&y=<2>", "\x7f"} {
		for _, number := range []int64{0, 1, 10, 907, 999_999_999_999_999_999} {
			l, ok := scan(write(`"`+text+`"`, strconv.FormatInt(number, 10), digest))
			if !ok || string(l.text) != text || l.number != number || l.digest != sum {
				t.Errorf("%q and %d are read as %q and %d, %t", text, number, l.text, l.number, ok)
			}
		}
	}
}

// TestOtherForms: what is of another form is given up, and not read as something else.
func TestOtherForms(t *testing.T) {
	whole := string(write(`"a"`, "1", digest))
	if _, ok := scan([]byte(whole)); !ok {
		t.Fatal("the whole line is not read")
	}
	for what, data := range map[string]string{
		"no line":                    "",
		"more after it":              whole + " ",
		"a space":                    strings.Replace(whole, ":", ": ", 1),
		"another name":               strings.Replace(whole, "text", "Text", 1),
		"another order":              `{"number":1,"text":"a","digest":` + digest + `}`,
		"an escape":                  string(write(`"\n"`, "1", digest)),
		"an escaped quote":           string(write(`"a\"b"`, "1", digest)),
		"a control character":        string(write("\"a\tb\"", "1", digest)),
		"text that is no UTF-8":      string(write("\"a\xff\"", "1", digest)),
		"text without an end":        `{"text":"a`,
		"null as a text":             string(write("null", "1", digest)),
		"no number":                  string(write(`"a"`, "", digest)),
		"a negative number":          string(write(`"a"`, "-1", digest)),
		"a fraction":                 string(write(`"a"`, "1.0", digest)),
		"an exponent":                string(write(`"a"`, "1e3", digest)),
		"a zero before a number":     string(write(`"a"`, "01", digest)),
		"two zeros":                  string(write(`"a"`, "00", digest)),
		"19 digits":                  string(write(`"a"`, "1000000000000000000", digest)),
		"a number beyond 64 bits":    string(write(`"a"`, strings.Repeat("9", 40), digest)),
		"no digest":                  string(write(`"a"`, "1", `""`)),
		"half a digest":              string(write(`"a"`, "1", digest[:33]+`"`)),
		"more than a digest":         string(write(`"a"`, "1", digest[:65]+`00"`)),
		"a digest of other letters":  string(write(`"a"`, "1", `"x`+digest[2:])),
		"a digest without its quote": string(write(`"a"`, "1", digest[1:])),
	} {
		if l, ok := scan([]byte(data)); ok {
			t.Errorf("%s: %s is read as %+v", what, data, l)
		}
	}
	for n := range len(whole) {
		if _, ok := scan([]byte(whole[:n])); ok {
			t.Errorf("%s is read, and is not whole", whole[:n])
		}
	}
}

// TestFailed: once something failed, nothing that follows is good.
func TestFailed(t *testing.T) {
	s := Scanner{Rest: []byte(`[1]`)}
	if s.HasNext("{") || !s.HasNext("[") || s.Failed() {
		t.Error("looking ahead reads or fails")
	}
	s.Skip("{")
	s.Skip("[")
	s.Number("")
	s.Skip("]")
	if !s.Failed() || s.Ended() || len(s.Rest) > 0 {
		t.Errorf("failed %t, ended %t, rest %q", s.Failed(), s.Ended(), s.Rest)
	}
}

// FuzzScanner holds the scanner to encoding/json: what it reads, the library reads as the same.
func FuzzScanner(f *testing.F) {
	f.Add(write(`"a"`, "1", digest))
	f.Add(write(`"\u0041"`, "1", digest))
	f.Add(write("\"\u2028\"", "999999999999999999", digest))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, ok := scan(data)
		if !ok {
			return
		}
		var want struct {
			Text   string
			Number int64
			Digest string
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q is read, and is not JSON: %v", data, err)
		}
		sum, err := hex.DecodeString(want.Digest)
		if string(l.text) != want.Text || l.number != want.Number || err != nil || !bytes.Equal(l.digest[:], sum) {
			t.Errorf("%q is read as %+v, want %+v", data, l, want)
		}
	})
}
