package push

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/deliver/bucket"
	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
)

// increments lets the packs of a test, which are small, be sent as increments.
func increments(t testing.TB) {
	before := small
	small = 0
	t.Cleanup(func() { small = before })
}

// TestIncrements: pushes send what changed, until that is a part of the whole; then there is a new
// base, which servers that follow need not fetch. Whoever comes with nothing gets every release
// that is kept, and nothing else stays in the bucket.
func TestIncrements(t *testing.T) {
	increments(t)
	h := newHistory(t)
	count := 12
	buckettest.Each(t, func(t *testing.T, address string) {
		*h = *newHistory(t)
		b := open(t, address, quick)
		p := follow(t, address, t.TempDir(), quick, 0)
		wholes, paths := 0, []string{}
		for i := range count {
			path := h.next()
			paths = append(paths, path)
			dry := push(t, b, path, Options{Keep: 3, DryRun: true})
			counts := b.Counts()
			sent := counts.Sent.Load()
			r := push(t, b, path, Options{Keep: 3})
			if got := counts.Sent.Load() - sent; got < dry.Bytes || got > dry.Bytes+16<<10 {
				t.Errorf("release %d: %d bytes, and the dry run said %d", i, got, dry.Bytes)
			}
			if r.Pack.Path != "" {
				wholes++
			}
			before := measure(t, p, "", "stele_bucket_fetched_bytes_total")
			expectChanged(t, p, true)
			expectOpened(t, p, idOf(t, path))
			fetched := int64(measure(t, p, "", "stele_bucket_fetched_bytes_total") - before)
			if i > 0 && fetched > r.Pack.Size/part {
				t.Errorf("release %d: %d bytes of %d were fetched", i, fetched, r.Pack.Size)
			}
			expectRelease(t, address, idOf(t, path))
			for _, kept := range pointerOf(t, address).Kept {
				expectRelease(t, withParameter(address, "release="+kept.Release), kept.Release)
			}
		}
		if wholes < 2 || wholes > count/2 {
			t.Errorf("%d of %d packs were sent whole", wholes, count)
		}
		push(t, b, h.last, Options{Keep: 3, Young: time.Nanosecond, Fork: true})
		want := append(pointerOf(t, address).Paths(), bucket.PointerPath)
		slices.Sort(want)
		// where clocks count seconds, what came last is as young as the pointer
		if got := keys(t, b); b.Scheme() == "file" && !slices.Equal(got, want) {
			t.Errorf("the bucket has\n%q, not\n%q", got, want)
		}
		// back to a release that is kept, and on from there
		back := paths[count-3]
		if r := push(t, b, back, Options{Keep: 3, Fork: true}); len(r.Pieces) > 2 {
			t.Errorf("more than sums and records were sent: %+v", r.Pieces)
		}
		expectRelease(t, address, idOf(t, back))
		expectChanged(t, p, true)
		expectOpened(t, p, idOf(t, back))
		next := h.build(h.last, ".zip")
		r := push(t, b, next, Options{Keep: 1, Young: time.Nanosecond})
		expectRelease(t, address, idOf(t, next))
		if len(r.Pieces) == 0 || pointerOf(t, address).Find(r.Pack.Release) == nil {
			t.Errorf("%+v", r)
		}
		expectRelease(t, address, idOf(t, next))
	})
}

// TestWhole: where sums are missing or damaged, and where it is asked for, the whole pack is sent;
// a release that is there as an increment becomes whole.
func TestWhole(t *testing.T) {
	increments(t)
	one, two, three := threeReleases(t)
	for name, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"rubbish": func(path string) error { return os.WriteFile(path, []byte("rubbish"), 0o600) },
	} {
		address := buckettest.Folder(t)
		b := open(t, address, quick)
		push(t, b, one, Options{Keep: 3})
		sums := filepath.Join(strings.TrimPrefix(address, "file://"), filepath.FromSlash(pointerOf(t, address).Sums.Path))
		must.Do(t, spoil(sums))
		if r := push(t, b, two, Options{Keep: 3}); r.Pack.Path == "" {
			t.Errorf("sums that are %s: %+v", name, r)
		}
		r := push(t, b, three, Options{Keep: 3})
		if r.Pack.Path != "" {
			t.Errorf("no increment follows: %+v", r)
		}
		if r := push(t, b, three, Options{Keep: 3}); !r.Unchanged {
			t.Errorf("the same again: %+v", r)
		}
		if r := push(t, b, three, Options{Keep: 3, Whole: true}); r.Unchanged || r.Pack.Path == "" || len(r.Pieces) != 1 {
			t.Errorf("whole: %+v", r)
		}
		if r := push(t, b, three, Options{Keep: 3, Whole: true}); !r.Unchanged {
			t.Errorf("whole again: %+v", r)
		}
		expectRelease(t, address, idOf(t, three))
	}
}

// changePointer changes the pointer of a bucket that is a folder, as another program might.
func changePointer(t testing.TB, address string, change func(p map[string]any)) {
	t.Helper()
	path := filepath.Join(strings.TrimPrefix(address, "file://"), filepath.FromSlash(bucket.PointerPath))
	data, err := os.ReadFile(path)
	must.Do(t, err)
	var p map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	must.Do(t, d.Decode(&p))
	change(p)
	if data, err = json.Marshal(p); err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	must.Do(t, err)
}

