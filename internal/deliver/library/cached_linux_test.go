package library

import (
	"bytes"
	"os"
	"testing"

	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// TestReadCached: what was just written is in memory; what is not there, or in a file that does not
// say, is for later.
func TestReadCached(t *testing.T) {
	path, data := t.TempDir()+"/file", specimen.Numbers(10<<10)
	must.Do(t, os.WriteFile(path, data, 0o600))
	f := must.Get(os.Open(path))(t)
	got := make([]byte, 1000)
	if specimen.TellsCached(t) {
		if n, err := readCached(f, got, 5000); err != nil || n != len(got) || !bytes.Equal(got, data[5000:6000]) {
			t.Errorf("%d bytes, %v", n, err)
		}
		if n, err := readCached(f, got, int64(len(data))-10); err != ErrWouldBlock || n != 10 {
			t.Errorf("at the end of the file: %d bytes, %v", n, err)
		}
	}
	must.Do(t, f.Close())
	if n, err := readCached(f, got, 0); err != ErrWouldBlock || n != 0 {
		t.Errorf("of a closed file: %d bytes, %v", n, err)
	}
	status := must.Get(os.Open("/proc/self/status"))(t)
	defer status.Close()
	if n, err := readCached(status, got, 0); err != ErrWouldBlock || n != 0 {
		t.Errorf("of a file that cannot say: %d bytes, %v", n, err)
	}
}
