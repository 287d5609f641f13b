package series

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/bulk"
)

// parquet writes the indicator's records with all their columns, in one file or in parts. They are
// compressed inside, and so need no variants.
func (t *table) parquet(out render.Output) (size int64, err error) {
	all := bulk.Part{Numbers: t.x.Records, AsOf: t.whole().updated()}
	if !t.x.Parted {
		return t.parquetFile(out, t.x.File(layout.ParquetSuffix), &all)
	}
	rows := t.inParts()
	if t.keyed {
		all.Sorted = "ref_area"
	}
	for n := 0; len(rows) > 0; n++ {
		some := rows[:min(len(rows), layout.MostInPart)]
		part := bulk.Part{Sorted: all.Sorted}
		for _, r := range some {
			part.Numbers, part.AsOf = append(part.Numbers, r.number), max(part.AsOf, r.updated)
		}
		path := layout.PartPath(t.x.Name, n)
		bytes, err := t.parquetFile(out, path, &part)
		if err != nil {
			return 0, err
		}
		t.listed = fmt.Appendf(t.listed, "%s,%s,%d,%d\n", t.x.Name, path, len(some), bytes)
		rows, size = rows[len(some):], size+bytes
	}
	return size, nil
}

// inParts are the rows in the order that parts have: by area, dimensions and period, so that an
// engine that wants one area reads few pages.
func (t *table) inParts() []*row {
	rows := make([]*row, len(t.rows))
	for i := range rows {
		rows[i] = &t.rows[i]
	}
	slices.SortStableFunc(rows, func(a, b *row) int { // of an area, they are in the order of time
		byArea := strings.Compare(t.areas[a.area].key, t.areas[b.area].key)
		return cmp.Or(byArea, slices.Compare(a.dimensions, b.dimensions))
	})
	return rows
}

func (t *table) parquetFile(out render.Output, path string, part *bulk.Part) (size int64, err error) {
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

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
