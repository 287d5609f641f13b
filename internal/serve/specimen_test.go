package serve

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/build"
	"stele/internal/edition"
	"stele/internal/store"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// Addresses of the specimen that the tests of parsers and lanes ask for.
const (
	specimenRecord  = "/api/v1/evidence/evd-mmr-one-dose.json" // with variants
	specimenSmall   = "/api/v1/evidence/evd-congo-outbreak.json"
	specimenLarge   = "/large.txt"  // more than a piece
	specimenMiddle  = "/middle.txt" // more than goes out with its head
	specimenPlain   = "/plain.txt"
	specimenEmpty   = "/empty.txt"
	specimenRemoved = "/signals/sig-removed/"
)

var specimenModified = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// specimenFiles is a small release in memory: the sample, some pages, and files of sizes that matter here.
var specimenFiles = sync.OnceValues(func() (*store.Memory, error) {
	render := func(_ edition.Edition, out edition.Output) error {
		page := "<!doctype html><title>%s</title>" + strings.Repeat("<p>a page that can be compressed</p>\n", 100)
		for path, data := range map[string][]byte{
			"404.html": fmt.Appendf(nil, page, "Not found"), "index.html": fmt.Appendf(nil, page, "Start"), "empty.txt": nil, "plain.txt": []byte("no variants\n"),
			"large.txt": numbers(300 << 10), "middle.txt": numbers(40 << 10),
		} {
			if err := out.Put(path, data); err != nil {
				return err
			}
		}
		return nil
	}
	memory := store.NewMemory()
	outcome, err := build.Build(sample.Files, memory, build.Options{Date: record.Date("2026-12-01"), Render: []edition.Renderer{render}})
	if err == nil && outcome.Manifest == nil {
		err = fmt.Errorf("the sample has %d errors", outcome.Check.Errors)
	}
	return memory, err
})

// numbers is text of some length, every part of which differs from every other.
func numbers(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.Bytes()[:size]
}

// openSpecimen opens the specimen. With a memory budget of one byte it is kept on a shelf.
func openSpecimen(t testing.TB, opt Options) *Library {
	t.Helper()
	memory, err := specimenFiles()
	if err != nil {
		t.Fatal(err)
	}
	r, err := release.Open(memory.Files())
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open(r, specimenModified, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.removed[strings.TrimPrefix(specimenRemoved, "/")] = []byte(`{"change_type":"removed"}`)
	return l
}
