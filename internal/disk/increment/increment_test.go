package increment

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/base/compress"
	"stele/internal/disk/store"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// file is one of a pack.
type file struct {
	name string
	data []byte
}

// write writes a pack with the variants of its files.
func write(t rapid.TB, path string, files []file) *os.File {
	t.Helper()
	w, err := store.NewWriter(path)
	must.Do(t, err)
	put := func(name string, data []byte) {
		if len(data) < 4<<10 {
			err = errors.Join(err, w.Put(name, data))
			return
		}
		out, failure := w.Create(name)
		if failure != nil {
			t.Fatal(failure)
		}
		_, failure = out.Write(data)
		err = errors.Join(err, failure, out.Close())
	}
	for i, f := range files {
		variants := map[string][]byte{}
		for _, e := range compress.For(f.name, int64(len(f.data))) {
			if i%3 == 2 && e.Suffix == ".gz" {
				e = compress.Quick // as pages have it
			}
			var b bytes.Buffer
			err = errors.Join(err, e.Encode(&b, fullReader{bytes.NewReader(f.data)}, int64(len(f.data))))
			variants[e.Suffix] = b.Bytes()
		}
		if gz := variants[".gz"]; i%2 == 1 {
			err = errors.Join(err, w.(packer).Pack(f.name, int64(len(f.data)), bytes.NewReader(gz), int64(len(gz))))
		} else {
			put(f.name, f.data)
		}
		for _, e := range compress.Encodings {
			put(f.name+e.Suffix, variants[e.Suffix])
		}
	}
	if err = errors.Join(err, w.Commit()); err != nil {
		t.Fatal(err)
	}
	pack := must.Get(os.Open(path))(t)
	return pack
}

// lines are bytes as a collection has them.
func lines(r *rand.Rand, n int) (b []byte) {
	for range n {
		b = fmt.Appendf(b, `{"id":"sig-%d","title":"Cases rose in district %d"},`+"\n", r.IntN(1e6), r.IntN(1000))
	}
	return b
}

// edit changes a few bytes here and there.
func edit(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b) + 1)
		switch r.IntN(3) {
		case 0:
			b = append(b[:at:at], append(lines(r, 1), b[at:]...)...)
		case 1:
			b = append(b[:at:at], b[min(len(b), at+r.IntN(200)):]...)
		case 2:
			copy(b[at:], "changed")
		}
	}
	return b
}

// step is the increment that leads from one pack to another.
func step(t rapid.TB, old, pack *os.File) []byte {
	t.Helper()
	ctx := context.Background()
	before, err := ComputeSums(ctx, old, nil)
	if err == nil {
		before, err = Decode(before.Encode())
	}
	must.Do(t, err)
	sums := must.Get(ComputeSums(ctx, pack, before))(t)
	var b bytes.Buffer
	must.Get(Write(ctx, &b, before, sums, pack))(t)
	return b.Bytes()
}

// apply makes what increments make of a pack, which has so many bytes.
func apply(t rapid.TB, old *os.File, size int64, steps ...[]byte) ([]byte, error) {
	t.Helper()
	to := must.Get(os.CreateTemp(filepath.Dir(old.Name()), "made-"))(t)
	defer os.Remove(to.Name())
	defer to.Close()
	var in []*io.SectionReader
	for _, s := range steps {
		in = append(in, io.NewSectionReader(bytes.NewReader(s), 0, int64(len(s))))
	}
	if err := Apply(context.Background(), old, in, to, size); err != nil {
		return nil, err
	}
	data := must.Get(os.ReadFile(to.Name()))(t)
	expectView(t, old, data, steps)
	return data, nil
}

