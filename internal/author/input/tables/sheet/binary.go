package sheet

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	_ "modernc.org/sqlite" // the driver

	"stele/internal/base/jsonline"
)

// float is the shortest text that stands for a binary number.
func float(v float64, bits int) string { return strconv.FormatFloat(v, 'f', -1, bits) }

func openParquet(f *os.File, _ Options) (*Table, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, err
	}
	leaves := p.Schema().Columns()
	if len(leaves) > maxColumns {
		return nil, fmt.Errorf("it has %d columns: %w", len(leaves), ErrLimit)
	}
	names := Row{}
	types := make([]format.LogicalTypeValue, len(leaves))
	for i, leaf := range leaves {
		names.Cells = append(names.Cells, Cell{Text: strings.Join(leaf, ".")})
		if column, found := p.Schema().Lookup(leaf...); found {
			if t := column.Node.Type().LogicalType(); t != nil {
				types[i] = t.Value
			}
		}
	}
	t := &Table{Format: "parquet"}
	t.rows = func(yield func(Row, error) bool) {
		if yield(names, nil) {
			readParquet(p, types, yield)
		}
	}
	return t, nil
}

func readParquet(p *parquet.File, types []format.LogicalTypeValue, yield func(Row, error) bool) {
	row := Row{}
	for _, group := range p.RowGroups() {
		rows := group.Rows()
		err := readGroup(rows, types, &row, yield)
		if err := errors.Join(err, rows.Close()); err != nil {
			if !errors.Is(err, errEnough) {
				yield(Row{}, err)
			}
			return
		}
	}
}

func readGroup(rows parquet.Rows, types []format.LogicalTypeValue, row *Row, yield func(Row, error) bool) error {
	batch := make([]parquet.Row, 128)
	for {
		n, err := rows.ReadRows(batch)
		for _, values := range batch[:n] {
			row.Line++
			row.Cells = append(row.Cells[:0], make([]Cell, len(types))...)
			for len(values) > 0 {
				column, n := values[0].Column(), 1
				for n < len(values) && values[n].Column() == column {
					n++
				}
				row.Cells[column] = parquetCells(values[:n], types[column])
				values = values[n:]
			}
			if !yield(*row, nil) {
				return errEnough
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// parquetCells is the cell of a column. Where a list has several values, they are JSON text.
func parquetCells(values []parquet.Value, t format.LogicalTypeValue) Cell {
	if len(values) == 1 && values[0].IsNull() {
		return Cell{}
	}
	if len(values) == 1 {
		return parquetCell(values[0], t)
	}
	b := []byte("[")
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if v.IsNull() {
			b = append(b, "null"...)
		} else {
			b = jsonline.AppendText(b, parquetCell(v, t).Text)
		}
	}
	return Cell{Text: string(append(b, ']'))}
}

func parquetCell(v parquet.Value, t format.LogicalTypeValue) Cell {
	switch v.Kind() {
	case parquet.Boolean:
		return Cell{Text: strconv.FormatBool(v.Boolean())}
	case parquet.Int32, parquet.Int64:
		n := v.Int64()
		if v.Kind() == parquet.Int32 {
			n = int64(v.Int32())
		}
		switch t := t.(type) {
		case *format.DateType:
			return Cell{time.Unix(n*24*60*60, 0).UTC().Format(time.DateOnly), Date}
		case *format.DecimalType:
			return Cell{scaled(big.NewInt(n), int(t.Scale)), Number}
		}
		return Cell{strconv.FormatInt(n, 10), Number}
	case parquet.Float:
		return Cell{float(float64(v.Float()), 32), Number}
	case parquet.Double:
		return Cell{float(v.Double(), 64), Number}
	case parquet.FixedLenByteArray:
		if t, is := t.(*format.DecimalType); is {
			return Cell{scaled(signed(v.ByteArray()), int(t.Scale)), Number}
		}
	}
	return Cell{Text: string(v.ByteArray())}
}

// signed is a number in two's complement, most significant byte first.
func signed(data []byte) *big.Int {
	n := new(big.Int).SetBytes(data)
	if len(data) > 0 && data[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(data))))
	}
	return n
}

// scaled writes a decimal number out.
func scaled(n *big.Int, scale int) string {
	digits, minus := new(big.Int).Abs(n).String(), ""
	if n.Sign() < 0 {
		minus = "-"
	}
	if scale <= 0 {
		return minus + digits + strings.Repeat("0", -scale)
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	return minus + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

func openSQLite(f *os.File, o Options) (*Table, error) {
	path, err := filepath.Abs(f.Name())
	if err != nil {
		return nil, err
	}
	if path = filepath.ToSlash(path); path[0] != '/' { // C:/…
		path = "/" + path
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&immutable=1"}).String())
	if err != nil {
		return nil, err
	}
	t, err := openTable(db, o)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	t.close = db.Close
	return t, nil
}

func openTable(db *sql.DB, o Options) (*Table, error) {
	found, err := db.QueryContext(context.Background(), `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer found.Close() // it was only read
	t := &Table{Format: "sqlite"}
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return nil, err
		}
		t.Sheets = append(t.Sheets, name)
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	i, err := pick(t.Sheets, o.Sheet)
	if err != nil {
		return nil, err
	}
	t.Notes = []string{fmt.Sprintf("table %q", t.Sheets[i])}
	query := `SELECT * FROM "` + strings.ReplaceAll(t.Sheets[i], `"`, `""`) + `"`
	t.rows = func(yield func(Row, error) bool) {
		if err := readSQLite(db, query, yield); err != nil && !errors.Is(err, errEnough) {
			yield(Row{}, err)
		}
	}
	return t, nil
}

func readSQLite(db *sql.DB, query string, yield func(Row, error) bool) error {
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		return err
	}
	defer rows.Close() // it was only read
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	row, values, into := Row{}, make([]any, len(names)), make([]any, len(names))
	for i, name := range names {
		row.Cells, into[i] = append(row.Cells, Cell{Text: name}), &values[i]
	}
	for more := true; more; more = rows.Next() {
		if row.Line > 0 {
			if err := rows.Scan(into...); err != nil {
				return err
			}
			for i, v := range values {
				if row.Cells[i], err = sqlCell(v); err != nil {
					return fmt.Errorf("row %d, column %s: %w", row.Line, names[i], err)
				}
			}
		}
		if !yield(row, nil) {
			return errEnough
		}
		row.Line++
	}
	return rows.Err()
}

func sqlCell(v any) (Cell, error) {
	switch v := v.(type) {
	case nil:
		return Cell{}, nil
	case int64:
		return Cell{strconv.FormatInt(v, 10), Number}, nil
	case float64:
		return Cell{float(v, 64), Number}, nil
	case bool:
		return Cell{Text: strconv.FormatBool(v)}, nil
	case time.Time:
		return Cell{v.Format(time.DateOnly), Date}, nil
	case string:
		return Cell{Text: v}, nil
	case []byte:
		if utf8.Valid(v) {
			return Cell{Text: string(v)}, nil
		}
		return Cell{}, errors.New("it holds bytes that are no text")
	}
	return Cell{}, fmt.Errorf("it holds a %T", v)
}
