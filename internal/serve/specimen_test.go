package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/publish"
	"stele/internal/render"
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

// specimenPages are pages of their own listing. The first is larger than what is kept in memory of
// a large release.
var specimenPages = []string{"evidence/evd-big/index.html", "evidence/evd-congo-outbreak/index.html", "signals/sig-congo-outbreak/index.html"}

// renderSpecimen makes files of sizes that matter here.
func renderSpecimen(_ render.Records, out render.Output) error {
	page := "<!doctype html><title>%s</title>" + strings.Repeat("<p>a page that can be compressed</p>\n", 100)
	for path, data := range map[string][]byte{
		"404.html": fmt.Appendf(nil, page, "Not found"), "index.html": fmt.Appendf(nil, page, "Start"), "empty.txt": nil, "plain.txt": []byte("no variants\n"),
		"large.txt": numbers(300 << 10), "middle.txt": numbers(40 << 10),
	} {
		if err := out.Put(path, data); err != nil {
			return err
		}
	}
	path := func(i int) string { return specimenPages[i] }
	return out.Each(len(specimenPages), path, func(i int, b []byte) ([]byte, error) {
		if i == 0 {
			return append(b, numbers(2*maxShelved)...), nil
		}
		return fmt.Appendf(b, page, specimenPages[i]), nil
	})
}

// buildSpecimen builds a small release: the sample, and the files of renderSpecimen.
func buildSpecimen(w publish.Writer) error {
	outcome, err := publish.Build(
		context.Background(),
		sample.Files,
		w,
		publish.Options{Date: record.Date("2026-12-01"), Render: []render.Renderer{renderSpecimen}},
	)
	if err == nil && outcome.Manifest == nil {
		err = fmt.Errorf("the sample has %d errors", outcome.Check.Errors)
	}
	return err
}

// specimenFiles is the release in memory.
var specimenFiles = sync.OnceValues(func() (*store.Memory, error) {
	memory := store.NewMemory()
	return memory, buildSpecimen(memory)
})

// numbers is text of some length, in which every line differs from every other. It is quickly
// compressed.
func numbers(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%0200d\n", i)
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
	r, err := release.Open(context.Background(), memory.Files())
	if err != nil {
		t.Fatal(err)
	}
	return openLibrary(t, r, opt, nil)
}

func openLibrary(t testing.TB, r *release.Release, opt Options, closer func() error) *Library {
	t.Helper()
	l, err := Open(r, specimenModified, opt, closer)
	if err != nil {
		t.Fatal(err)
	}
	l.suggestions.share = 0 // so that answers do not depend on what was asked before
	l.removed[strings.TrimPrefix(specimenRemoved, "/")] = []byte(`{"change_type":"removed"}`)
	return l
}

// openSpecimenAt writes the specimen to a folder or zip, and opens that. It is closed with the
// test.
func openSpecimenAt(t *testing.T, path string, opt Options) *Library {
	t.Helper()
	w, err := store.NewWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(buildSpecimen(w), w.Commit()); err != nil {
		t.Fatal(errors.Join(err, w.Abort()))
	}
	r, closer, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l := openLibrary(t, r, opt, closer)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}
