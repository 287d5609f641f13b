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

// Rows are held in memory until a row group is full, or a batch of rows more. Bounding both rows
// and bytes bounds that memory, whatever the records look like.
const (
	rowGroupRows  = 50_000
	rowGroupBytes = 32 << 20 // of JSON
	// Parts are read over a network, so few groups and a small footer count.
	partGroupBytes = 128 << 20
)

// Pages and row groups end before records whose IDs say so, one in so many, and once they are not
// small. A record that changes, comes or goes changes its pages then, and others keep their bytes.
const (
	pageEvery   = 128
	pageLeast   = 16 << 10 // bytes of a column
	groupEvery  = 4096
	groupLeast  = rowGroupRows / 2
	mostInWords = 32 << 10 // bytes of what a column repeats; others are not looked up
)

// parquetWriter writes a table as Parquet, compressed with zstd.
//
// Dates are dates, numbers are doubles with their author's digits in a column beside them. Lists,
// objects and names with texts are lists, structs and maps. Only the publisher's own members, whose
// form nobody knows before, are JSON in a text: the logical type JSON is read as bytes by much-used
// versions of Arrow.
type parquetWriter struct {
	//lint:ignore SA1019 the generic one links protocol buffers, a megabyte that nobody uses
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
	columns := parquetColumns(k)
	options := append(more,
		parquet.NewSchema(k.Name, newGroup(columns)),
		// else it would name the library's version as the program's build knows it
		parquet.CreatedBy("stele", "1", ""),
		parquet.Compression(&parquet.Zstd),
		parquet.DictionaryMaxBytes(mostInWords),
		parquet.DataPageStatistics(true),
	)
	for _, f := range aboutKind(e, k, string(asOf)) {
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

// Part is some records of a kind in a file of their own, in the form of its download. What changes
// in others does not change it.
type Part struct {
	Numbers []int32 // of the records, in the order of the file
	AsOf    record.Date
	Sorted  string // the column by which they are sorted; "" for none
}

// WriteParquet writes a part.
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

// parquetColumns are the columns of a kind, with all that is in them.
func parquetColumns(k *record.Kind) []inner {
	var all branch
	for _, c := range typedColumns(k) {
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
		if err := p.end(p.isFull() || mark%groupEvery == 0 && p.rows >= groupLeast); err != nil {
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

// end ends pages that are not small, or all with their row group.
func (p *parquetWriter) end(group bool) error {
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

// flush writes the rows column by column, which takes less time than row by row: most columns are
// empty in most records.
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

// group is a record or a struct with its columns in their order; that of the library sorts them by
// name.
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

// valueOf is the value of a cell that is not empty.
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
