// Package specimen is a small release that tests of serving use: the sample, and files of sizes
// that matter to whoever keeps or sends them.
package specimen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/compile/compiler"
	"stele/internal/compile/files"
	"stele/internal/compile/render"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// Addresses of the specimen.
const (
	Record  = "/api/v1/evidence/evd-mmr-one-dose.json" // with variants
	Small   = "/api/v1/evidence/evd-congo-outbreak.json"
	Large   = "/large.txt"  // more than a piece
	Middle  = "/middle.txt" // more than goes out with its head
	Plain   = "/plain.txt"
	Empty   = "/empty.txt"
	Removed = "/signals/sig-removed/"
)

// Modified is when it came to be.
var Modified = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// large is more than what is kept in memory of a file of a large release.
const large = 128 << 10

// Pages are pages of their own listing. The first is larger than what is kept in memory of a large
// release.
var Pages = []string{"evidence/evd-big/index.html", "evidence/evd-congo-outbreak/index.html", "signals/sig-congo-outbreak/index.html"}

// renderFiles makes files of sizes that matter here.
func renderFiles(_ render.Records, out render.Output) error {
	page := "<!doctype html><title>%s</title>" + strings.Repeat("<p>a page that can be compressed</p>\n", 100)
	for path, data := range map[string][]byte{
		"404.html": fmt.Appendf(nil, page, "Not found"), "index.html": fmt.Appendf(nil, page, "Start"), "empty.txt": nil, "plain.txt": []byte("no variants\n"),
		"large.txt": Numbers(300 << 10), "middle.txt": Numbers(40 << 10),
	} {
		if err := out.Put(path, data); err != nil {
			return err
		}
	}
	path := func(i int) string { return Pages[i] }
	return out.Each(len(Pages), path, func(i int, b []byte) ([]byte, error) {
		if i == 0 {
			return append(b, Numbers(large)...), nil
		}
		return fmt.Appendf(b, page, Pages[i]), nil
	})
}

// Files is the release in memory.
var Files = sync.OnceValues(func() (*store.Memory, error) {
	memory := store.NewMemory()
	opt := compiler.Options{Date: record.Date("2026-12-01"), Render: []render.Renderer{renderFiles}}
	_, err := build(memory, sample.Files, opt)
	return memory, err
})

// Numbers returns text of some length, in which every line differs from every other. It is quickly
// compressed.
func Numbers(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%0200d\n", i)
	}
	return b.Bytes()[:size]
}

// Write writes the release to a folder or zip. A zip whose name begins with packed has compressed
// what can be.
func Write(t testing.TB, path string) {
	t.Helper()
	memory := must.Get(Files())(t)
	w := must.Get(store.NewWriter(path))(t)
	packer, ok := w.(files.Packer)
	packs := ok && strings.HasPrefix(filepath.Base(path), "packed")
	for name, data := range memory.All() {
		variant, err := memory.ReadFile(name + ".gz")
		if packs && err == nil {
			err = packer.Pack(name, int64(len(data)), bytes.NewReader(variant), int64(len(variant)))
		} else {
			err = w.Put(name, data)
		}
		if err != nil {
			t.Fatal(errors.Join(err, w.Abort()))
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(errors.Join(err, w.Abort()))
	}
}

// Open opens the release that lies in memory.
func Open(t testing.TB) *release.Release {
	t.Helper()
	memory := must.Get(Files())(t)
	r := must.Get(release.Open(context.Background(), memory.Files()))(t)
	return r
}

// Spoil changes what lies at a place of a file that is being served.
func Spoil(t testing.TB, path string, at int64) {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()
	var was [1]byte
	if _, err := f.ReadAt(was[:], at); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{was[0] ^ 1}, at); err != nil {
		t.Fatal(err)
	}
}
