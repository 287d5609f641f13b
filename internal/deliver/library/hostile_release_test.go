package library

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/base/layout"
	"stele/internal/disk/store"
	"stele/internal/testkit/hostile"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// TestPackedRelease: what is compressed in a zip has to be held in memory, and there is an end to
// that, whatever the zip unpacks to.
func TestPackedRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("packs some hundred megabytes")
	}
	const each, count = 60 << 20, 5
	sum := sha256.New()
	io.CopyN(sum, hostile.Zeros{}, each) // neither fails
	files, err := specimen.Files()
	must.Do(t, err)
	r, err := release.Open(context.Background(), files.Files())
	must.Do(t, err)
	m := *r.Manifest
	m.Files = slices.Clone(m.Files)
	for i := range count {
		path := fmt.Sprintf("zeros/%d.bin", i)
		m.Files = append(m.Files, release.File{Path: path, Size: each, SHA256: release.Digest(sum.Sum(nil))})
	}
	manifest, err := m.Encode()
	must.Do(t, err)
	path := filepath.Join(t.TempDir(), "packed.zip")
	var entries []hostile.Entry
	for name := range r.Files.(interface {
		Names() iter.Seq2[string, error]
	}).Names() {
		if name == layout.ManifestPath {
			continue
		}
		data := must.Get(fs.ReadFile(r.Files, name))(t)
		entries = append(entries, hostile.Text(name, string(data)))
	}
	entries = append(entries, hostile.Text(layout.ManifestPath, string(manifest)))
	for i := range count {
		content := io.LimitReader(hostile.Zeros{}, each)
		entries = append(entries, hostile.Entry{Name: fmt.Sprintf("zeros/%d.bin", i), Content: content})
	}
	hostile.WriteZip(t, path, zip.Deflate, entries...)
	packed, closer, err := store.Open(path)
	must.Do(t, err)
	taken := hostile.Allocated(func() { _, err = Open(packed, time.Now(), Options{Memory: 1 << 20}, closer) })
	if !errors.Is(err, errTooLarge) {
		t.Errorf("the error is %v", err)
	}
	if taken > 2*maxHeld {
		t.Errorf("it took %d bytes", taken)
	}
}

// TestHugeCount: numbers of a manifest that no release has do not make it seem small.
func TestHugeCount(t *testing.T) {
	l := openSpecimen(t, Options{})
	m := *l.release.Manifest
	m.Kinds = slices.Clone(m.Kinds)
	for i := range m.Kinds {
		m.Kinds[i].Count = math.MaxInt
	}
	huge := Library{release: &release.Release{Manifest: &m}}
	if n := huge.estimateMemory(); n != math.MaxInt64 {
		t.Errorf("it seems to take %d bytes", n)
	}
}

// TestEveryFileIsSentAsTheTableSays, whichever way it is served. Whatever a browser opens so runs
// nothing that the release does not hold.
func TestEveryFileIsSentAsTheTableSays(t *testing.T) {
	for name, l := range map[string]*Library{
		"in memory": openSpecimen(t, Options{}), "from a folder": openShelved(t, filepath.Join(t.TempDir(), "release"), Options{}),
		"from a zip": openShelved(t, filepath.Join(t.TempDir(), "release.zip"), Options{}),
	} {
		for path := range openSpecimen(t, Options{}).files {
			for _, encoding := range []string{"", "br"} {
				var a Answer
				l.Answer(&Request{Method: http.MethodGet, Path: "/" + path, AcceptEncoding: encoding}, &a, new(Scratch))
				got := http.Header{}
				for line := range strings.SplitSeq(string(a.Shared)+string(a.Own)+string(a.Extra), "\r\n") {
					if name, value, ok := strings.Cut(line, ": "); ok {
						got.Add(name, value)
					}
				}
				if a.Status != http.StatusOK {
					t.Errorf("%s: %s is answered with %d", name, path, a.Status)
				}
				sending := layout.SendingOf(layout.ResolveIndex(path))
				for _, want := range sending.Headers(l.options.Freshness, l.release.Manifest.Language) {
					if v := got.Values(want.Name); len(v) != 1 || v[0] != want.Value {
						t.Errorf("%s: %s has %s %q, not %q", name, path, want.Name, v, want.Value)
					}
				}
				if err := a.Release(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
