package compress

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// lines are some bytes of text in which no line is like another but for its form.
func lines(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d %x\n", i, sha256.Sum256(fmt.Append(nil, i)))
	}
	return b.Bytes()
}

// TestAgainstDictionary: what is compressed against a dictionary is small where little differs, and
// comes out again, here and with the zstd of others.
func TestAgainstDictionary(t *testing.T) {
	sizes := []int{100, 40 << 10, 3 << 20}
	if !testing.Short() {
		sizes = append(sizes, 9<<20, 20<<20) // beyond the window that every decoder has
	}
	for _, size := range sizes {
		dictionary := lines(size)
		at := len(dictionary) / 2
		data := append(append(bytes.Clone(dictionary[:at]), "something else\n"...), dictionary[at:]...)
		sum := sha256.Sum256(dictionary)
		coded, err := AgainstDictionary(data, dictionary, sum)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(coded[8:40], sum[:]) {
			t.Errorf("%d bytes: the digest of the dictionary is not in its place: %x", size, coded[:40])
		}
		if size > 1000 && len(coded) > 2000+size/1000 {
			t.Errorf("%d bytes that differ in one line take %d", size, len(coded))
		}
		z, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(0, dictionary), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			t.Fatal(err)
		}
		got, err := z.DecodeAll(coded, nil)
		z.Close()
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: decoded to %d others: %v", size, len(got), err)
		}
		if !testing.Short() {
			decodeElsewhere(t, dictionary, coded, data)
		}
	}
}

// decodeElsewhere lets the command zstd decode, where there is one.
func decodeElsewhere(t *testing.T, dictionary, coded, want []byte) {
	t.Helper()
	program, err := exec.LookPath("zstd")
	if err != nil {
		t.Log("there is no zstd on this machine: it is not asked")
		return
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"old": dictionary, "new.dcz": coded} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-q", "-d", "--patch-from=old", "new.dcz", "-o", "new")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("zstd: %v\n%s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "new")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("zstd decodes to %d other bytes, %v", len(got), err)
	}
}

// TestTakesDictionary: nothing is made that a decoder of RFC 9842 may refuse.
func TestTakesDictionary(t *testing.T) {
	for _, c := range []struct {
		size, dictionary int64
		want             bool
	}{
		{100, 0, false},
		{100, 1, true},
		{8 << 20, 1, true},
		{8<<20 + 1, 1, false},
		{50 << 20, 40 << 20, true},
		{50<<20 + 1, 40 << 20, false},
		{MaxDictionary, MaxDictionary, true},
		{100, MaxDictionary + 1, false},
	} {
		if got := TakesDictionary(c.size, c.dictionary); got != c.want {
			t.Errorf("%d bytes against %d: %v", c.size, c.dictionary, got)
		}
	}
	if _, err := AgainstDictionary(make([]byte, 9<<20), []byte("a"), [32]byte{}); err == nil {
		t.Error("9 MiB were compressed against one byte")
	}
}
