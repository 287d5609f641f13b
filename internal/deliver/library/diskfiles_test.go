package library

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// TestDamageFoundAgain: a page whose place in a zip is known is looked at each time.
func TestDamageFoundAgain(t *testing.T) {
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "release.zip")
	l := openShelved(t, path, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	page := "/" + specimen.Pages[1]
	if status, _ := fetchedFrom(t, l, page, ""); status != http.StatusOK {
		t.Fatalf("answered %d", status)
	}
	pages := l.disk.pages[len(l.disk.pages)-1]
	specimen.Spoil(t, path, pages.index.filesWithHash(l.disk.hash(page[1:]))[0].record+100)
	if status, _ := fetchedFrom(t, l, page, ""); status != http.StatusInternalServerError ||
		!strings.Contains(log.String(), specimen.Pages[1]+" does not match the release's description") {
		t.Errorf("answered %d, and the log says %q", status, log.String())
	}
}

// fetchedFrom is what a library answers with, and its status.
func fetchedFrom(t *testing.T, l *Library, path, acceptEncoding string) (status int, data []byte) {
	t.Helper()
	var a Answer
	l.Answer(&Request{Method: http.MethodGet, Path: path, AcceptEncoding: acceptEncoding}, &a, new(Scratch))
	data = make([]byte, a.Size)
	must.Do(t, a.ReadAt(data, 0))
	must.Do(t, a.Release())
	return a.Status, data
}

