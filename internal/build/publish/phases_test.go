package publish

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"stele/internal/author/input"
	"stele/internal/build/render"
	"stele/internal/disk/store"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// TestPhasesLeaveEarlierOnes: the corpus, the release before and the comparison are the same after
// the phases that follow as before them, down to every byte in memory and on scratch files.
func TestPhasesLeaveEarlierOnes(t *testing.T) {
	first := store.NewMemory()
	if _, err := Build(t.Context(), sample.Files, first, Options{Date: "2026-11-20"}); err != nil {
		t.Fatal(err)
	}
	before, err := release.Open(t.Context(), first.Files())
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Date: "2026-12-01", Previous: before, Render: []render.Renderer{everything}}
	b := &build{source: source{FS: revised(t), w: store.NewMemory(), opt: &opt}}
	t.Cleanup(b.close)
	settings, problems, err := input.ReadSettings(b.FS)
	if err != nil {
		t.Fatal(err)
	}
	if b.records, err = readCorpus(t.Context(), b.source, settings, problems); err != nil {
		t.Fatal(err)
	}
	if b.before, err = readPrevious(t.Context(), &opt); err != nil {
		t.Fatal(err)
	}
	corpus, previous := digestOf(b.records), digestOf(b.before.kinds)
	if b.changes, err = compare(t.Context(), b.records, b.before, b.w, &opt); err != nil {
		t.Fatal(err)
	}
	unchanged := func(phase, what, is, was string) {
		t.Helper()
		if is != was {
			t.Errorf("%s changed %s", phase, what)
		}
	}
	unchanged("the comparison", "the corpus", digestOf(b.records), corpus)
	unchanged("the comparison", "the release before", digestOf(b.before.kinds), previous)
	if counts := b.changes.drafts.Counts(); counts[record.ChangeCorrected] != 1 {
		t.Fatalf("%v changed", counts)
	}
	changes := digestOf(b.changes)
	if err := b.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	unchanged("the publication", "the corpus", digestOf(b.records), corpus)
	unchanged("the publication", "the comparison", digestOf(b.changes), changes)
	published := digestOf(b.published.manifest)
	if _, err := b.commit(); err != nil {
		t.Fatal(err)
	}
	unchanged("the commit", "the corpus", digestOf(b.records), corpus)
	unchanged("the commit", "the release before", digestOf(b.before.kinds), previous)
	unchanged("the commit", "the comparison", digestOf(b.changes), changes)
	unchanged("the commit", "the publication's manifest", digestOf(b.published.manifest), published)
}

// everything is a renderer that looks at all that renderers see.
func everything(r render.Records, out render.Output) error {
	for _, k := range record.Kinds {
		for i := range r.Len(k) {
			r.Standing(k, i)
			r.Explain(k, i)
			for range r.Edges(k, i) {
			}
			for _, err := range r.EventsOf(k, i).From(0) {
				if err != nil {
					return err
				}
			}
		}
		if _, err := r.Superseded(k); err != nil {
			return err
		}
	}
	return out.Each(3, func(i int) string { return fmt.Sprintf("page-%d.html", i) },
		func(i int, b []byte) ([]byte, error) { return append(b, "<p>"...), nil })
}

// revised is the sample with a record that was corrected.
func revised(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	if err := fs.WalkDir(sample.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sample.Files.ReadFile(path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	const path = "records/signals/congo-outbreak.yaml"
	text := string(files[path].Data)
	for _, change := range [][2]string{
		{"version: 1\n", "version: 2\n"},
		{"updated_date: 2026-11-10\n", "updated_date: 2026-11-21\ncorrections:\n  - {date: 2026-11-21, type: correction, in_version: 2, fields: [title], summary: Shorter.}\n"},
		{"title: From 57", "title: Up from 57"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("%q is not in %s", change[0], path)
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	files[path] = &fstest.MapFile{Data: []byte(text)}
	return files
}

// digestOf digests a value and all that it leads to.
func digestOf(value any) string {
	d := digester{sha256.New(), map[unsafe.Pointer]bool{}}
	d.add(reflect.ValueOf(value))
	return fmt.Sprintf("%x", d.Sum(nil))
}

type digester struct {
	hash.Hash
	above map[unsafe.Pointer]bool // the pointers that led here
}

func (d *digester) add(v reflect.Value) {
	if !v.IsValid() {
		return
	}
	fmt.Fprint(d, v.Kind(), ":")
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || d.above[v.UnsafePointer()] {
			return
		}
		d.above[v.UnsafePointer()] = true
		defer delete(d.above, v.UnsafePointer())
		if v.Type() == reflect.TypeFor[*os.File]() {
			f := (*os.File)(v.UnsafePointer())
			if _, err := io.Copy(d, io.NewSectionReader(f, 0, 1<<40)); err != nil {
				panic(err)
			}
			return
		}
		d.add(v.Elem())
	case reflect.Interface:
		d.add(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if !strings.HasPrefix(v.Field(i).Type().PkgPath(), "sync") {
				d.add(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprint(d, v.Len())
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			d.Write(v.Bytes())
			return
		}
		for i := range v.Len() {
			d.add(v.Index(i))
		}
	case reflect.Map:
		var entries []string
		for key, value := range v.Seq2() {
			entry := digester{sha256.New(), d.above}
			entry.add(key)
			entry.add(value)
			entries = append(entries, string(entry.Sum(nil)))
		}
		slices.Sort(entries)
		fmt.Fprint(d, entries)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer: // how, and not what
	default:
		fmt.Fprint(d, v)
	}
}