// expectView makes sure that a view of a pack is the pack, whatever part of it is read first, and
// that it needs no other parts of the older pack than those that it asks for.
func expectView(t rapid.TB, old *os.File, pack []byte, steps [][]byte) {
	t.Helper()
	start, err := store.FindDirectory(old)
	if err != nil {
		return // another program wrote it
	}
	size := must.Get(old.Stat())(t).Size()
	on := must.Get(os.CreateTemp(filepath.Dir(old.Name()), "part-"))(t)
	defer os.Remove(on.Name())
	defer on.Close()
	bring := func(at, length int64) error {
		_, err := io.Copy(io.NewOffsetWriter(on, at), io.NewSectionReader(old, at, length))
		return err
	}
	must.Do(t, bring(start, size-start))
	for _, err := range store.WriteHeaders(on) {
		must.Do(t, err)
	}
	var in []*io.SectionReader
	for _, s := range steps {
		in = append(in, io.NewSectionReader(bytes.NewReader(s), 0, int64(len(s))))
	}
	v := must.Get(Open(context.Background(), on, in, int64(len(pack)), bring))(t)
	defer v.Close()
	for n := range 4 { // the last quarter first
		at, end := len(pack)*(3-n)/4, len(pack)*(4-n)/4
		got := make([]byte, end-at)
		if _, err := v.ReadAt(got, int64(at)); err != nil || !bytes.Equal(got, pack[at:end]) {
			t.Fatalf("bytes %d to %d of %d differ in the view: %v", at, end, len(pack), err)
		}
	}
	if n, err := v.ReadAt(make([]byte, 10), int64(len(pack)-4)); n != 4 || err != io.EOF {
		t.Fatalf("%d bytes at the end, %v", n, err)
	}
}

func read(t rapid.TB, f *os.File) []byte {
	t.Helper()
	data := must.Get(os.ReadFile(f.Name()))(t)
	return data
}

// TestIncrements: whatever changes from pack to pack, increments make the last from the first, and
// where little changes they are small.
func TestIncrements(t *testing.T) { checkIncrements(t, "20") }

// TestLongIncrements makes more of them.
func TestLongIncrements(t *testing.T) {
	long.Only(t)
	checkIncrements(t, "100")
}

func checkIncrements(t *testing.T, checks string) {
	must.Do(t, flag.Set("rapid.checks", checks))
	rapid.Check(t, func(t *rapid.T) {
		dir := must.Get(os.MkdirTemp("", "stele-test-"))(t)
		defer os.RemoveAll(dir)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var files []file
		for i := range rapid.IntRange(0, 6).Draw(t, "files") {
			files = append(files, file{fmt.Sprintf("api/%d.json", i), lines(r, r.IntN(400)*(1+r.IntN(10)))})
		}
		first := write(t, filepath.Join(dir, "0.zip"), files)
		defer first.Close()
		last := first
		var steps [][]byte
		for n := range rapid.IntRange(1, 4).Draw(t, "steps") {
			for i := range files {
				if r.IntN(2) == 0 {
					files[i].data = edit(r, files[i].data)
				}
			}
			switch r.IntN(4) {
			case 0:
				files = append(files, file{fmt.Sprintf("new/%d.json", n), lines(r, 100)}, file{name: fmt.Sprint("empty", n)})
			case 1:
				files = files[:max(0, len(files)-1)]
			}
			pack := write(t, filepath.Join(dir, fmt.Sprintf("%d.zip", n+1)), files)
			defer pack.Close()
			steps = append(steps, step(t, last, pack))
			last = pack
			want := read(t, pack)
			made, err := apply(t, first, int64(len(want)), steps...)
			if err != nil || !bytes.Equal(made, want) {
				t.Fatalf("%d steps made another pack: %v", n+1, err)
			}
		}
	})
}

// TestSmall: a line that changes in a large file costs a chunk or two, though its variants change
// wholly. The increment is not called malformed if its pack cannot be written.
func TestSmall(t *testing.T) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	files := []file{{"api/signals.json", lines(r, 20_000)}, {"bulk/other.csv", lines(r, 20_000)}}
	old := write(t, filepath.Join(dir, "0.zip"), files)
	defer old.Close()
	files[0].data = append(lines(r, 1), files[0].data...)
	pack := write(t, filepath.Join(dir, "1.zip"), files)
	defer pack.Close()
	s := step(t, old, pack)
	if len(s) > 4<<10 {
		t.Errorf("it takes %d bytes", len(s))
	}
	in := []*io.SectionReader{io.NewSectionReader(bytes.NewReader(s), 0, int64(len(s)))}
	unwritable := must.Get(os.Open(pack.Name()))(t)
	defer unwritable.Close()
	err := Apply(t.Context(), old, in, unwritable, int64(len(read(t, pack))))
	if !errors.As(err, new(syscall.Errno)) || errors.Is(err, errMalformed) {
		t.Errorf("a fault of the machine is %v", err)
	}
}