// TestDamageFoundLate: what a release that is too large for memory reads when it is asked for is
// looked at then. Others are not held up.
func TestDamageFoundLate(t *testing.T) {
	for _, c := range []struct{ name, file, path, encoding, says string }{
		{"a page", specimen.Pages[1], "/" + specimen.Pages[1], "", specimen.Pages[1] + " does not match the release's description"},
		{"a variant of a page", specimen.Pages[1] + ".gz", "/" + specimen.Pages[1], "gzip", specimen.Pages[1] + ".gz does not match the release's description"},
		{"a variant of a record", specimen.Record[1:] + ".br", specimen.Record, "br", specimen.Record[1:] + ".br does not match the release's description"},
		{"a record", "", specimen.Record, "", "evd-mmr-one-dose does not match the release's description"},
	} {
		var log bytes.Buffer
		dir := filepath.Join(t.TempDir(), "release")
		l := openShelved(t, dir, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if c.file == "" {
			spoilRecord(t, l, dir, c.path)
		} else {
			specimen.Spoil(t, filepath.Join(dir, c.file), 100)
		}
		if status, _ := fetchedFrom(t, l, c.path, c.encoding); status != http.StatusInternalServerError ||
			!strings.Contains(log.String(), c.says) {
			t.Errorf("%s: answered %d, and the log says %q", c.name, status, log.String())
		}
		if status, _ := fetchedFrom(t, l, specimen.Small, "br, gzip"); status != http.StatusOK {
			t.Errorf("%s: another record is answered with %d", c.name, status)
		}
	}
}

// TestSameFromFiles: whatever is asked for gets the same answer from memory and from files, in
// every encoding.
func TestSameFromFiles(t *testing.T) {
	memory := openSpecimen(t, Options{})
	for _, name := range []string{"release", "release.zip", "packed.zip"} {
		files := openShelved(t, filepath.Join(t.TempDir(), name), Options{})
		count := 0
		for path := range memory.files {
			if files.files[path] == nil {
				count++
			}
			for _, r := range []Request{
				{},
				{AcceptEncoding: "br"},
				{AcceptEncoding: "zstd"},
				{AcceptEncoding: "gzip, br;q=0.5"},
				{AcceptEncoding: "gzip, br, zstd"},
				{AcceptEncoding: "identity;q=0"},
				{Range: "bytes=10-19"},
				{Conditions: Conditions{IfNoneMatch: "*"}},
				{Conditions: Conditions{IfMatch: `"other"`}},
			} {
				// where a page lies is known the second time
				for _, method := range []string{http.MethodGet, http.MethodGet, http.MethodHead} {
					r.Method, r.Path = method, "/"+path
					if got, want := allOf(t, files, &r), allOf(t, memory, &r); got != want {
						t.Fatalf("%s of %+v is %.600q, want %.600q", name, r, got, want)
					}
				}
			}
		}
		if count < 30 {
			t.Errorf("%s: %d files are on disk", name, count)
		}
	}
}

// TestUnpacksLater: a large file that lies in a zip packed is unpacked when somebody asks for it as
// it is, once; and held in memory where there is no room for temporary files. What is damaged is
// found before.
func TestUnpacksLater(t *testing.T) {
	for _, room := range []bool{true, false} {
		zip := filepath.Join(t.TempDir(), "packed.zip")
		l := openShelved(t, zip, Options{})
		if !room {
			t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
			held := l.disk.held.Load()
			if _, err := l.loadWhole("large", maxHeld+1, release.Digest{}); err == nil || l.disk.held.Load() != held {
				t.Errorf("what is too large to be held: %v, %d bytes more are", err, l.disk.held.Load()-held)
			}
		}
		var at int64
		count, open := 0, len(l.open)
		for path, r := range l.files {
			packed := r.representations[0].packed
			if packed == nil || path != packed.path {
				continue
			}
			count++
			_, from, size := packed.in.Packed().Outer()
			at = from + size/2
			for range 2 {
				status, data := fetchedFrom(t, l, "/"+path, "")
				if status != http.StatusOK || sha256.Sum256(data) != packed.sum {
					t.Errorf("%s, with room %v: %d, %d bytes", path, room, status, len(data))
				}
			}
		}
		if unpacked := len(l.open) - open; count == 0 || room && unpacked != count || !room && unpacked != 0 {
			t.Errorf("of %d packed files, %d were unpacked; there is room: %v", count, unpacked, room)
		}
		specimen.Spoil(t, zip, at)
		r, closer, err := store.Open(zip)
		must.Do(t, err)
		if _, err := Open(r, time.Now(), Options{Memory: 1}, closer); err == nil {
			t.Error("a release is served of which a packed file is damaged")
		}
	}
}

// TestUnpacksNotAgain: a file for which there is no room is unpacked again after a pause, not for
// each request.
func TestUnpacksNotAgain(t *testing.T) {
	l := openShelved(t, filepath.Join(t.TempDir(), "packed.zip"), Options{})
	for path, r := range l.files {
		packed := r.representations[0].packed
		if packed == nil || path != packed.path {
			continue
		}
		room, held := os.Getenv("TMPDIR"), l.disk.held.Swap(maxHeld)
		t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
		status, _ := fetchedFrom(t, l, "/"+path, "")
		t.Setenv("TMPDIR", room)
		l.disk.held.Store(held)
		soon, _ := fetchedFrom(t, l, "/"+path, "")
		packed.retryAt = time.Time{}
		if late, _ := fetchedFrom(t, l, "/"+path, ""); status != 500 || soon != 500 || late != http.StatusOK {
			t.Errorf("%s: %d, then %d, and after the pause %d", path, status, soon, late)
		}
	}
}

// allOf is an answer with all that it has. A library that cannot answer at once is asked to take
// its time.
func allOf(t *testing.T, l *Library, r *Request) string {
	t.Helper()
	var a Answer
	l.Answer(r, &a, &Scratch{NoWait: true})
	if a.WouldBlock {
		must.Do(t, a.Release())
		l.Answer(r, &a, new(Scratch))
	}
	var data []byte
	if r.Method == http.MethodGet && a.Size > 0 {
		data = make([]byte, a.Size)
		must.Do(t, a.ReadAt(data, 0))
	}
	text := fmt.Sprintf("%d\n%s%s%s%d\n%s", a.Status, a.Shared, a.Own, a.Extra, a.Size, data)
	must.Do(t, a.Release())
	return text
}

// TestIndex: every file is found, and nothing else.
func TestIndex(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 1000} {
		var files []diskFile
		for i := range n {
			files = append(files, diskFile{hash: uint64(i) * 0x9e3779b97f4a7c15, line: int64(i)})
		}
		if n > 2 {
			files = append(files, diskFile{hash: files[1].hash, line: -1}, diskFile{hash: 1<<64 - 1})
		}
		x := newIndex(files)
		for i := range n {
			hash := uint64(i) * 0x9e3779b97f4a7c15
			found, want := x.filesWithHash(hash), 1
			if i == 1 && n > 2 {
				want = 2
			}
			if len(found) != want || found[0].hash != hash {
				t.Errorf("of %d, %d is found as %v", n, i, found)
			}
			if found := x.filesWithHash(hash + 1); len(found) != 0 {
				t.Errorf("of %d, %v is found beside %d", n, found, i)
			}
		}
	}
}

