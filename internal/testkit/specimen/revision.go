package specimen

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"sync"
	"testing"
	"testing/fstest"

	"stele/internal/author/starter"
	"stele/internal/build/publish"
	"stele/internal/disk/store"
	"stele/record"
	"stele/release"
	"stele/sample"
)

// Signals is the address of a collection that is large enough for what matters only then.
const Signals = "/api/v1/signals.json"

// Revision returns a release of the sample with many signals more, in memory. Revisions differ in
// one of these.
func Revision(t testing.TB, n int) *release.Release {
	t.Helper()
	revisions.Lock()
	defer revisions.Unlock()
	if revisions.built[n] == nil {
		revisions.built[n] = store.NewMemory()
		if err := buildRevision(revisions.built[n], n); err != nil {
			t.Fatal(err)
		}
	}
	r, err := release.Open(context.Background(), revisions.built[n].Files())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// revisions are those that were asked for.
var revisions = struct {
	sync.Mutex
	built map[int]*store.Memory
}{built: map[int]*store.Memory{}}

func buildRevision(to *store.Memory, n int) error {
	folder, err := Sample()
	if err != nil {
		return err
	}
	var signals []byte
	for i := range 400 {
		var words []byte // that no compressor makes much of
		for part := range 2 {
			words = fmt.Appendf(words, "%x ", sha256.Sum256(fmt.Append(nil, i, part)))
		}
		observation := "In a district."
		if i == 200 {
			observation = fmt.Sprintf("In revision %d.", n)
		}
		signals = fmt.Appendf(signals, `{"id":"sig-many-%04d","version":1,"title":"Signal %d","summary":"%sends.","signal_type":"trend","observation":%q,"detected_date":"2026-01-01","evidence_ids":["evd-mmr-one-dose"],`+
			`"source_links":[{"url":"https://example.org/","role":"primary"}],"claim_boundary":{"statement":"Nothing beyond."},"verification_date":"2026-01-01","published_date":"2026-01-01","updated_date":"2026-01-01","source_updates":[],"corrections":[]}`+"\n",
			i, i, words, observation)
	}
	folder["records/signals/many.ndjson"] = &fstest.MapFile{Data: signals}
	outcome, err := publish.Build(context.Background(), folder, to, publish.Options{Date: record.Date("2026-12-01")})
	if err == nil && outcome.Manifest == nil {
		err = fmt.Errorf("revision %d has errors: %v", n, outcome.Check.Problems)
	}
	return err
}

// Sample is the sample in memory, to be changed.
func Sample() (fstest.MapFS, error) {
	folder := fstest.MapFS{}
	err := fs.WalkDir(sample.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sample.Files, path)
		folder[path] = &fstest.MapFile{Data: data}
		return err
	})
	return folder, err
}

// Starter is the folder that a new publisher begins with, in memory, to be changed.
func Starter() (fstest.MapFS, error) {
	files, err := starter.Files()
	folder := fstest.MapFS{}
	for path, data := range files {
		folder[path] = &fstest.MapFile{Data: data}
	}
	return folder, err
}
