package compiler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// tb is what a test and a property have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// memory is a release in memory.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
	order []string // in which files were written
}

func newMemory() *memory { return &memory{files: map[string][]byte{}} }

func (m *memory) Put(path string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[path] = bytes.Clone(data)
	m.order = append(m.order, path)
	return nil
}

func (m *memory) Create(path string) (store.File, error) {
	return &memoryFile{to: m, path: path}, nil
}

func (m *memory) Files() fs.FS {
	m.mu.Lock()
	defer m.mu.Unlock()
	files := fstest.MapFS{}
	for path, data := range m.files {
		files[path] = &fstest.MapFile{Data: data}
	}
	return files
}

func (m *memory) Scratch() (*os.File, error) {
	f, err := os.CreateTemp("", "stele-test-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

type memoryFile struct {
	bytes.Buffer
	to   *memory
	path string
}

func (f *memoryFile) Discard() error { return nil }

func (f *memoryFile) Close() error { return f.to.Put(f.path, f.Bytes()) }

// open opens what was written.
func (m *memory) open(t tb) *release.Release {
	t.Helper()
	return must.Get(release.Open(context.Background(), m.Files()))(t)
}

// made is a release that was built in memory.
type made struct {
	*release.Release
	*memory
	outcome *compiler.Outcome
}

// releaseDate lies after every date in the starter folder.
const releaseDate = record.Date("2026-02-01")

// makeRelease builds a release that must come about.
func makeRelease(t tb, records fs.FS, opt compiler.Options) made {
	t.Helper()
	m := newMemory()
	if opt.Date == "" {
		opt.Date = releaseDate
	}
	outcome := must.Get(compiler.Build(context.Background(), records, m, opt))(t)
	if outcome.Manifest == nil {
		t.Fatalf("the build was stopped: %v, %v", problems(outcome), outcome.Shrunk)
	}
	return made{m.open(t), m, outcome}
}

// plainSample and wholeSample are releases of the sample, without compressed variants and with
// them, for tests that only look at one.
var (
	plainSample = sync.OnceValue(func() made {
		return makeRelease(new(testing.T), sample.Files, compiler.Options{Date: sampleDate, NoVariants: true})
	})
	wholeSample = sync.OnceValue(func() made {
		return makeRelease(new(testing.T), sample.Files, compiler.Options{Date: sampleDate})
	})
)

// stopBuild builds what must not become a release.
func stopBuild(t tb, records fs.FS, opt compiler.Options) *compiler.Outcome {
	t.Helper()
	m := newMemory()
	if opt.Date == "" {
		opt.Date = releaseDate
	}
	outcome := must.Get(compiler.Build(context.Background(), records, m, opt))(t)
	if outcome.Manifest != nil || m.files[layout.ManifestPath] != nil {
		t.Fatal("the build was not stopped")
	}
	return outcome
}

// problems are what a build found, in a line each.
func problems(o *compiler.Outcome) []string {
	var list []string
	for _, p := range o.Check.Problems {
		list = append(list, p.String())
	}
	return list
}

// codesOf are the codes of what a build found, each once.
func codesOf(o *compiler.Outcome) []codes.Code {
	var list []codes.Code
	for _, p := range o.Check.Problems {
		list = append(list, p.Code)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// starterFolder is the starter folder in memory.
func starterFolder(t tb) fstest.MapFS {
	t.Helper()
	folder := must.Get(specimen.Starter())(t)
	return folder
}

// edit replaces a text in a file of a copy of a folder.
func edit(t tb, folder fstest.MapFS, path, old, now string) fstest.MapFS {
	t.Helper()
	copied := maps.Clone(folder)
	f := folder[path]
	if f == nil || bytes.Count(f.Data, []byte(old)) != 1 {
		t.Fatalf("%s does not have %q once", path, old)
	}
	copied[path] = &fstest.MapFile{Data: bytes.Replace(f.Data, []byte(old), []byte(now), 1)}
	return copied
}

var updatedDate = regexp.MustCompile(`(?m)^updated_date: .*$`)

// revise edits a record and says on which day.
func revise(t tb, folder fstest.MapFS, path, day, old, now string) fstest.MapFS {
	t.Helper()
	revised := edit(t, folder, path, old, now)
	data := updatedDate.ReplaceAll(revised[path].Data, []byte("updated_date: "+day))
	revised[path] = &fstest.MapFile{Data: data}
	return revised
}

// collection is a collection as consumers see it.
type collection struct {
	Kind    string
	Count   int
	AsOf    string `json:"as_of"`
	License string
	Notice  string
	Records []json.RawMessage
}

// read parses a collection or listing strictly: what it has besides is an error.
func read(t tb, r made, path string) (c collection) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(r.files[path]))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return c
}

// digests are the digests of all records that are not events, by ID.
func digests(t tb, r *release.Release) map[string]release.Digest {
	t.Helper()
	all := map[string]release.Digest{}
	for _, k := range r.Manifest.Kinds {
		if k.Kind == "change_event" {
			continue
		}
		for e, err := range r.Entries(k.Kind) {
			must.Do(t, err)
			all[e.ID] = e.SHA256
		}
	}
	return all
}

// events are the change events of a release, those of archives too, as typed records and as lines.
func events(t tb, r *release.Release) (typed []record.ChangeEvent, lines []string) {
	t.Helper()
	for line, err := range r.Events() {
		var e record.ChangeEvent
		if err == nil {
			err = json.Unmarshal(line, &e)
		}
		must.Do(t, err)
		typed, lines = append(typed, e), append(lines, string(line))
	}
	return typed, lines
}

// verify makes sure that a release is whole.
func verify(t tb, r *release.Release) {
	t.Helper()
	report := must.Get(r.Verify(context.Background(), nil))(t)
	if len(report.Faults) > 0 {
		t.Fatalf("verifying finds %q", report.Faults)
	}
	if report.Files == 0 || report.Records == 0 {
		t.Fatalf("verifying read %d files and %d records", report.Files, report.Records)
	}
}

// without is a folder without a file.
func without(folder fstest.MapFS, path string) fstest.MapFS {
	copied := maps.Clone(folder)
	delete(copied, path)
	return copied
}

// poster is a record that nothing refers to.
const poster = "records/public-references/ref-example-poster.yaml"

// eventFile is a file with an event that a publisher wrote, about a record that is gone.
func eventFile(id, date string) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, `{id: %s, version: 1, record_id: gone-%[1]s, record_kind: entity, change_type: removed,
before: {version: 1, sha256: %s}, after: null, changed_fields: [], release: old, published_date: %s}
`, id, strings.Repeat("ab", 32), date)}
}
