package store

import (
	"bytes"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"stele/internal/base/fileinfo"
)

// Memory is a Writer that keeps a release in memory, for previews. After Commit it can be read.
type Memory struct {
	mu    sync.RWMutex
	files map[string][]byte
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{files: map[string][]byte{}} }

// Put adds a copy of data as the file at path.
func (m *Memory) Put(path string, data []byte) error {
	if err := checkPath(path); err != nil {
		return err
	}
	m.add(path, bytes.Clone(data))
	return nil
}

func (m *Memory) add(path string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[path] = data
}

// Create returns a writer for a file, which is added on Close.
func (m *Memory) Create(path string) (File, error) {
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

func (w *memoryWriter) Discard() error { return nil }

func (w *memoryWriter) Close() error {
	w.to.add(w.path, w.Bytes())
	return nil
}

// Scratch creates a temporary file on disk.
func (m *Memory) Scratch() (*os.File, error) {
	return createTempNextTo(filepath.Join(os.TempDir(), "release"))
}

func (m *Memory) Commit() error { return nil }

// Abort removes all files.
func (m *Memory) Abort() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files = nil
	return nil
}

// ReadFile returns the content of a file. The caller must not change it.
func (m *Memory) ReadFile(name string) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	data, ok := m.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return data, nil
}

// All yields the files sorted by path. The caller must not change them.
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

// Names yields the paths of all files.
func (m memoryFS) Names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for path := range m.All() {
			if !yield(path, nil) {
				return
			}
		}
	}
}
