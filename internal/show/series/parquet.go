package series

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/bulk"
)

// writeParquet writes the indicator's records with all columns, in one file or in parts. The files
// are compressed internally, so they have no compressed variants.
func (t *table) writeParquet(out render.Output) (size int64, err error) {
	if !t.x.Parted {
		all := bulk.Part{Numbers: t.x.Records, AsOf: t.summary.updated}
		return t.writeParquetFile(out, t.x.File(layout.ParquetSuffix), &all)
	}
	part := bulk.Part{}
	if t.keyed {
		part.Sorted = "ref_area"
	}
	write := func() error {
		path := layout.PartPath(t.x.Name, bytes.Count(t.listed, []byte("\n")))
		n, err := t.writeParquetFile(out, path, &part)
		t.listed = fmt.Appendf(t.listed, "%s,%s,%d,%d\n", t.x.Name, path, len(part.Numbers), n)
		part.Numbers, part.AsOf, size = part.Numbers[:0], "", size+n
		return err
	}
	for r := range t.visitParts {
		if len(part.Numbers) == layout.MaxPartRows {
			if err := write(); err != nil {
				return 0, err
			}
		}
		part.Numbers, part.AsOf = append(part.Numbers, r.number), max(part.AsOf, r.updated)
	}
	return size, write()
}

// visitParts yields the rows in the order of the parts: by area, dimensions and period, so that a
// query for one area reads few pages.
func (t *table) visitParts(yield func(*row) bool) {
	areas := slices.SortedFunc(slices.Values(t.areas), func(a, b area) int { return strings.Compare(a.key, b.key) })
	for _, a := range areas {
		rows := make([]row, 0, a.to-a.from)
		for _, r := range t.newPart(&a).rows {
			rows = append(rows, row{number: r.number, updated: r.updated, dimensions: slices.Clone(r.dimensions)})
		}
		slices.SortStableFunc(rows, func(a, b row) int { // stable, because rows are in order of time
			return slices.Compare(a.dimensions, b.dimensions)
		})
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}
}

func (t *table) writeParquetFile(out render.Output, path string, part *bulk.Part) (size int64, err error) {
	file, err := out.Create(path)
	if err != nil {
		return 0, err
	}
	counted := &counter{w: file}
	if err := part.WriteParquet(counted, t.w.Records, t.w.kind); err != nil {
		return 0, err
	}
	return counted.n, file.Close()
}

// counter counts the bytes written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
