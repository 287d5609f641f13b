package site_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"sync"
	"testing"
	"testing/fstest"

	"stele/internal/build"
	"stele/internal/describe"
	"stele/internal/edition"
	"stele/internal/site"
	"stele/record"
	"stele/sample"
)

// releaseDate lies after every date in the sample.
const releaseDate = record.Date("2026-11-15")

// memory is a release in memory.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

func newMemory() *memory { return &memory{files: map[string][]byte{}} }

func (m *memory) Put(path string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[path] = bytes.Clone(data)
	return nil
}

func (m *memory) Create(path string) (io.WriteCloser, error) {
	return &memoryFile{to: m, path: path}, nil
}

func (m *memory) Open(path string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return io.NopCloser(bytes.NewReader(m.files[path])), nil
}

func (m *memory) Scratch() (*os.File, error) {
	f, err := os.CreateTemp("", "stele-test-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

type memoryFile struct {
	bytes.Buffer
	to   *memory
	path string
}

func (f *memoryFile) Close() error { return f.to.Put(f.path, f.Bytes()) }

// makeSite builds a release with pages, which must come about.
func makeSite(t testing.TB, records fs.FS, opt build.Options) map[string][]byte {
	t.Helper()
	m := newMemory()
	if opt.Render = []edition.Renderer{site.Write, describe.Options{}.Write}; opt.Date == "" {
		opt.Date = releaseDate
	}
	outcome, err := build.Build(records, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Manifest == nil {
		t.Fatalf("the build was stopped: %v", outcome.Check.Problems)
	}
	return m.files
}

// sampleSite is the site of the sample, made once.
var sampleSite = sync.OnceValues(func() (map[string][]byte, error) {
	m := newMemory()
	_, err := build.Build(sample.Files, m, build.Options{Date: releaseDate, Render: []edition.Renderer{site.Write, describe.Options{}.Write}})
	return m.files, err
})

// filesOf makes a file system of a release.
func filesOf(files map[string][]byte) fs.FS {
	all := fstest.MapFS{}
	for path, data := range files {
		all[path] = &fstest.MapFile{Data: data}
	}
	return all
}

// walk visits the files of a file system.
func walk(files fs.FS, visit func(path string, data []byte)) error {
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		visit(path, data)
		return err
	})
}
