package compiler_test

import (
	"bytes"
	"context"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stele/bench/corpus"
	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// sameFiles compares two releases file by file.
func sameFiles(t tb, what string, got, want map[string][]byte) {
	t.Helper()
	for at := range want {
		if !bytes.Equal(got[at], want[at]) {
			t.Errorf("%s: %s differs", what, at)
		}
	}
	for at := range got {
		if _, ok := want[at]; !ok {
			t.Errorf("%s: %s is new", what, at)
		}
	}
}

// TestCores builds with several numbers of cores and readers; large collections take another way
// through the compressors than small ones.
func TestCores(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, corpus.Write(dir, 1000))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	several := []struct{ cores, workers int }{{1, 1}, {8, 8}, {2, 8}, {8, 1}}
	switch {
	case race.Enabled: // a race needs nothing to compare with
		several = several[1:2]
	case testing.Short():
		several = several[:2]
	}
	for name, folder := range map[string]fs.FS{"sample": sample.Files, "corpus": os.DirFS(dir)} {
		var first made
		for i, c := range several {
			runtime.GOMAXPROCS(c.cores)
			r := makeRelease(t, folder, compiler.Options{Date: sampleDate, Workers: c.workers})
			if i == 0 {
				first = r
				continue
			}
			sameFiles(t, name, r.files, first.files)
			if !slices.Equal(r.order, first.order) {
				t.Errorf("%s: the files are written in another order", name)
			}
		}
	}
}

// buildTo builds a release at a target.
func buildTo(t *testing.T, target string, records fs.FS, opt compiler.Options) *compiler.Outcome {
	t.Helper()
	w := must.Get(store.NewWriter(target))(t)
	defer w.Abort()
	outcome := must.Get(compiler.Build(context.Background(), records, w, opt))(t)
	if outcome.Manifest == nil {
		t.Fatalf("the build was stopped: %v", problems(outcome))
	}
	must.Do(t, w.Commit())
	return outcome
}

// readTree reads all files of a release on disk.
func readTree(t *testing.T, target string) map[string][]byte {
	t.Helper()
	r, closeRelease, err := store.Open(target)
	must.Do(t, err)
	defer closeRelease()
	files := map[string][]byte{}
	if listed, ok := r.Files.(interface {
		Names() iter.Seq2[string, error]
	}); ok {
		for at, err := range listed.Names() {
			if err == nil {
				files[at], err = fs.ReadFile(r.Files, at)
			}
			must.Do(t, err)
		}
		return files
	}
	must.Do(t, fs.WalkDir(r.Files, ".", func(at string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[at], err = fs.ReadFile(r.Files, at)
		}
		return err
	}))
	return files
}

// TestFolderAndZip: a folder, a zip and memory hold the same files, and a zip is the same to the
// byte each time.
func TestFolderAndZip(t *testing.T) {
	dir := t.TempDir()
	opt := compiler.Options{Date: sampleDate}
	want := wholeSample()
	names := []string{"folder", "one.zip", "two.zip"}
	if race.Enabled { // the second zip is made as the first
		names = names[:2]
	}
	for _, name := range names {
		buildTo(t, filepath.Join(dir, name), sample.Files, opt)
		sameFiles(t, name, readTree(t, filepath.Join(dir, name)), want.files)
	}
	if race.Enabled {
		return
	}
	one, err1 := os.ReadFile(filepath.Join(dir, "one.zip"))
	two, err2 := os.ReadFile(filepath.Join(dir, "two.zip"))
	if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
		t.Errorf("two zips of the same records differ: %v, %v", err1, err2)
	}
}

// reordered lists folders backwards, with other times.
type reordered struct{ fs.FS }

func (r reordered) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(r.FS, name)
	slices.Reverse(entries)
	return entries, err
}