// TestForeign: zips of other programs, and what is no zip, go by chunks alone.
func TestForeign(t *testing.T) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	data := lines(r, 10_000)
	var files []*os.File
	for i, b := range [][]byte{data, edit(r, data), nil} {
		path := filepath.Join(dir, fmt.Sprint(i))
		must.Do(t, os.WriteFile(path, b, 0o600))
		f := must.Get(os.Open(path))(t)
		defer f.Close()
		files = append(files, f)
	}
	for _, to := range files {
		want := read(t, to)
		made, err := apply(t, files[0], int64(len(want)), step(t, files[0], to))
		if err != nil || !bytes.Equal(made, want) {
			t.Errorf("another file was made: %v", err)
		}
	}
}

// sized is the head of an increment that makes a pack of so many bytes with nothing behind it.
func sized(n uint64) []byte { return append(binary.AppendUvarint(nil, n), 0, 0) }

// bomb is an increment in which the first byte of a pack stands many times, each as a stretch of
// its own, and so many variants of all of them follow. Behind it stand so many bytes that are new,
// and some that seem to be a directory.
func bomb(stretches, variants int, bytes uint64) []byte {
	const directory = 1 << 18
	b := binary.AppendUvarint(nil, uint64(stretches+variants))
	b = binary.AppendUvarint(binary.AppendUvarint(b, bytes), directory)
	for i := range stretches {
		b = binary.AppendVarint(append(b, kinds+isOld), int64(-min(i, 1)))
	}
	for range variants {
		b = append(b, kinds+isVariant, 0, 0)
		b = binary.AppendUvarint(b, uint64(stretches))
	}
	if bytes > 0 {
		b = append(binary.AppendUvarint(b, bytes*kinds+isNew), make([]byte, bytes)...)
	}
	return binary.AppendUvarint(b, directory*kinds+isDirectory)
}

// ended is an increment as it lies in a bucket.
func ended(t testing.TB, ops []byte) []byte {
	t.Helper()
	b := bytes.NewBufferString(format)
	must.Do(t, compress.Far.Stream(b, func(w io.Writer) error {
		_, err := w.Write(ops)
		return err
	}))
	return b.Bytes()
}

// TestHostile: an increment that lies is refused; it never reads or writes beyond its packs, nor
// takes more memory or scratch than follows from their sizes.
func TestHostile(t *testing.T) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	old := write(t, filepath.Join(dir, "0.zip"), []file{{"a.json", lines(r, 500)}})
	defer old.Close()
	number := binary.AppendUvarint
	old10 := func(b []byte, skip int64) []byte { return binary.AppendVarint(number(b, 10*kinds+isOld), skip) }
	plain := append(number(sized(10), 5*kinds+isNew), "plain"...)
	for name, ops := range map[string][]byte{
		"nothing":               nil,
		"huge":                  append(number(nil, 1<<50), 0, 0),
		"another size":          append(number(sized(9), 9*kinds+isNew), "too short"...),
		"no stretch":            sized(10),
		"an empty stretch":      number(sized(10), isNew),
		"more than there is":    number(sized(10), 11*kinds+isNew),
		"bytes that are not":    number(sized(10), 10*kinds+isNew),
		"before the beginning":  old10(sized(10), -1),
		"after the end":         old10(sized(10), 1<<40),
		"far after the end":     old10(sized(10), 1<<62),
		"an unknown way":        append(number(sized(10), 10*kinds+isVariant), 200, 0, 1),
		"more plain than is":    append(number(sized(10), 10*kinds+isVariant), 0, 0, 11),
		"a variant of itself":   append(number(sized(10), 10*kinds+isVariant), 0, 0, 10),
		"a variant of nothing":  append(number(sized(10), 10*kinds+isVariant), 0, 0, 0),
		"the same of itself":    append(number(sized(10), 10*kinds+isSame), 0),
		"more behind than is":   append(number(nil, 10), 0, 5),
		"a directory of itself": number(sized(10), 10*kinds+isDirectory),
		"a shorter variant":     append(number(plain, 5*kinds+isVariant), 2, 0, 5),
		"many stretches":        bomb(1<<20, 0, 1),
		"many variants":         bomb(1<<12, 1<<9, 1),
		"much that is new":      bomb(1, 0, 200<<20),
		"many variants, huge":   bomb(1<<12, 1<<20, 1),
	} {
		var before, after runtime.MemStats
		step := ended(t, ops)
		runtime.ReadMemStats(&before)
		size := int64(10)
		if n, _ := binary.Uvarint(ops); strings.HasPrefix(name, "m") && n < 1<<21 {
			size = int64(n)
		}
		if strings.HasSuffix(name, "huge") { // as the pointer may say
			size = 4_000_000_000
		}
		if made, err := apply(t, old, size, step); err == nil {
			t.Errorf("%s makes %.40q", name, made)
		}
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 64 {
			t.Errorf("%s takes %d MB", name, took)
		}
	}
	for _, text := range []string{"", "rubbish", format, format + "rubbish", "stele-increment/2\n"} {
		if _, err := apply(t, old, 10, []byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%q is taken for sums", text)
		}
	}
}

