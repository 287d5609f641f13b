package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// folder is where the records go.
type folder string

// mustBeEmpty keeps a publisher's own files from being mixed with these. A folder that does not
// exist yet is empty.
func (f folder) mustBeEmpty() error {
	entries, err := os.ReadDir(string(f))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look into the output folder: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("the output folder %s is not empty: it has %s; name a new folder", f, entries[0].Name())
	}
	return nil
}

// render writes a file from a template.
func (f folder) render(name, template string, data any) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, template, data); err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	return f.write(name, b.Bytes())
}

// write writes a new file, and the folders that it needs.
func (f folder) write(name string, content []byte) (err error) {
	at := filepath.Join(string(f), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	// O_EXCL: a file that is there after all, whoever put it there, is not overwritten.
	file, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("make a file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(content); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
