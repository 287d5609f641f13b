package specimen

import (
	"bytes"
	"io/fs"
	"testing/fstest"

	"stele/internal/author/editing/starter"
	"stele/sample"
)

// Sample is the sample in memory, to be changed.
func Sample() (fstest.MapFS, error) {
	folder := fstest.MapFS{}
	err := fs.WalkDir(sample.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sample.Files, path)
		folder[path] = &fstest.MapFile{Data: data}
		return err
	})
	return folder, err
}

// Address is that of the starter's folder in tests: nothing can be published with the example's.
const Address = "https://records.example.org"

// StarterFiles are the files that a new publisher begins with, but for the address.
func StarterFiles() (map[string][]byte, error) {
	files, err := starter.Files()
	if err == nil {
		files["stele.yaml"] = bytes.ReplaceAll(files["stele.yaml"], []byte("https://data.example.org"), []byte(Address))
	}
	return files, err
}

// Starter is the folder that a new publisher begins with, in memory, to be changed.
func Starter() (fstest.MapFS, error) {
	files, err := StarterFiles()
	folder := fstest.MapFS{}
	for path, data := range files {
		folder[path] = &fstest.MapFile{Data: data}
	}
	return folder, err
}
