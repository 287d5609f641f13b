package store

import (
	"bytes"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"stele/internal/base/fileinfo"
)

// Memory keeps a release in memory, for showing what a folder of records would become. Once
// committed, it is a file system.
type Memory struct {
	mu    sync.RWMutex
	files map[string][]byte
}

// NewMemory begins a release in memory.
func NewMemory() *Memory { return &Memory{files: map[string][]byte{}} }

// Put keeps a copy of a file.
func (m *Memory) Put(path string, data []byte) error {
	if err := checkPath(path); err != nil {
		return err
	}
	m.keep(path, bytes.Clone(data))
	return nil
}

func (m *Memory) keep(path string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[path] = data
}

// Create begins a file; closing it keeps it.
func (m *Memory) Create(path string) (io.WriteCloser, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	return &memoryWriter{to: m, path: path}, nil
}

type memoryWriter struct {
	bytes.Buffer
	to   *Memory
	path string
}

func (w *memoryWriter) Close() error {
	w.to.keep(w.path, w.Bytes())
	return nil
}

// Scratch makes a file on disk that has no name.
func (m *Memory) Scratch() (*os.File, error) {
	return scratchBeside(filepath.Join(os.TempDir(), "release"))
}

// Commit has nothing to do.
func (m *Memory) Commit() error { return nil }

// Abort lets go of everything.
func (m *Memory) Abort() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files = nil
	return nil
}

// ReadFile returns the content of a file, which must not be changed.
func (m *Memory) ReadFile(name string) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	data, ok := m.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return data, nil
}

// All returns the files, in the order of their paths. They must not be changed.
func (m *Memory) All() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		m.mu.RLock()
		defer m.mu.RUnlock()
		for _, path := range slices.Sorted(maps.Keys(m.files)) {
			if !yield(path, m.files[path]) {
				return
			}
		}
	}
}

// Files returns the release as a file system.
func (m *Memory) Files() fs.FS { return memoryFS{m} }

type memoryFS struct{ *Memory }

func (m memoryFS) Open(name string) (fs.File, error) {
	data, err := m.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return fileinfo.FromBytes(name, data), nil
}

// Names returns the paths of all files, for whoever would walk through them.
func (m memoryFS) Names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for path := range m.All() {
			if !yield(path, nil) {
				return
			}
		}
	}
}

// Open reads back a file that was kept.
func (m *Memory) Open(name string) (io.ReadCloser, error) { return memoryFS{m}.Open(name) }
