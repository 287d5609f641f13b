package bulk

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go"

	"stele/internal/compile/render"
	"stele/record"
)

// Rows are held in memory until a row group is full, plus one batch. These bounds on rows and bytes
// limit that memory for all records.
const (
	rowGroupRows  = 50_000
	rowGroupBytes = 32 << 20 // of JSON
	// Parts are read over a network, so few groups and a small footer matter.
	partGroupBytes = 128 << 20
)

// Once a page or row group has its minimum size, it ends before the next record whose ID selects
// it. A fixed share of all IDs do. A changed, added or removed record therefore changes only its
// own pages.
const (
	pageEvery   = 128
	pageLeast   = 16 << 10 // minimum bytes of a column
	groupEvery  = 4096
	groupLeast  = rowGroupRows / 2
	mostInWords = 32 << 10 // bytes of repeated values in a column; others are not looked up
)

// parquetWriter writes a table as Parquet, compressed with zstd.
//
// Dates are dates, and numbers are doubles with their author's digits in another column. Lists,
// objects and names with texts are lists, structs and maps. Only custom members are JSON text,
// because common versions of Arrow read the logical type JSON as bytes.
type parquetWriter struct {
	//lint:ignore SA1019 the generic writer links protocol buffers: a megabyte of unused code
	table       *parquet.Writer
	columns     []inner // made from the cells of a row
	shredder    shredder
	rows, bytes int   // of the row group
	page        []int // bytes of the page, by column
	groupBytes  int
}

func newParquet(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error) {
	return parquetTable(w, e, k, e.AsOf(k), rowGroupBytes), nil
}

func parquetTable(
	w io.Writer, e render.Records, k *record.Kind, asOf record.Date, groupBytes int, more ...parquet.WriterOption,
) *parquetWriter {
	columns := parquetColumns(e, k)
	options := append(more,
		parquet.NewSchema(k.Name, newGroup(columns)),
		// otherwise it would contain the library's version
		parquet.CreatedBy("stele", "1", ""),
		parquet.Compression(&parquet.Zstd),
		parquet.DictionaryMaxBytes(mostInWords),
		parquet.DataPageStatistics(true),
	)
	for _, f := range kindFacts(e, k, string(asOf)) {
		options = append(options, parquet.KeyValueMetadata(f.Name, f.Value))
	}
	return &parquetWriter{
		table:      parquet.NewWriter(w, options...),
		columns:    columns,
		shredder:   shredder{make([][]parquet.Value, columns[len(columns)-1].end)},
		page:       make([]int, columns[len(columns)-1].end),
		groupBytes: groupBytes,
	}
}

// Part contains some records of a kind, for a Parquet file in the format of the download. The file
// depends only on these records.
type Part struct {
	Numbers []int32 // of the records, in the order of the file
	AsOf    record.Date
	Sorted  string // the column by which they are sorted, or ""
}

func (p *Part) WriteParquet(w io.Writer, e render.Records, k *record.Kind) error {
	var more []parquet.WriterOption
	groupBytes := rowGroupBytes
	if p.Sorted != "" {
		groupBytes = partGroupBytes
		more = append(more, parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending(p.Sorted))))
	}
	reader := e.Reader()
	lines := func(yield func([]byte, error) bool) {
		for _, n := range p.Numbers {
			if !yield(reader.Record(k, int(n))) {
				return
			}
		}
	}
	some := rows{e, k, lines, func(i int) int { return int(p.Numbers[i]) }}
	return some.write(&table{name: "Parquet", open: func() (rowWriter, error) {
		return parquetTable(w, e, k, p.AsOf, groupBytes, more...), nil
	}})
}

func parquetColumns(e render.Records, k *record.Kind) []inner {
	var all branch
	for _, c := range typedColumns(e, k) {
		if c.shape != nil {
			all.add(c.Name, c.cell, newBranch(c.shape, 0, all.end, true))
		} else {
			all.add(c.Name, c.cell, newLeaf(c.Type, all.end))
		}
	}
	return all.within
}

func (p *parquetWriter) add(line []byte, cells []cell) error {
	id, _, _ := bytes.Cut(line, []byte{','})
	if mark := crc32.ChecksumIEEE(id); mark%pageEvery == 0 || p.isFull() {
		if err := p.endGroup(p.isFull() || mark%groupEvery == 0 && p.rows >= groupLeast); err != nil {
			return err
		}
	}
	for _, c := range p.columns {
		if err := p.shredder.put(c.branch, cells[c.member], 0, 0); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	p.rows, p.bytes = p.rows+1, p.bytes+len(line)
	return nil
}

func (p *parquetWriter) isFull() bool { return p.rows >= rowGroupRows || p.bytes >= p.groupBytes }

// endGroup ends the pages that have the minimum size or, if group is set, all pages and the group.
func (p *parquetWriter) endGroup(group bool) error {
	if err := p.flush(); err != nil {
		return err
	}
	for i, column := range p.table.ColumnWriters() {
		if p.page[i] < pageLeast && !group {
			continue
		}
		p.page[i] = 0
		if group {
			continue
		}
		if err := column.Flush(); err != nil {
			return err
		}
	}
	if !group {
		return nil
	}
	p.rows, p.bytes = 0, 0
	return p.table.Flush()
}

// flush writes the rows in memory column by column. This is faster than row by row, because most
// columns are empty in most records.
func (p *parquetWriter) flush() error {
	for i, column := range p.table.ColumnWriters() {
		for _, v := range p.shredder.columns[i] {
			if v.Kind() == parquet.ByteArray {
				p.page[i] += len(v.ByteArray())
			} else if !v.IsNull() {
				p.page[i] += 8
			}
		}
		if _, err := column.WriteRowValues(p.shredder.columns[i]); err != nil {
			return err
		}
		p.shredder.columns[i] = p.shredder.columns[i][:0]
	}
	return nil
}

func (p *parquetWriter) close() error { return p.table.Close() }

// group is a struct whose fields keep their order; the type in the library sorts them by name.
type group struct {
	parquet.Group
	fields []parquet.Field
}

func (g group) Fields() []parquet.Field { return g.fields }

func newGroup(columns []inner) group {
	nodes := parquet.Group{}
	for _, c := range columns {
		nodes[c.name] = c.node()
	}
	byName := map[string]parquet.Field{}
	for _, f := range nodes.Fields() {
		byName[f.Name()] = f
	}
	g := group{Group: nodes}
	for _, c := range columns {
		g.fields = append(g.fields, byName[c.name])
	}
	return g
}

func nodeOf(t Type) parquet.Node {
	switch t {
	case Integer:
		return parquet.Int(64)
	case Decimal:
		return parquet.Leaf(parquet.DoubleType)
	case Boolean:
		return parquet.Leaf(parquet.BooleanType)
	case Date:
		return parquet.Date()
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

// valueOf returns the Parquet value of c, a non-empty cell of type t.
func valueOf(t Type, c cell) (v parquet.Value, err error) {
	switch t {
	case Integer:
		var n int64
		n, err = c.integer()
		v = parquet.Int64Value(n)
	case Decimal:
		var n float64
		n, err = c.number()
		v = parquet.DoubleValue(n)
	case Boolean:
		v = parquet.BooleanValue(c.boolean())
	case Date:
		var n int32
		n, err = c.days()
		v = parquet.Int32Value(n)
	default:
		var text []byte
		text, err = c.text()
		v = parquet.ByteArrayValue(text)
	}
	return v, err
}
