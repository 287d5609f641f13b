package compiler

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"

	"stele/internal/base/fileinfo"
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/record"
	"stele/release"
)

// Draft is a release for previews. Its files are rendered on demand, so that it is available soon
// after the records are read. It implements fs.FS. Collections and listings are on disk, records
// are on the spool, and pages are not stored. Its manifest lists no pages, because their digests
// are unknown.
type Draft struct {
	*build
	w      *draftWriter
	seed   maphash.Seed
	pages  map[uint64]draftPage // by hash of the path
	groups []draftGroup
	made   map[string]func() ([]byte, error)
}

// draftGroup contains the pages of one call of Each.
type draftGroup struct {
	path   func(i int) string
	render func(i int, b []byte) ([]byte, error)
}

// draftPage locates a page.
type draftPage struct{ group, number int32 }

// Preview reads the records in fsys and returns a draft of their release. If they have errors, the
// draft is nil and the outcome has no manifest. It reuses the results of previous previews in
// cache, which may be nil.
func Preview(ctx context.Context, fsys fs.FS, opt Options, cache *PreviewCache) (_ *Outcome, d *Draft, err error) {
	opt.NoVariants, opt.Drafts, opt.Previous, opt.PreviousDir = true, true, nil, ""
	w := &draftWriter{files: map[string][]byte{}, large: map[string]*sharedFile{}, cache: cache}
	d = &Draft{
		build: &build{source: source{FS: fsys, w: w, opt: &opt, cache: cache}, draft: w}, w: w,
		seed: maphash.MakeSeed(), pages: map[uint64]draftPage{}, made: map[string]func() ([]byte, error){},
	}
	out, err := d.publish(ctx)
	if err == nil && d.published != nil {
		out.Manifest, err = d.render()
	}
	if err != nil || out.Manifest == nil {
		return out, nil, errors.Join(err, d.Close())
	}
	return out, d, nil
}

// render runs the renderers, which register their files, and adds the manifest.
func (d *Draft) render() (*release.Manifest, error) {
	m := *d.published.manifest
	if err := renderAll(d.published, m, d.files, d, d.opt); err != nil {
		return nil, err
	}
	m.Files = d.files.Sorted()
	data, err := m.Encode()
	if err != nil {
		return nil, err
	}
	return &m, d.w.Put(layout.ManifestPath, data)
}

// ReasonExcluded returns the reason why no release would contain the record yet, or "" if a release
// would contain it.
func (d *Draft) ReasonExcluded(id string) string { return d.records.checker.HoldText(id) }

func (d *Draft) Close() (err error) {
	d.close()
	for _, f := range d.w.large {
		err = errors.Join(err, f.release())
	}
	return err
}

// Put adds a file of a renderer.
func (d *Draft) Put(path string, data []byte) error { return d.files.Add(path, data) }

// Create returns a writer for a large file of a renderer.
func (d *Draft) Create(path string) (io.WriteCloser, error) { return d.files.Create(path) }

// Scratch creates a temporary file.
func (d *Draft) Scratch() (*os.File, error) { return d.files.Scratch() }

// Make registers a file to render on demand.
func (d *Draft) Make(path string, render func() ([]byte, error)) error {
	d.made[path] = sync.OnceValues(render)
	return nil
}

// Each registers files to render on demand.
func (d *Draft) Each(count int, path func(i int) string, render func(i int, b []byte) ([]byte, error)) error {
	d.groups = append(d.groups, draftGroup{path, render})
	for i := range count {
		d.pages[maphash.String(d.seed, path(i))] = draftPage{int32(len(d.groups) - 1), int32(i)}
	}
	return d.files.Err()
}

// Has reports whether a file exists, without rendering it.
func (d *Draft) Has(path string) bool {
	_, page := d.findPage(path)
	_, record := d.recordNumber(path)
	return d.w.files[path] != nil || d.w.large[path] != nil || d.made[path] != nil || page || record
}

func (d *Draft) findPage(path string) (p draftPage, ok bool) {
	p, ok = d.pages[maphash.String(d.seed, path)]
	return p, ok && d.groups[p.group].path(int(p.number)) == path
}

// recordNumber returns the number of the record whose own file is at path name.
func (d *Draft) recordNumber(name string) (n int32, ok bool) {
	id := strings.TrimSuffix(path.Base(name), ".json")
	if n = d.records.checker.Number(id); n < 0 {
		return n, false
	}
	return n, record.Kinds[d.records.checker.Kind(n)].SinglePath(id) == "/"+name
}

// Open opens a file, and renders it if necessary.
func (d *Draft) Open(name string) (fs.File, error) {
	if d.w.large[name] != nil {
		return d.w.Files().Open(name)
	}
	data, err := d.read(name)
	if err != nil {
		return nil, err
	}
	return fileinfo.FromBytes(name, data), nil
}

func (d *Draft) read(name string) ([]byte, error) {
	if data, ok := d.w.files[name]; ok {
		return data, nil
	}
	if render := d.made[name]; render != nil {
		return render()
	}
	if p, ok := d.findPage(name); ok {
		return d.groups[p.group].render(int(p.number), nil)
	}
	if n, ok := d.recordNumber(name); ok {
		return d.records.spool.Reader().Record(n)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

var _ render.Output = (*Draft)(nil)
