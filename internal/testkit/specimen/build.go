package specimen

import (
	"context"
	"fmt"
	"io/fs"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
	"stele/release"
)

// Made is a release that was built in memory.
type Made struct {
	*release.Release
	Memory *store.Memory
}

// Build builds a release in memory. Records with errors are an error.
func Build(folder fs.FS, opt compiler.Options) (*Made, error) {
	made := &Made{Memory: store.NewMemory()}
	_, err := build(made.Memory, folder, opt)
	if err == nil {
		made.Release, err = release.Open(context.Background(), made.Memory.Files())
	}
	return made, err
}

// BuildTo builds a release and writes it to a folder or a zip.
func BuildTo(target string, folder fs.FS, opt compiler.Options) (*compiler.Outcome, error) {
	w, err := store.NewWriter(target)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	outcome, err := build(w, folder, opt)
	if err == nil {
		err = w.Commit()
	}
	return outcome, err
}

func build(w store.Writer, folder fs.FS, opt compiler.Options) (*compiler.Outcome, error) {
	outcome, err := compiler.Build(context.Background(), folder, w, opt)
	if err == nil && outcome.Manifest == nil {
		err = fmt.Errorf("the build was stopped: %v, %v", outcome.Check.Problems, outcome.Shrunk)
	}
	return outcome, err
}

// MapFS returns the files as a file system that can be changed.
func (m *Made) MapFS() fstest.MapFS {
	files := fstest.MapFS{}
	for path, data := range m.Memory.All() {
		files[path] = &fstest.MapFile{Data: data}
	}
	return files
}
