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

// Draft is a release whose files are made when they are asked for, so that it is there soon after
// the records are read. It is a file system. Collections and listings lie on disk, records on the
// spool, and pages nowhere. Its manifest names no pages: their digests are not known.
type Draft struct {
	*build
	w      *draftWriter
	seed   maphash.Seed
	pages  map[uint64]draftPage // by the hash of their paths
	groups []draftGroup
	made   map[string]func() ([]byte, error)
}

// draftGroup is pages that Each makes.
type draftGroup struct {
	path   func(i int) string
	render func(i int, b []byte) ([]byte, error)
}

// draftPage is where a page is made.
type draftPage struct{ group, number int32 }

// Preview reads the records of a folder and makes a draft of their release; a nil draft, and an
// outcome without a manifest, if anything is wrong with them. What the previews before it kept it
// does not read again; kept may be nil.
func Preview(ctx context.Context, fsys fs.FS, opt Options, kept *Kept) (_ *Outcome, d *Draft, err error) {
	opt.NoVariants, opt.Drafts, opt.Previous, opt.PreviousDir = true, true, nil, ""
	w := &draftWriter{files: map[string][]byte{}, large: map[string]*sharedFile{}, kept: kept}
	d = &Draft{
		build: &build{source: source{FS: fsys, w: w, opt: &opt, kept: kept}, draft: w}, w: w,
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

// render lets the renderers say how their files are made, and ends with the manifest.
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

// HeldBack says of a record that no release would have it yet; "" of one that a release would.
func (d *Draft) HeldBack(id string) string { return d.records.checker.HeldBack(id) }

// Close lets everything go.
func (d *Draft) Close() (err error) {
	d.close()
	for _, f := range d.w.large {
		err = errors.Join(err, f.leave())
	}
	return err
}

// Put writes a file that a renderer made. Create, Scratch, Make and Each are for renderers too.
func (d *Draft) Put(path string, data []byte) error { return d.files.Add(path, data) }

// Create begins a file that a renderer writes by and by.
func (d *Draft) Create(path string) (io.WriteCloser, error) { return d.files.Create(path) }

// Scratch returns a file of no name, for what a renderer sorts.
func (d *Draft) Scratch() (*os.File, error) { return d.files.Scratch() }

// Make notes how to make a file.
func (d *Draft) Make(path string, render func() ([]byte, error)) error {
	d.made[path] = sync.OnceValues(render)
	return nil
}

// Each notes how to make files.
func (d *Draft) Each(count int, path func(i int) string, render func(i int, b []byte) ([]byte, error)) error {
	d.groups = append(d.groups, draftGroup{path, render})
	for i := range count {
		d.pages[maphash.String(d.seed, path(i))] = draftPage{int32(len(d.groups) - 1), int32(i)}
	}
	return d.files.Err()
}

// Has reports whether there is a file at a path, without making it.
func (d *Draft) Has(path string) bool {
	_, page := d.page(path)
	_, record := d.single(path)
	return d.w.files[path] != nil || d.w.large[path] != nil || d.made[path] != nil || page || record
}

// page finds the page at a path.
func (d *Draft) page(path string) (p draftPage, ok bool) {
	p, ok = d.pages[maphash.String(d.seed, path)]
	return p, ok && d.groups[p.group].path(int(p.number)) == path
}

// single finds the record whose own file lies at a path.
func (d *Draft) single(name string) (n int32, ok bool) {
	id := strings.TrimSuffix(path.Base(name), ".json")
	if n = d.records.checker.Number(id); n < 0 {
		return n, false
	}
	return n, record.Kinds[d.records.checker.Kind(n)].SinglePath(id) == "/"+name
}

// Open opens a file, and makes it if need be.
func (d *Draft) Open(name string) (fs.File, error) {
	if f := d.w.large[name]; f != nil {
		size, err := f.Seek(0, io.SeekEnd)
		if err != nil {
			return nil, err
		}
		return fileinfo.New(name, f.File, size), nil
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
	if p, ok := d.page(name); ok {
		return d.groups[p.group].render(int(p.number), nil)
	}
	if n, ok := d.single(name); ok {
		return d.records.spool.Reader().Record(n)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

var _ render.Output = (*Draft)(nil)
