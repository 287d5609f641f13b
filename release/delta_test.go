package release_test

import (
	"crypto/sha256"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/record"
	"stele/release"
)

// three are the files of a release that has a chain of two deltas, and the releases before it.
func three(t testing.TB, opt compiler.Options) (first, second *release.Release, files map[string][]byte) {
	t.Helper()
	folder := starterFolder(t)
	build := func(date record.Date, previous *release.Release) map[string][]byte {
		opt.Date, opt.Previous = date, previous
		return makeWith(t, folder, opt)
	}
	first = open(t, build("2026-02-01", nil))
	revise := func(date, version, next string) {
		const path = "records/signals/long.yaml"
		text := string(folder[path].Data)
		text = strings.Replace(text, "\nversion: "+version, "\nversion: "+next, 1)
		at := strings.Index(text, "\nupdated_date: ")
		text = text[:at] + "\nupdated_date: " + date + text[at+len("\nupdated_date: 2026-01-01"):]
		folder[path] = &fstest.MapFile{Data: []byte(text)}
	}
	revise("2026-02-02", "1", "2")
	second = open(t, build("2026-02-02", first))
	revise("2026-02-03", "2", "3")
	return first, second, build("2026-02-03", second)
}

func TestDeltas(t *testing.T) {
	first, second, files := three(t, compiler.Options{})
	now := open(t, files)
	if found := faults(t, files); len(found) > 0 {
		t.Fatal(found)
	}
	digest := func(r *release.Release) release.Digest { return r.Manifest.File(signals).SHA256 }
	for _, c := range []struct {
		from *release.Release
		want int
	}{{first, 2}, {second, 1}, {now, 0}} {
		chain, ok := now.Manifest.Chain("signal", digest(c.from))
		since, okSince := now.Manifest.ChainSince("signal", c.from.Manifest.Release)
		if !ok || !okSince || len(chain) != c.want || !slices.Equal(chain, since) {
			t.Errorf("there are %d deltas, %v, or %d, %v; want %d", len(chain), ok, len(since), okSince, c.want)
		}
	}
	if _, ok := now.Manifest.Chain("signal", release.Digest{}); ok {
		t.Error("there are deltas from what never was")
	}
	if _, ok := now.Manifest.ChainSince("signal", "000000000000"); ok {
		t.Error("there are deltas since what never was")
	}
	if _, ok := now.Manifest.ChainSince("policy", first.Manifest.Release); ok {
		t.Error("there are deltas of no kind")
	}
}

// TestVerifyFindsWrongDeltas damages deltas so that sizes and digests in the manifest are right.
func TestVerifyFindsWrongDeltas(t *testing.T) {
	first, second, whole := three(t, compiler.Options{})
	deltas := open(t, whole).Manifest.Kind("signal").Deltas
	one, two := deltas[0].Path, deltas[1].Path
	for _, c := range []struct {
		name, path, old, now, want string
	}{
		{"another record", two, `"version":3`, `"version":4`, "the deltas of signal do not lead to " + signals},
		{"another place", two, `"placed":[0]`, `"placed":[1]`, "the deltas of signal do not lead to " + signals},
		{"beyond the end", two, `"placed":[0]`, `"placed":[9]`, two + " does not fit the collection that it is applied to"},
		{"no such line", two, `"left_out":[0]`, `"left_out":[9]`, "the deltas of signal do not lead to " + signals},
		{"another head", two, `"head":"{\"kind`, `"head":"{\"sort`, two + " does not lead to " + signals},
		{"no head", two, `,\"records\":["`, `"`, "its header is not the first line of a collection"},
		{"places not in order", two, `"placed":[0]`, `"placed":[0,0]`, "inconsistent count: 1 records, 2 positions"},
		{"negative place", two, `"placed":[0]`, `"placed":[-1]`, "positions out of order"},
		{"no ID", two, `"removed":[]`, `"removed":["../x"]`, "invalid ID"},
		{"another kind", two, `"kind":"signal","from"`, `"kind":"entity","from"`, "does not start from the collection that the manifest says"},
		{"another release", two, `"from":"` + second.Manifest.Release, `"from":"` + first.Manifest.Release, "does not start from the collection that the manifest says"},
		{"a gap", one, `"after":"` + second.Manifest.File(signals).SHA256.String(), `"after":"` + strings.Repeat("0", 64), one + " does not lead to the start of " + two},
	} {
		files := maps.Clone(whole)
		replace(t, files, c.path, c.old, c.now)
		compressAgain(t, files, c.path)
		reseal(t, files, nil)
		found := faults(t, files)
		if len(found) != 1 || !strings.Contains(found[0], c.want) {
			t.Errorf("%s: %q, want %q", c.name, found, c.want)
		}
	}
}

