package release_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"testing/fstest"

	"stele/record"
	"stele/release"
)

func ExampleOpen() {
	r, err := release.Open(context.Background(), os.DirFS("testdata/first"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Manifest.Title, r.Manifest.Date)
	for _, k := range r.Manifest.Kinds {
		if k.Count > 0 {
			fmt.Println(k.Kind, k.Count)
		}
	}
	// Output:
	// Example 2026-02-01
	// graph_node 1
	// entity 1
}

func ExampleRelease_Records() {
	r, err := release.Open(context.Background(), os.DirFS("testdata/first"))
	if err != nil {
		log.Fatal(err)
	}
	for line, err := range r.Records("entity") {
		if err != nil { // a record was changed or lost, or cannot be read
			log.Fatal(err)
		}
		var e record.Entity
		if err := json.Unmarshal(line, &e); err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.ID, e.Version, e.Title)
	}
	// Output:
	// ent-measles 1 Measles
}

func ExampleRelease_Verify() {
	files, err := altered(os.DirFS("testdata/first"), "api/v2/entities.json")
	if err != nil {
		log.Fatal(err)
	}
	r, err := release.Open(context.Background(), files)
	if err != nil {
		log.Fatal(err)
	}
	report, err := r.Verify(context.Background(), nil)
	if err != nil { // it could not be read
		log.Fatal(err)
	}
	for _, f := range report.Faults[:1] {
		fmt.Println(f.Path, f.Message)
	}
	// Output:
	// api/v2/entities.json api/v2/entities.json: wrong digest
}

func ExampleDiff() {
	ctx := context.Background()
	old, err1 := release.Open(ctx, os.DirFS("testdata/first"))
	now, err2 := release.Open(ctx, os.DirFS("testdata/second"))
	if err := errors.Join(err1, err2); err != nil {
		log.Fatal(err)
	}
	for c, err := range release.Diff(ctx, old, now) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Kind, c.ID, "from version", c.Old.Version, "to", c.New.Version)
	}
	// Output:
	// entity ent-measles from version 1 to 2
}

func ExampleDamagedError() {
	files, err := altered(os.DirFS("testdata/first"), "api/v2/entities.json")
	if err != nil {
		log.Fatal(err)
	}
	r, err := release.Open(context.Background(), files)
	if err != nil {
		log.Fatal(err)
	}
	for _, err := range r.Records("entity") {
		if d := new(release.DamagedError); errors.As(err, &d) {
			fmt.Println(d.Path, "is not what was published")
		}
	}
	// Output:
	// api/v2/entities.json is not what was published
}

// altered is a release in memory in which one letter of a file is another.
func altered(files fs.FS, path string) (fstest.MapFS, error) {
	copied := fstest.MapFS{}
	err := fs.WalkDir(files, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, at)
		if at == path {
			data[len(data)/2] ^= 1
		}
		copied[at] = &fstest.MapFile{Data: data}
		return err
	})
	return copied, err
}