// TestOtherCompressors: a server whose compressors make other bytes says so and what to do, goes on
// with what it has, and takes the whole pack that the next push of the same release brings.
func TestOtherCompressors(t *testing.T) {
	increments(t)
	one, two, three := threeReleases(t)
	address := buckettest.Folder(t)
	b := open(t, address, quick)
	push(t, b, one, Options{Keep: 3})
	p := follow(t, address, t.TempDir(), quick, 0)
	expectOpened(t, p, idOf(t, one))
	push(t, b, two, Options{Keep: 3})
	changePointer(t, address, func(p map[string]any) {
		for _, i := range p["increments"].([]any) {
			i.(map[string]any)["compressors"] = 99
		}
	})
	expectChanged(t, p, true)
	if _, _, _, err := p.Open(); err == nil || !strings.Contains(err.Error(), "--whole") || !strings.Contains(err.Error(), "version") {
		t.Errorf("it ends with %v", err)
	}
	expectOpened(t, follow(t, address, t.TempDir(), quick, 0), idOf(t, one)) // which is kept
	if r := push(t, b, three, Options{Keep: 3}); r.Pack.Path == "" {
		t.Errorf("the next one, by a program that compresses otherwise, builds on it: %+v", r)
	}
	expectChanged(t, p, true)
	expectOpened(t, p, idOf(t, three))
}

// TestFormats: a pointer has the first format as long as whoever knows only that can read all
// releases that it names, and is then refused by its number; the packs of a program that knew no
// increments are built on.
func TestFormats(t *testing.T) {
	increments(t)
	one, two, three := threeReleases(t)
	address := buckettest.Folder(t)
	b := open(t, address, quick)
	push(t, b, one, Options{Keep: 3})
	if f := pointerOf(t, address).Format; f != "stele-bucket/1" {
		t.Errorf("the format is %s", f)
	}
	changePointer(t, address, func(p map[string]any) { delete(p, "sums") }) // as before there were any
	if r := push(t, b, two, Options{Keep: 3}); r.Pack.Path == "" || pointerOf(t, address).Format != "stele-bucket/1" {
		t.Errorf("on a pack without sums: %+v", r)
	}
	push(t, b, three, Options{Keep: 3})
	if f := pointerOf(t, address).Format; f != "stele-bucket/2" {
		t.Errorf("the format is %s", f)
	}
	expectRelease(t, address, idOf(t, three))
	changePointer(t, address, func(p map[string]any) { p["format"] = "stele-bucket/3" })
	if _, err := b.Pointer(t.Context()); err == nil || !strings.Contains(err.Error(), "update this program") {
		t.Errorf("a later format: %v", err)
	}
}

// TestSpoiltCache: a server whose cache is damaged, or lost what increments build on, gets the
// release all the same.
func TestSpoiltCache(t *testing.T) {
	increments(t)
	one, two, _ := threeReleases(t)
	for name, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 1000) },
		"flipped": func(path string) error {
			data, err := os.ReadFile(path)
			if err == nil {
				data[len(data)/2] ^= 1
				err = os.WriteFile(path, data, 0o600)
			}
			return err
		},
	} {
		address, cache := buckettest.Folder(t), t.TempDir()
		b := open(t, address, quick)
		push(t, b, one, Options{Keep: 3})
		p := follow(t, address, cache, quick, 0)
		expectOpened(t, p, idOf(t, one))
		push(t, b, two, Options{Keep: 3})
		zips, err := filepath.Glob(filepath.Join(cache, "*.zip"))
		if err != nil || len(zips) != 1 {
			t.Fatal(zips, err)
		}
		must.Do(t, spoil(zips[0]))
		t.Log(name)
		expectChanged(t, p, true)
		expectOpened(t, p, idOf(t, two))
		left, err := fs.Glob(os.DirFS(cache), "*.part")
		if err != nil || len(left) > 0 {
			t.Errorf("%q is left", left)
		}
	}
}

// TestRedactedIncrements: a release that takes something out builds on nothing that was there
// before, and nothing of that stays.
func TestRedactedIncrements(t *testing.T) {
	increments(t)
	h := newHistory(t)
	address := buckettest.Folder(t)
	b := open(t, address, quick)
	push(t, b, h.next(), Options{Keep: 5})
	if r := push(t, b, h.next(), Options{Keep: 5}); r.Pack.Path != "" {
		t.Fatalf("no increment: %+v", r)
	}
	h.folder["redactions.yaml"] = &fstest.MapFile{Data: []byte(`redactions:
  - id: sig-example-rise
    versions: 1-2
    date: 2026-03-03
    reason: A person was named.
`)}
	r := push(t, b, h.next(), Options{Keep: 5})
	if r.Pack.Path == "" || len(r.Redacted) == 0 {
		t.Errorf("%+v", r)
	}
	p := pointerOf(t, address)
	want := []string{bucket.PointerPath, r.Pack.Path, r.Pack.Records.Path, p.Sums.Path}
	slices.Sort(want)
	if got := keys(t, b); !slices.Equal(got, want) || len(p.Increments)+len(p.Bases)+len(p.Kept) > 0 {
		t.Errorf("the bucket has\n%q, not\n%q", got, want)
	}
	if r := push(t, b, h.next(), Options{Keep: 5}); r.Pack.Path != "" {
		t.Errorf("the next one is no increment: %+v", r)
	}
	expectRelease(t, address, idOf(t, h.last))
}