// TestShelveRefuses: a listing and a collection that do not belong together are not served,
// although each of them is whole.
func TestShelveRefuses(t *testing.T) {
	entry := func(id string) string {
		return `{"id":"` + id + `","version":1,"sha256":"` + strings.Repeat("0", 64) + `"}`
	}
	for _, c := range []struct{ index, collection, says string }{
		{entry("a") + ",\n" + entry("b"), `{"id":"a"}`, "index.json describes 2 records, but all.json contains 1"},
		{entry("a"), `{"id":"a"},` + "\n" + `{"id":"b"}`, "index.json describes 1 records, but all.json contains 2"},
		{entry("a") + ",\n" + `{"id":`, `{"id":"a"}`, "index.json: unexpected end"},
	} {
		files, m := fstest.MapFS{}, &release.Manifest{
			Kinds: []release.Kind{
				{Kind: "any", Count: 1 << 30, Collection: "all.json", Listing: "index.json", Single: "{id}"},
			},
		}
		for _, file := range [][2]string{{"all.json", c.collection}, {"index.json", c.index}} { // in order
			data := []byte("{\"records\":[\n" + file[1] + "\n]}\n")
			files[file[0]] = &fstest.MapFile{Data: data}
			m.Files = append(m.Files, release.File{Path: file[0], Size: int64(len(data)), SHA256: sha256.Sum256(data)})
		}
		l := &Library{release: &release.Release{Manifest: m, Files: files}, disk: newDiskFiles()}
		if err := l.indexRecords(&listing{path: "index.json", kind: &m.Kinds[0]}); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s and %s: %v", c.index, c.collection, err)
		}
	}
}

// TestProven: what was proven is remembered, and not without end.
func TestProven(t *testing.T) {
	var p verifiedVariants
	pair := func(i int) [2]release.Digest {
		return [2]release.Digest{sha256.Sum256([]byte{byte(i), byte(i >> 8)}), {1}}
	}
	for i := range maxProven + 1 {
		if p.has(pair(i)) {
			t.Fatalf("%d is proven before it was", i)
		}
		p.add(pair(i))
		if !p.has(pair(i)) {
			t.Fatalf("%d is forgotten", i)
		}
	}
	if len(p.pairs) > maxProven {
		t.Errorf("%d pairs are remembered", len(p.pairs))
	}
}

// TestReadingIsNotKeeping: what is read for an answer does not count as what a library keeps.
func TestReadingIsNotKeeping(t *testing.T) {
	l := openSpecimen(t, Options{Memory: 1})
	kept := l.disk.held.Load()
	for _, encoding := range []string{"", "br"} {
		for range 3 {
			var a Answer
			l.Answer(&Request{Method: "GET", Path: "/" + strings.TrimSuffix(specimen.Pages[1], "index.html"), AcceptEncoding: encoding},
				&a, new(Scratch))
			if a.Status != 200 || l.disk.held.Load() != kept {
				t.Errorf("%q: %d, and %d bytes are kept, not %d", encoding, a.Status, l.disk.held.Load(), kept)
			}
			a.Release()
		}
	}
}
