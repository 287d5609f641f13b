package bulk

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"stele/internal/render"
	"stele/record"
)

// Rows are held in memory until a row group is full. Bounding both rows and bytes bounds that
// memory, whatever the records look like.
const (
	rowGroupRows  = 50_000
	rowGroupBytes = 32 << 20 // of JSON
)

// parquetWriter writes a table as Parquet, compressed with zstd.
//
// Dates are dates, numbers are doubles with their author's digits in a column beside them. What is
// nested is a text: the logical type JSON is read as bytes by much-used versions of Arrow.
type parquetWriter struct {
	table       *parquet.GenericWriter[any]
	columns     []typedColumn
	values      parquet.Row
	rows, bytes int // of the row group
}

func newParquet(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error) {
	columns := typedColumns(k)
	options := []parquet.WriterOption{
		parquet.NewSchema(k.Name, newGroup(columns)),
		// else it would name the library's version as the program's build knows it
		parquet.CreatedBy("stele", "1", ""),
		parquet.Compression(&parquet.Zstd),
		parquet.DictionaryMaxBytes(1 << 20),
		parquet.DataPageStatistics(true),
	}
	for _, f := range aboutKind(e, k) {
		options = append(options, parquet.KeyValueMetadata(f.Name, f.Value))
	}
	return &parquetWriter{
		table:   parquet.NewGenericWriter[any](w, options...),
		columns: columns, values: make(parquet.Row, len(columns)),
	}, nil
}

func (p *parquetWriter) add(line []byte, cells []cell) (err error) {
	for i, c := range p.columns {
		if p.values[i], err = valueOf(c.Type, cells[c.cell], i); err != nil {
			return err
		}
	}
	if _, err := p.table.WriteRows([]parquet.Row{p.values}); err != nil {
		return err
	}
	if p.rows, p.bytes = p.rows+1, p.bytes+len(line); p.rows == rowGroupRows || p.bytes > rowGroupBytes {
		p.rows, p.bytes = 0, 0
		return p.table.Flush()
	}
	return nil
}

func (p *parquetWriter) close() error { return p.table.Close() }

// group is a record with its columns in their order; that of the library sorts them by name.
type group struct {
	parquet.Group
	fields []parquet.Field
}

func (g group) Fields() []parquet.Field { return g.fields }

func newGroup(columns []typedColumn) group {
	nodes := parquet.Group{}
	for _, c := range columns {
		nodes[c.Name] = parquet.Optional(nodeOf(c.Type))
	}
	byName := map[string]parquet.Field{}
	for _, f := range nodes.Fields() {
		byName[f.Name()] = f
	}
	g := group{Group: nodes}
	for _, c := range columns {
		g.fields = append(g.fields, byName[c.Name])
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

// valueOf is the value of a column. All columns may be empty; a level tells those that are from the
// others.
func valueOf(t Type, c cell, column int) (v parquet.Value, err error) {
	if len(c) == 0 {
		return parquet.NullValue().Level(0, 0, column), nil
	}
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
	return v.Level(0, 1, column), err
}
