package mirror

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"stele/internal/testkit/must"

	"golang.org/x/sys/unix"
)

// TestFullDisk leaves more and more room for an update: the copy is the old one, whole, until there
// is enough.
func TestFullDisk(t *testing.T) {
	// A file that was left open keeps the disk busy, unless the garbage collector closes it.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, name := range []string{"copy", "copy.zip"} {
		disk := t.TempDir()
		if err := unix.Mount("stele-test", disk, "tmpfs", 0, "size=16m"); err != nil {
			t.Skip("no file system can be mounted here: ", err)
		}
		t.Cleanup(func() {
			if err := unix.Unmount(disk, 0); err != nil {
				t.Error(err)
			}
		})
		o := newOrigin(t)
		target, ballast := filepath.Join(disk, name), filepath.Join(disk, "ballast")
		update(t, o.mirror(target))
		old := o.manifest().Release
		o.revise()
		fails := 0
		for room := int64(0); ; room = max(2*room, 4<<10) {
			var stat unix.Statfs_t
			must.Do(t, unix.Statfs(disk, &stat))
			filled := make([]byte, max(0, int64(stat.Bavail)*stat.Bsize-room))
			must.Do(t, os.WriteFile(ballast, filled, 0o600))
			_, err := o.mirror(target).Update(t.Context())
			must.Do(t, os.Remove(ballast))
			if err == nil {
				break
			}
			fails++
			if !strings.Contains(err.Error(), "no space left on device") {
				t.Fatalf("%s with %d bytes: %v", name, room, err)
			}
			check(t, target, old)
		}
		check(t, target, o.manifest().Release)
		if fails < 3 {
			t.Errorf("%s: %d updates failed", name, fails)
		}
	}
}
