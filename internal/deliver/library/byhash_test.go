package library

import (
	"bytes"
	"crypto/sha256"
	"net/http"
	"testing"

	"stele/internal/base/layout"
	"stele/release"
)

// TestByHash: what the manifest lists can be read by its digest, to the byte, from memory, a folder
// and a zip, and never changes.
func TestByHash(t *testing.T) {
	for name, l := range map[string]*Library{
		"memory": openSpecimen(t, Options{Memory: 1 << 30}),
		"folder": openShelved(t, t.TempDir()+"/release", Options{}),
		"zip":    openShelved(t, t.TempDir()+"/release.zip", Options{}),
	} {
		for f := range l.Release().Each() {
			path := "/" + layout.ByHashPath(f.SHA256.String())
			status, data := fetchedFrom(t, l, path, "")
			if status != http.StatusOK || release.Digest(sha256.Sum256(data)) != f.SHA256 {
				t.Fatalf("%s: %s by its digest: %d, %d bytes of another digest", name, f.Path, status, len(data))
			}
			head := []byte(allOf(t, l, &Request{Method: http.MethodHead, Path: path}))
			if !bytes.Contains(head, []byte("immutable")) {
				t.Fatalf("%s: %s by its digest: caches have to ask again\n%s", name, f.Path, head)
			}
		}
		none := "/" + layout.ByHashPath(release.Digest{}.String())
		if status, _ := fetchedFrom(t, l, none, ""); status != http.StatusNotFound {
			t.Errorf("%s: a digest that nothing has: %d", name, status)
		}
	}
}