// TestHostileDeltas: what a manifest says of deltas has to fit together.
func TestHostileDeltas(t *testing.T) {
	_, _, whole := three(t, compiler.Options{})
	for name, c := range map[string]struct {
		change func(m *release.Manifest, k *release.Kind)
		want   string
	}{
		"since nothing": {func(m *release.Manifest, k *release.Kind) { k.Since = "" }, "since unknown release"},
		"since unknown": {func(m *release.Manifest, k *release.Kind) { k.Since = "x" }, "since unknown release"},
		"no earlier":    {func(m *release.Manifest, k *release.Kind) { m.Earlier = nil }, "since unknown release"},
		"reversed":      {func(m *release.Manifest, k *release.Kind) { slices.Reverse(k.Deltas) }, "out of order"},
		"twice":         {func(m *release.Manifest, k *release.Kind) { k.Deltas[1] = k.Deltas[0] }, "out of order"},
		"not listed":    {func(m *release.Manifest, k *release.Kind) { k.Deltas[0].Path = "deltas/x.json" }, "not in the list of files"},
		"too many":      {func(m *release.Manifest, k *release.Kind) { k.Deltas = make([]layout.Delta, 300) }, "at most 256 are allowed"},
		"no ID":         {func(m *release.Manifest, k *release.Kind) { m.Earlier[0].Release = "a/b" }, "invalid earlier release ID"},
		"many releases": {func(m *release.Manifest, k *release.Kind) { m.Earlier = make([]release.Previous, 300) }, "at most 256 are allowed"},
	} {
		files := maps.Clone(whole)
		reseal(t, files, func(m *release.Manifest) { c.change(m, m.Kind("signal")) })
		if found := faults(t, files); len(found) != 1 || !strings.Contains(found[0], c.want) {
			t.Errorf("%s: %q, want %q", name, found, c.want)
		}
	}
}

// FuzzDelta: no delta, however wrong, does more than end with an error.
func FuzzDelta(f *testing.F) {
	// Compressing takes a minute where everything is instrumented.
	_, second, files := three(f, compiler.Options{NoVariants: true})
	d := open(f, files).Manifest.Kind("signal").Deltas[1]
	f.Add(files[d.Path])
	whole := open(f, files)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, m := *whole, *whole.Manifest
		m.Files = slices.Clone(m.Files)
		r.Manifest, r.Files = &m, fstest.MapFS{d.Path: {Data: data}}
		listed := m.File(d.Path)
		listed.Size, listed.SHA256, listed.Variants = int64(len(data)), sha256.Sum256(data), nil
		s, err := r.Delta("signal", d)
		if err != nil {
			return
		}
		var lines iter.Seq2[layout.Applied, error] = layout.BaseLines(second.Records("signal"))
		count, failed := 0, error(nil)
		for line, err := range s.Apply(lines) {
			if failed = err; err == nil {
				count++
			}
			_ = sha256.Sum256(line.Text)
		}
		if want := second.Manifest.Kind("signal").Count - len(s.LeftOut) + len(s.Placed); failed == nil && count != want {
			t.Errorf("%d lines, want %d", count, want)
		}
		if failed != nil && !errors.As(failed, new(*release.DamagedError)) {
			t.Error(failed)
		}
	})
}
