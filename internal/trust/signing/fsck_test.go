package signing

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stele/internal/testkit/must"
)

// TestFsck lets the checker of another implementation of transparency logs read ours whole, at
// sizes around the width of a tile. It is a tool of a module file of its own.
func TestFsck(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the checker of tessera")
	}
	fsck := filepath.Join(t.TempDir(), "fsck")
	build := exec.Command("go", "build", "-modfile=tools/tlog.mod", "-o", fsck, "github.com/transparency-dev/tessera/cmd/fsck")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := newPublisher(t)
	key := filepath.Join(t.TempDir(), "key")
	must.Do(t, os.WriteFile(key, []byte(public(t, p.keys[0])), 0o600))
	sizes := map[int]bool{1: true, 255: true, 256: true, 257: true, 300: true}
	for n := 1; n <= 300; n++ {
		p.publish(SignOptions{})
		if !sizes[n] {
			continue
		}
		server := httptest.NewServer(http.FileServerFS(p.files))
		out, err := exec.Command(fsck, "--ui=false", "--storage_url", server.URL+"/log/", "--public_key", key).CombinedOutput()
		server.Close()
		if err != nil {
			t.Errorf("%d releases: %v\n%s", n, err, out)
		}
	}
}