// TestWhereRecordsStand moves records between files, formats and folders. The release stays the
// same to the byte.
func TestWhereRecordsStand(t *testing.T) {
	base := starterFolder(t)
	want := makeRelease(t, base, compiler.Options{NoVariants: true})
	const signal, report = "records/signals/sig-example-rise.yaml", "records/entities/ent-example-measles.yaml"
	const coverage = "records/entities/ent-example-coverage.yaml"

	renamed := maps.Clone(base)
	delete(renamed, signal)
	renamed["records/signals/deep/down/zzz.yml"] = base[signal]

	together := maps.Clone(base)
	delete(together, report)
	delete(together, coverage)
	together["records/entities/all.yaml"] = &fstest.MapFile{Data: slices.Concat(base[report].Data, []byte("---\n"), base[coverage].Data)}

	later := fstest.MapFS{}
	for at, f := range base {
		later[at] = &fstest.MapFile{Data: f.Data, ModTime: time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)}
	}

	formats := maps.Clone(base)
	for _, kind := range []string{"signals", "evidence", "proof", "entities", "source-objects"} {
		var lines []byte
		k := record.KindInFolder(kind)
		for line, err := range want.Records(k.Name) {
			must.Do(t, err)
			lines = append(append(lines, line...), '\n')
		}
		for at := range base {
			if path.Dir(at) == "records/"+kind {
				delete(formats, at)
			}
		}
		formats["records/"+kind+"/all.ndjson"] = &fstest.MapFile{Data: lines}
	}

	for name, folder := range map[string]fs.FS{
		"reordered": reordered{base}, "renamed": renamed, "together": together, "later": later, "formats": formats,
	} {
		sameFiles(t, name, makeRelease(t, folder, compiler.Options{NoVariants: true}).files, want.files)
	}
}

// TestDate: the date stands in the manifest, the listing of releases and in new events only, and
// gives the release its ID.
func TestDate(t *testing.T) {
	folder := starterFolder(t)
	one := makeRelease(t, folder, compiler.Options{NoVariants: true, Date: "2026-02-01"})
	two := makeRelease(t, folder, compiler.Options{NoVariants: true, Date: "2027-03-04"})
	sameBut := func(x, y made, dateOfX, dateOfY string, mayDiffer ...string) {
		if x.Manifest.Release == y.Manifest.Release {
			t.Errorf("the releases of %s and %s have one ID", dateOfX, dateOfY)
		}
		asX := strings.NewReplacer(dateOfY, dateOfX, y.Manifest.Release, x.Manifest.Release)
		for at := range x.files {
			if slices.Contains(mayDiffer, strings.TrimSuffix(path.Base(at), path.Ext(at))) ||
				strings.HasPrefix(at, "deltas/") { // which say to which release they lead
				continue
			}
			if at != layout.ManifestPath && !bytes.Equal(x.files[at], y.files[at]) {
				t.Errorf("%s depends on the date", at)
			}
		}
		const events = "api/v1/changes.json"
		if got := asX.Replace(string(y.files[events])); got != string(x.files[events]) {
			t.Errorf("the events of %s and %s differ in more than the date", dateOfX, dateOfY)
		}
	}
	sameBut(one, two, "2026-02-01", "2027-03-04", "releases", "releases.json")

	changed := revise(t, folder, "records/entities/ent-example-coverage.yaml", string(releaseDate), "version: 1", "version: 2\nlicense: CC0-1.0")
	three := makeRelease(t, changed, compiler.Options{NoVariants: true, Date: "2026-02-02", Previous: one.Release})
	four := makeRelease(t, changed, compiler.Options{NoVariants: true, Date: "2027-05-06", Previous: one.Release})
	sameBut(three, four, "2026-02-02", "2027-05-06", "changes", "changes.json", "releases", "releases.json")
}

// TestUnchanged builds again when nothing changed: with another date, and after several releases.
func TestUnchanged(t *testing.T) {
	folder := starterFolder(t)
	one := makeRelease(t, folder, compiler.Options{})
	again := makeRelease(t, folder, compiler.Options{Date: "2026-07-01", Previous: one.Release})
	sameFiles(t, "first", again.files, one.files)
	if !again.outcome.Unchanged || len(again.outcome.Changes) > 0 {
		t.Errorf("the outcome is %+v", again.outcome)
	}
	changed := revise(t, folder, "records/entities/ent-example-coverage.yaml", string(releaseDate), "version: 1", "version: 2\nlicense: CC0-1.0")
	two := makeRelease(t, changed, compiler.Options{Date: "2026-07-01", Previous: one.Release})
	if two.outcome.Unchanged || two.Manifest.Release == one.Manifest.Release ||
		*two.Manifest.Previous != (release.Previous{Release: one.Manifest.Release, Date: "2026-02-01"}) {
		t.Errorf("the second release is %s after %v", two.Manifest.Release, two.Manifest.Previous)
	}
	again = makeRelease(t, changed, compiler.Options{Date: "2026-08-01", Previous: two.Release})
	sameFiles(t, "second", again.files, two.files)
	verify(t, again.Release)
}

