package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/release"
)

// foundCommand looks for a text in every byte below some paths: in files as they are, in what they
// hold when they are expanded, also inside of zips, and in the values of Parquet files.
func foundCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: found text path…")
	}
	f := &finder{text: []byte(args[0])}
	for _, root := range args[1:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return f.look(path, data)
		}))
	}
	if f.files == 0 {
		ts.Fatalf("there is no file to look into")
	}
	switch {
	case neg && len(f.places) > 0:
		ts.Fatalf("%q is in %s", args[0], strings.Join(f.places, ", "))
	case !neg && len(f.places) == 0:
		ts.Fatalf("%q is in none of %d files", args[0], f.files)
	}
	ts.Logf("%d files, found in %d", f.files, len(f.places))
}

type finder struct {
	text   []byte
	files  int
	places []string
}

func (f *finder) look(path string, data []byte) error {
	f.files++
	if bytes.Contains([]byte(path), f.text) || bytes.Contains(data, f.text) {
		f.places = append(f.places, path)
	}
	for _, e := range compress.Encodings {
		if len(data) > 0 && strings.HasSuffix(path, e.Suffix) {
			in, err := e.Reader(bytes.NewReader(data))
			if err != nil {
				return err
			}
			inner, err := io.ReadAll(in)
			if err != nil {
				return err
			}
			return f.look(strings.TrimSuffix(path, e.Suffix), inner)
		}
	}
	switch {
	case strings.HasSuffix(path, bucket.RecordsSuffix):
		return f.lookRecords(path, data)
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return f.lookZip(path, data)
	case bytes.HasPrefix(data, []byte("PAR1")):
		return f.lookParquet(path, data)
	case bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}): // what lies under its digest
		return f.look(path+".zst", data)
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		return f.look(path+".gz", data)
	case strings.Contains(path, "by-hash"): // Brotli cannot be told from anything else
		inner, err := io.ReadAll(brotli.NewReader(bytes.NewReader(data)))
		if err == nil && bytes.Contains(inner, f.text) {
			f.places = append(f.places, path)
		}
	}
	return nil
}

func (f *finder) lookZip(path string, data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, entry := range z.File {
		in, err := entry.Open()
		if err != nil {
			return err
		}
		inner, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if err := f.look(path+"!"+entry.Name, inner); err != nil {
			return err
		}
	}
	return nil
}

// lookRecords looks into the object of a bucket that has the files of a copy: a zip with the
// manifest, and the other files in its order.
func (f *finder) lookRecords(path string, data []byte) error {
	const endOfZip = "PK\x05\x06"
	at := bytes.Index(data, []byte(endOfZip)) + 22
	if err := f.lookZip(path, data[:at]); err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(data[:at]), int64(at))
	if err != nil {
		return err
	}
	text, err := fs.ReadFile(z, layout.ManifestPath)
	if err != nil {
		return err
	}
	m := new(release.Manifest)
	if err := m.Decode(text); err != nil {
		return err
	}
	for _, file := range m.With(nil).Files {
		derives := func(k release.Kind) bool { return k.Listing == file.Path && fetch.DerivesListing(m, &k) }
		if slices.ContainsFunc(m.Kinds, derives) {
			continue
		}
		v := fetch.SmallestVariant(m.File(file.Path))
		name := file.Path
		if e, ok := compress.Named(v.Encoding); ok {
			name += e.Suffix
		}
		if err := f.look(path+"!"+name, data[at:at+int(v.Size)]); err != nil {
			return err
		}
		at += int(v.Size)
	}
	if at != len(data) {
		return fmt.Errorf("%s has %d bytes, not %d", path, len(data), at)
	}
	return nil
}

// lookParquet reads the pages of every column, and their dictionaries.
func (f *finder) lookParquet(path string, data []byte) error {
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	seen := func(what string, values parquet.ValueReader) error {
		buf := make([]parquet.Value, 256)
		for {
			n, err := values.ReadValues(buf)
			for _, v := range buf[:n] {
				if bytes.Contains([]byte(v.String()), f.text) {
					f.places = append(f.places, path+"!"+what)
				}
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	for _, group := range file.RowGroups() {
		for _, column := range group.ColumnChunks() {
			pages := column.Pages()
			for {
				page, err := pages.ReadPage()
				if err == io.EOF {
					break
				}
				if err != nil {
					return err
				}
				if d := page.Dictionary(); d != nil {
					if err := seen("dictionary", d.Page().Values()); err != nil {
						return err
					}
				}
				if err := seen("page", page.Values()); err != nil {
					return err
				}
			}
			if err := pages.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}
