//go:build unix

package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"stele/bench/corpus"
)

const collection = "api/v1/signals.json"

// verifyOutput makes sure that a folder or zip has a file for each signal and a collection of all,
// and that they are the signals.
func verifyOutput(path string, signals int, changed bool) error {
	files := os.DirFS(path)
	if filepath.Ext(path) == ".zip" {
		r, err := zip.OpenReader(path)
		if err != nil {
			return err
		}
		defer r.Close()
		files = r
	}
	want := corpus.Signal
	if changed {
		want = changedSignal
		if err := verifyChanges(files, changes(signals)); err != nil {
			return err
		}
	}
	if err := verifySingles(files, signals, want); err != nil {
		return err
	}
	return verifyCollection(files, signals, want)
}

// verifySingles counts the files, and reads one in a hundred.
func verifySingles(files fs.FS, signals int, want func(i int) string) error {
	dir := strings.TrimSuffix(collection, ".json")
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return err
	}
	count := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") { // not a compressed variant
			count++
		}
	}
	if count != signals {
		return fmt.Errorf("%s has %d files, not %d", dir, count, signals)
	}
	for i := 0; i < signals; i += 100 {
		name := fmt.Sprintf("%s/sig-bench-%07d.json", dir, i)
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		var got any
		if err := json.Unmarshal(text, &got); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := same(got, want(i)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// verifyCollection reads all of it, record by record.
func verifyCollection(files fs.FS, signals int, want func(i int) string) error {
	f, err := files.Open(collection)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(f)
	for token := json.Token(nil); token != "records"; {
		if token, err = d.Token(); err != nil {
			return fmt.Errorf("%s has no records: %w", collection, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	count := 0
	for ; d.More(); count++ {
		var got any
		if err := d.Decode(&got); err != nil {
			return fmt.Errorf("%s: %w", collection, err)
		}
		if err := same(got, want(count)); err != nil {
			return fmt.Errorf("%s, record %d: %w", collection, count, err)
		}
	}
	if count != signals {
		return fmt.Errorf("%s has %d records, not %d", collection, count, signals)
	}
	return nil
}

func verifyChanges(files fs.FS, want int) error {
	text, err := fs.ReadFile(files, "api/v1/changes.json")
	if err != nil {
		return err
	}
	var got struct{ Records []json.RawMessage }
	if err := json.Unmarshal(text, &got); err != nil {
		return err
	}
	if len(got.Records) != want {
		return fmt.Errorf("%d change events, not %d", len(got.Records), want)
	}
	return nil
}

// same compares values: the order of members is not compared.
func same(got any, text string) error {
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("not the signal that was given:\n%v\n%v", got, want)
	}
	return nil
}
