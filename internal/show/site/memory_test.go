package site_test

import (
	"io/fs"
	"maps"
	"sync"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/bulk"
	"stele/internal/show/describe"
	"stele/internal/show/series"
	"stele/internal/show/site"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/sample"
)

// releaseDate lies after every date in the sample.
const releaseDate = record.Date("2026-11-15")

// makeSite builds a release with pages, which must come about: with all renderers, unless some are
// named.
func makeSite(t testing.TB, records fs.FS, opt compiler.Options) map[string][]byte {
	t.Helper()
	if opt.Date == "" {
		opt.Date = releaseDate
	}
	if opt.Render == nil {
		opt.Render = renderers()
	}
	return maps.Collect(must.Get(specimen.Build(records, opt))(t).Memory.All())
}

// sampleSite is the site of the sample, with downloads, made once, by three workers on any machine.
// Variants take most of the time, so that -short leaves them out.
var sampleSite = sync.OnceValues(func() (map[string][]byte, error) {
	opt := compiler.Options{Date: releaseDate, Render: renderers(), NoVariants: testing.Short(), Workers: 3}
	made, err := specimen.Build(sample.Files, opt)
	return maps.Collect(made.Memory.All()), err
})

// sites are those that several tests read, by name.
var sites = map[string]map[string][]byte{}

// madeOnce is the site of a folder, for all tests that name it.
func madeOnce(t *testing.T, name string, folder func() fs.FS) map[string][]byte {
	t.Helper()
	if sites[name] == nil {
		sites[name] = makeSite(t, folder(), compiler.Options{NoVariants: true})
	}
	return sites[name]
}

// renderers make all that a release has beside its records.
func renderers() []render.Renderer {
	files := &series.Series{}
	return []render.Renderer{
		site.Options{Downloads: bulk.Choice{}.Downloads, Series: files}.Write,
		bulk.Choice{}.Write,
		files.Write,
		describe.Options{Downloads: bulk.Choice{}.Downloads, Series: files}.Write,
	}
}

// filesOf makes a file system of a release.
func filesOf(files map[string][]byte) fs.FS {
	all := fstest.MapFS{}
	for path, data := range files {
		all[path] = &fstest.MapFile{Data: data}
	}
	return all
}

// walk visits the files of a file system.
func walk(files fs.FS, visit func(path string, data []byte)) error {
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		visit(path, data)
		return err
	})
}
