// Package bulk makes the downloads of a release: all records of a kind as NDJSON, CSV and Parquet,
// and all kinds in one SQLite database.
//
// Every row carries what consumers must preserve: record ID, source links, version, verification
// date, claim boundary, source updates, corrections and labels. Nested members stand in a column
// each, as JSON text. The same records give the same bytes.
package bulk

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"

	"stele/internal/render"
	"stele/record"
	"stele/release"
)

// download is a download with the format that it is made in.
type download struct {
	render.Download
	format Format
}

// Downloads says which downloads a release will have.
func (c Choice) Downloads(m *release.Manifest) []render.Download {
	var list []render.Download
	for _, d := range c.downloads(m) {
		list = append(list, d.Download)
	}
	return list
}

func (c Choice) downloads(m *release.Manifest) []download {
	var list []download
	for _, f := range c.formats(m) {
		if traits[f].allKinds {
			list = append(list, newDownload("records", f, nil))
			continue
		}
		for _, k := range record.Kinds {
			list = append(list, newDownload(k.Folder(), f, k))
		}
	}
	return list
}

func newDownload(name string, f Format, k *record.Kind) download {
	t := traits[f]
	d := render.Download{Path: "bulk/" + name + "." + string(f), Format: t.name, MediaType: t.mediaType, Kind: k}
	if t.header != nil {
		d.Columns = t.header(k)
	}
	return download{d, f}
}

// Renderer makes the downloads.
func (c Choice) Renderer() render.Renderer {
	return func(e render.Records, out render.Output) error {
		downloads := c.downloads(e.Release())
		if len(downloads) == 0 {
			return nil
		}
		if err := out.Put(readmePath, readme(e, downloads)); err != nil {
			return err
		}
		return makeAll(e, out, downloads)
	}
}

// makeAll makes the downloads on all cores, each in a scratch file, and then copies them into the
// release in their order: what is written already can only be read while nothing else is written.
func makeAll(e render.Records, out render.Output, downloads []download) error {
	files, errs := make([]*os.File, len(downloads)), make([]error, len(downloads))
	defer func() {
		for _, f := range files {
			if f != nil {
				f.Close() // it has no name any more, and goes with this; doing it twice does no harm
			}
		}
	}()
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, i := range slowestFirst(e.Release(), downloads) {
		slots <- struct{}{}
		group.Go(func() {
			files[i], errs[i] = downloads[i].write(e, out)
			<-slots
		})
	}
	group.Wait()
	for i, d := range downloads {
		if errs[i] != nil {
			return errs[i]
		}
		if err := keep(out, d.Path, files[i]); err != nil {
			return err
		}
		files[i].Close() // makes room for the next
	}
	return nil
}

// slowestFirst orders downloads so that no core is left with a large one at the end.
func slowestFirst(m *release.Manifest, downloads []download) []int {
	order := make([]int, len(downloads))
	for i := range order {
		order[i] = i
	}
	rows := func(d download) int {
		if d.Kind == nil {
			return math.MaxInt
		}
		return m.KindNamed(d.Kind.Name).Count
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows(downloads[b]), rows(downloads[a])) })
	return order
}

func (d download) write(e render.Records, out render.Output) (*os.File, error) {
	file, err := out.Scratch()
	if err != nil {
		return nil, err
	}
	if err := traits[d.format].write(file, e, d.Kind); err != nil {
		return file, fmt.Errorf("%s: %w", d.Path, err)
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

func keep(out render.Output, path string, file *os.File) error {
	w, err := out.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, file); err != nil {
		return err
	}
	return w.Close()
}

// rows reads the records of a kind, each into the same row.
func rows(e render.Records, k *record.Kind) iter.Seq2[*row, error] {
	return func(yield func(*row, error) bool) {
		r := newRow(k)
		for line, err := range e.Collection(k) {
			if err == nil {
				err = r.read(line)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
