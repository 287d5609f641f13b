package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"

	"golang.org/x/sys/unix"
)

// mount mounts a small file system in memory, if this user may do that.
func mount(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("stele-test", dir, "tmpfs", 0, options); err != nil {
		t.Skip("no file system can be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestLongDiskFull leaves more and more room on a disk.
func TestLongDiskFull(t *testing.T) {
	long.Only(t)
	for _, name := range []string{"public", "release.zip"} {
		t.Run(name, func(t *testing.T) {
			disk := mount(t, "size=24m")
			b := newBuilds(t, disk, name)
			fails, works := 0, 0
			for _, room := range []int64{
				0, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10,
				1 << 20, 4 << 20, 8 << 20,
			} {
				var stat unix.Statfs_t
				must.Do(t, unix.Statfs(disk, &stat))
				ballast := filepath.Join(filepath.Dir(b.target), "ballast")
				must.Do(t, os.WriteFile(ballast, make([]byte, max(0, int64(stat.Bavail)*int64(stat.Bsize)-room)),
					0o644))
				out, err := exec.Command("stele", b.args(b.now)...).CombinedOutput()
				if err == nil {
					works++
				} else {
					fails++
					b.failed(err, out, "no space left on device")
				}
				must.Do(t, os.Remove(ballast))
				b.restore()
			}
			if fails < 3 || works == 0 {
				t.Errorf("%d builds failed and %d worked", fails, works)
			}
		})
	}
}

// TestLongNoInodes: a disk can be full of files, too.
func TestLongNoInodes(t *testing.T) {
	long.Only(t)
	disk := mount(t, "size=64m,nr_inodes=2000")
	b := newBuilds(t, disk, "public")
	fails := 0
	for _, free := range []int{0, 1, 2, 3, 5, 10, 20, 40} {
		var stat unix.Statfs_t
		must.Do(t, unix.Statfs(disk, &stat))
		ballast := filepath.Join(disk, "ballast")
		must.Do(t, os.Mkdir(ballast, 0o755))
		for i := range int(stat.Ffree) - free - 1 {
			must.Do(t, os.WriteFile(filepath.Join(ballast, strings.Repeat("x", i%200)+string(rune('a'+i/200))), nil,
				0o644))
		}
		out, err := exec.Command("stele", b.args(b.now)...).CombinedOutput()
		if err != nil {
			fails++
			b.failed(err, out, "no space left on device")
		}
		must.Do(t, os.RemoveAll(ballast))
		b.restore()
	}
	if fails < 5 {
		t.Errorf("%d builds failed", fails)
	}
}

// TestLongInjected stops the program at single system calls, or lets them fail, where strace can do
// that.
func TestLongInjected(t *testing.T) {
	long.Only(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace")
	}
	if out, err := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "inject=renameat2:error=EIO", "true").CombinedOutput(); err != nil {
		t.Skipf("strace does not work here: %v\n%s", err, out)
	}
	for _, c := range []struct {
		name   string // of the target
		inject string
		want   string // of a build that fails; "" for one that works, "killed" for one that ends there
	}{
		// strace counts the calls of each thread by itself, so only the first call is sure to be
		// met.
		{"public", "renameat2:signal=KILL", "killed"},
		{"public", "syncfs:signal=KILL", "killed"},
		{"public", "linkat:signal=KILL", "killed"},
		{"public", "mkdirat:signal=KILL", "killed"},
		{"public", "unlinkat:signal=KILL", "killed"},
		{"public", "unlinkat:signal=KILL:when=12", "killed"},
		{"public", "flock:signal=KILL", "killed"},
		{"release.zip", "/^rename:signal=KILL", "killed"},
		{"release.zip", "fsync:signal=KILL", "killed"},
		{"release.zip", "pwrite64:signal=KILL", "killed"},
		{"release.zip", "unlinkat:signal=KILL", "killed"},
		{"public", "renameat2:error=EINVAL", ""}, // in two steps, then
		{"public", "linkat:error=EXDEV", ""},
		{"public", "/^rename:error=EIO", "is unchanged: "},
		{"public", "syncfs:error=EIO:when=1", "is unchanged: "},
		{"public", "mkdirat:error=EDQUOT", "disk quota exceeded"},
		{"release.zip", "/^rename:error=EIO", "is unchanged: "},
		{"release.zip", "fsync:error=EIO:when=1", "is unchanged: "},
		{"release.zip", "pwrite64:error=ENOSPC", "no space left on device"},
	} {
		t.Run(c.name+" "+c.inject, func(t *testing.T) {
			t.Parallel()
			b := newBuilds(t, memoryDir(t), c.name)
			b.previousTarget = c.name == "public" // so that files are linked
			args := append([]string{"-f", "-qq", "-o", "/dev/null", "-e", "inject=" + c.inject, "stele"}, b.args(b.now)...)
			out, err := exec.Command(strace, args...).CombinedOutput()
			_, isNew := b.check()
			switch {
			case c.want == "" && (err != nil || !isNew):
				t.Errorf("%v\n%s", err, out)
			case c.want == "killed" && (err == nil || len(out) > 0):
				t.Errorf("it was not killed: %v\n%s", err, out)
			case c.want != "" && c.want != "killed":
				b.failed(err, out, c.want)
			}
			b.restore()
		})
	}
}
