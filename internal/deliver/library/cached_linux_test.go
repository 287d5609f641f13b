package library

import (
	"bytes"
	"os"
	"testing"

	"golang.org/x/sys/unix"

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
	if tellsCached(t) {
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

// tellsCached reports whether the file system of temporary files can tell what of a file is in
// memory. That of containers cannot, nor can one in memory: there, a loop leaves files to others.
func tellsCached(t testing.TB) bool {
	t.Helper()
	f := must.Get(os.CreateTemp(t.TempDir(), ""))(t)
	defer f.Close()
	if _, err := f.WriteString("a"); err != nil {
		t.Fatal(err)
	}
	_, err := unix.Preadv2(int(f.Fd()), [][]byte{make([]byte, 1)}, 0, unix.RWF_NOWAIT)
	return err == nil
}