// TestOnlyWhatChanged: what did not change keeps its bytes, and so does a collection whose records
// did not.
func TestOnlyWhatChanged(t *testing.T) {
	folder := starterFolder(t)
	one := makeRelease(t, folder, compiler.Options{Date: "2026-03-01"})
	changed := revise(t, folder, "records/evidence/evd-example-cohort.yaml", "2026-03-01", "version: 1", "version: 2")
	two := makeRelease(t, changed, compiler.Options{Date: "2026-03-01", Previous: one.Release})
	var differ []string
	for at, data := range two.files {
		if !isVariant(at) && !bytes.Equal(data, one.files[at]) {
			differ = append(differ, at)
		}
	}
	slices.Sort(differ)
	want := []string{
		"api/v1/changes.json", "api/v1/evidence.json", "api/v1/evidence/evd-example-cohort.json", "api/v1/graph-nodes.json",
		"deltas/" + one.Manifest.Release + "/changes.json", "deltas/" + one.Manifest.Release + "/evidence.json",
		"deltas/" + one.Manifest.Release + "/graph-nodes.json",
		"history/evidence/evd-example-cohort.ndjson", "index/changes.json", "index/evidence.json", "index/histories.json", "index/releases.json",
		layout.ManifestPath,
	}
	if !slices.Equal(differ, want) {
		t.Errorf("these differ: %v\nwant %v", differ, want)
	}
}

func isVariant(at string) bool {
	return slices.ContainsFunc(
		compress.Encodings,
		func(e compress.Encoding) bool { return strings.HasSuffix(at, e.Suffix) },
	)
}

// TestReleaseID: it changes with whatever is published, and with nothing else.
func TestReleaseID(t *testing.T) {
	folder := starterFolder(t)
	ids := map[string]string{}
	for name, f := range map[string]fstest.MapFS{
		"as it is": folder,
		"a record": edit(t, folder, "records/signals/sig-example-rise.yaml", "page 12", "page 13"),
		"an event": edit(t, folder, "records/changes/chg-example-corrected.yaml", "release: example-1", "release: example-2"),
		"a notice": edit(t, folder, "stele.yaml", "These records are examples.", "These are examples."),
		"a title":  edit(t, folder, "stele.yaml", "title: Example records", "title: Other records"),
		"contact":  edit(t, folder, "stele.yaml", "contact: records@", "contact: other@"),
		"words":    edit(t, folder, "stele.yaml", "description: A few", "description: Some"),
		"a colour": edit(t, folder, "stele.yaml", "# accent_color:", "accent_color:"),
		"a home":   edit(t, folder, "stele.yaml", "language: en", "language: en\nhome: [search]"),
	} {
		r := makeRelease(t, f, compiler.Options{NoVariants: true})
		verify(t, r.Release)
		if other, ok := ids[r.Manifest.Release]; ok {
			t.Errorf("%s and %s have the same ID", name, other)
		}
		ids[r.Manifest.Release] = name
	}
	target := edit(t, folder, "stele.yaml", "language: en", "language: en\npublish: {folder: ../public}")
	if r := makeRelease(t, target, compiler.Options{NoVariants: true}); ids[r.Manifest.Release] != "as it is" {
		t.Error("the ID changes with what is not published")
	}
}

// TestContentComesBack: the same records after others are another release, with events of its own.
func TestContentComesBack(t *testing.T) {
	folder := starterFolder(t)
	const entity = "records/entities/ent-example-coverage.yaml"
	at := func(version, license string) fstest.MapFS {
		return revise(t, folder, entity, string(releaseDate), "version: 1", "version: "+version+"\nlicense: "+license)
	}
	one := makeRelease(t, at("1", "CC0-1.0"), compiler.Options{NoVariants: true})
	two := makeRelease(t, at("2", "CC-BY-4.0"), compiler.Options{NoVariants: true, Previous: one.Release})
	three := makeRelease(t, at("3", "CC0-1.0"), compiler.Options{NoVariants: true, Previous: two.Release})
	_, lines := events(t, three.Release)
	if len(lines) != 3 { // one that the publisher wrote, and two
		t.Errorf("the events are %v", lines)
	}
	if one.Manifest.Release == three.Manifest.Release {
		t.Error("two different releases have the same ID")
	}
}
