package specimen

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"stele/internal/testkit/must"
)

// TellsCached reports whether the file system of temporary files can tell what of a file is in
// memory. That of containers cannot, nor can one in memory: there, a loop leaves files to others.
func TellsCached(t testing.TB) bool {
	t.Helper()
	f := must.Get(os.CreateTemp(t.TempDir(), ""))(t)
	defer f.Close()
	if _, err := f.WriteString("a"); err != nil {
		t.Fatal(err)
	}
	_, err := unix.Preadv2(int(f.Fd()), [][]byte{make([]byte, 1)}, 0, unix.RWF_NOWAIT)
	return err == nil
}
