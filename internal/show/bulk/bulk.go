// Package bulk writes the downloads of a release: all records of a kind as NDJSON, CSV and Parquet,
// and all kinds in one SQLite database.
//
// Every row contains what consumers must preserve: record ID, source links, version, verification
// date, claim boundary, source updates, corrections and labels. Nested members are in one column
// each, as JSON text. The same records give the same bytes.
package bulk

import (
	"io"
	"os"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/record"
	"stele/release"
)

// download is a download with its format and, if it contains one kind, the function that writes it.
type download struct {
	render.Download
	format Format
	table  func(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error) // nil for all kinds
}

// Downloads returns the downloads that the release of m will have.
func (c Choice) Downloads(m *release.Manifest) []render.Download {
	var list []render.Download
	for _, d := range c.downloads(m) {
		list = append(list, d.Download)
	}
	if c.splitByIndicator(m) {
		list = append(list, partsDownload)
	}
	return list
}

// partsDownload is the list of the Parquet parts.
var partsDownload = render.Download{
	Path: layout.PartsPath, Format: "Parquet, by indicator", MediaType: layout.TypeCSV,
	Kind: record.KindNamed(record.KindHealthcareStatistic),
}

// splitByIndicator reports whether package series writes a Parquet file for each indicator.
func (c Choice) splitByIndicator(m *release.Manifest) bool {
	is := m.Kind(record.KindHealthcareStatistic)
	return c.Indicators() && is != nil && is.Count > layout.MaxParquetRows
}

func (c Choice) downloads(m *release.Manifest) []download {
	var list []download
	for _, f := range c.formats(m) {
		if f == SQLite {
			list = append(list, newDownload("records", f, nil))
			continue
		}
		for _, k := range record.Kinds {
			if f == Parquet && k.Name == record.KindHealthcareStatistic && c.splitByIndicator(m) {
				continue
			}
			if is := m.Kind(k.Name); !c.isDefault() || is == nil || is.Count <= maxOfKind || traits[f].always {
				list = append(list, newDownload(k.Folder(), f, k))
			}
		}
		if f == CSV {
			list = append(list, outcomeDownloads(m)...)
		}
	}
	return list
}

func newDownload(name string, f Format, k *record.Kind) download {
	t := traits[f]
	path := layout.BulkFolder + name + "." + string(f)
	d := render.Download{Path: path, Format: t.name, MediaType: layout.SendingOf(path).MediaType, Kind: k}
	return download{d, f, t.table}
}

// Write writes the downloads to out. It implements render.Renderer.
func (c Choice) Write(e render.Records, out render.Output) error {
	downloads := c.downloads(e.Release())
	if len(downloads) == 0 {
		return nil
	}
	if err := out.Put(layout.ReadmePath, c.readme(e, downloads)); err != nil {
		return err
	}
	return writeConcurrently(e, out, downloads)
}

// writeConcurrently writes the downloads concurrently to temporary files, and then copies them to
// out in order, because files of the release can be read only while none is being written.
func writeConcurrently(e render.Records, out render.Output, downloads []download) error {
	files := make([]*os.File, len(downloads))
	defer func() {
		for _, f := range files {
			if f != nil {
				f.Close() // deletes the unnamed file; closing it twice is harmless
			}
		}
	}()
	for i := range files {
		var err error
		if files[i], err = out.Scratch(); err != nil {
			return err
		}
	}
	if err := writeAll(e, downloads, files); err != nil {
		return err
	}
	for i, d := range downloads {
		if err := copyToOutput(out, d.Path, files[i]); err != nil {
			return err
		}
		files[i].Close() // frees the space for the next
	}
	return nil
}

// writeAll writes the tables of downloads to files, kind by kind. A download of all kinds contains
// a table for each kind.
func writeAll(e render.Records, downloads []download, files []*os.File) error {
	write := func(db *database) error {
		for _, k := range record.Kinds {
			var tables []*table
			for i, d := range downloads {
				if d.Kind == nil {
					d.Kind, d.table = k, db.newTableWriter
				}
				if d.Kind == k {
					open := func() (rowWriter, error) { return d.table(files[i], e, k) }
					tables = append(tables, &table{name: d.Path, open: open})
				}
			}
			// a kind with standings has no derived records
			all := rows{e, k, e.Collection(k), func(i int) int { return i }}
			if err := all.write(tables...); err != nil {
				return err
			}
		}
		return nil
	}
	if all := slices.IndexFunc(downloads, func(d download) bool { return d.Kind == nil }); all >= 0 {
		return writeSQLite(files[all], e, write)
	}
	return write(nil)
}

func copyToOutput(out render.Output, path string, file *os.File) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	w, err := out.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, file); err != nil {
		return err
	}
	return w.Close()
}
