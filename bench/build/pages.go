//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"stele/bench/corpus"
	"stele/internal/build/publish"
	"stele/internal/build/render"
	"stele/internal/disk/store"
	"stele/internal/show/bulk"
	"stele/internal/show/describe"
	"stele/internal/show/site"
	"stele/record"
)

// rendered are the builds whose cost is compared. No flag of the command leaves out pages alone, so
// the benchmark builds by itself.
var rendered = map[string][]render.Renderer{
	"records alone":        nil,
	"records and pages":    {site.Options{}.Write},
	"all but pages":        {bulk.Choice{}.Write, describe.Options{}.Write},
	"all that build makes": {site.Options{}.Write, bulk.Choice{}.Write, describe.Options{}.Write},
}

// renderOnce builds a zip with some of what can be made from records, and the compressed variants
// of everything.
func renderOnce(what, folder, output string) error {
	w, err := store.NewWriter(output)
	if err != nil {
		return err
	}
	outcome, err := publish.Build(
		context.Background(),
		os.DirFS(folder),
		w,
		publish.Options{Date: record.Date(releaseDate), Render: rendered[what]},
	)
	if err == nil && outcome.Manifest == nil {
		err = fmt.Errorf("the records have %d errors", outcome.Check.Errors)
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return nil
}

// runPages builds zips with and without pages in turn.
func runPages(records, rounds int) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "records")
	if err := corpus.Write(folder, records); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	builds := func(what string) *contender {
		return &contender{name: what, output: "release.zip", args: func(output string) []string {
			return []string{self, "-records", strconv.Itoa(records), "-render", what, folder, output}
		}}
	}
	contenders := []*contender{
		builds("records alone"), builds("records and pages"), builds("all but pages"), builds("all that build makes"),
	}
	if err := race(filepath.Join(dir, "out"), contenders, records, rounds); err != nil {
		return err
	}
	fmt.Printf("%d signals, zip with variants, %d cores, %s; medians of %d runs in turn, peaks of all runs\n\n", records, runtime.NumCPU(), runtime.Version(), rounds)
	printTimes(contenders)
	return nil
}