// FuzzApply: whatever an increment says, it makes a pack or an error, and what it takes to do so
// follows from the sizes of the packs.
func FuzzApply(f *testing.F) {
	dir, r := f.TempDir(), rand.New(rand.NewPCG(1, 2))
	files := []file{{"a.json", lines(r, 20)}}
	old := write(f, filepath.Join(dir, "0.zip"), files)
	f.Cleanup(func() { old.Close() })
	files[0].data = edit(r, files[0].data)
	pack := write(f, filepath.Join(dir, "1.zip"), files)
	f.Cleanup(func() { pack.Close() })
	in := must.Get(readHeader(bytes.NewReader(step(f, old, pack))))(f)
	ops := must.Get(io.ReadAll(in))(f)
	f.Add(ops, uint16(0), uint16(0), uint32(0))
	f.Add([]byte(nil), uint16(60), uint16(40), uint32(60)) // which does no harm, and some more of it would
	to := must.Get(os.Create(filepath.Join(dir, "made")))(f)
	f.Cleanup(func() { to.Close() })
	f.Fuzz(func(t *testing.T, ops []byte, stretches, variants uint16, bytes uint32) {
		if len(ops) == 0 {
			ops = bomb(int(stretches), int(variants), uint64(bytes)<<12)
		}
		w, err := newWork(context.Background(), old, 1000)
		must.Do(t, err)
		defer w.extra.Close()
		err = w.readIncrement(bufio.NewReader(strings.NewReader(string(ops))), -1)
		held, compressed := map[*source]bool{}, false // what takes long, and is not what this is about
		n := len(w.pieces)
		for _, p := range w.pieces {
			if !held[p.from] {
				held[p.from], n = true, n+len(p.from.content)
			}
			compressed = compressed || p.from.isDerived() && p.from.coding >= 0
		}
		if err == nil && !compressed {
			err = w.writePack(to)
		}
		if n > 4*w.limits.pieces || w.extraEnd > 2*w.limits.bytes {
			t.Errorf("it takes %d pieces and %d bytes: %v", n, w.extraEnd, err)
		}
	})
}

// FuzzDecode: sums that are taken are written as they were read.
func FuzzDecode(f *testing.F) {
	f.Add((&Sums{fine: finest, chunks: []chunk{{1024, sum{1}}, {70, sum{2}}}}).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Decode(s.Encode())
		if err != nil || len(again.chunks) != len(s.chunks) {
			t.Errorf("%d chunks, not %d: %v", len(again.chunks), len(s.chunks), err)
		}
	})
}

// packer is a writer of packs that have deflated files.
type packer interface {
	Pack(path string, size int64, gz io.ReaderAt, length int64) error
}
