package bulk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"stele/internal/build/render"
	"stele/record"
)

// writeSQLite writes all kinds into one database. SQLite needs a file with a name, which is in the
// folder for temporary files until the database is whole.
func writeSQLite(w io.Writer, e render.Records) (err error) {
	dir, err := os.MkdirTemp("", "stele-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "records.sqlite")
	if err := makeDatabase(path, e); err != nil {
		return errors.Join(err, reason(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	_, err = io.Copy(w, f)
	return err
}

// reason is why the system does not let a database grow; nil if it does. SQLite says only that it
// could not write.
func reason(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, pageSize))
	return errors.Join(err, f.Close())
}

const pageSize = 4096

// pragmas come before the first table. Nothing is lost without a journal: what is not whole is
// thrown away. The numbers tell programs such as file(1) what this is.
var pragmas = fmt.Sprintf(`
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA page_size = %d;
PRAGMA encoding = 'UTF-8';
PRAGMA application_id = 0x7374656c;
PRAGMA user_version = 1;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA cache_size = -16384;
BEGIN`, pageSize)

// finish brings what was added into its last form. Indexes are made from sorted rows, and the parts
// of the search index become one.
const finish = `
INSERT INTO search(search) VALUES ('rebuild');
INSERT INTO search(search) VALUES ('optimize');
COMMIT`

// database is one in the making. One connection and one transaction: the same statements in the
// same order give the same bytes.
type database struct {
	*sql.Conn
	e render.Records
}

func makeDatabase(path string, e render.Records) (err error) {
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(context.Background())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	db := database{conn, e}
	statements := append([]string{pragmas}, createTables()...)
	if err := db.run(statements...); err != nil {
		return err
	}
	if err := db.fill(); err != nil {
		return err
	}
	return db.run(slices.Concat(insertLinks(), createIndexes(), []string{finish})...)
}

func (db database) run(statements ...string) error {
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			return fmt.Errorf("%w, in %s", err, strings.TrimSpace(s))
		}
	}
	return nil
}

func (db database) prepare(insert string, columns int) (*sql.Stmt, error) {
	return db.PrepareContext(context.Background(), insert+" VALUES (?"+strings.Repeat(", ?", columns-1)+")")
}

// inserts adds rows to the table of a kind, by a statement for each choice of columns that rows
// have: most leave most of them out, and each that is named takes its time.
type inserts struct {
	database
	kind    *record.Kind
	columns []typedColumn
	by      map[string]*sql.Stmt
	chosen  []byte // which columns the row has, as it is looked up
	values  []any  // of these
}

// add adds a row.
func (in *inserts) add(r *row) error {
	in.chosen, in.values = in.chosen[:0], in.values[:0]
	for _, c := range in.columns {
		cell := r.cells[c.cell]
		if len(cell) == 0 {
			in.chosen = append(in.chosen, 0)
			continue
		}
		value, err := sqlValue(c.Type, cell)
		if err != nil {
			return err
		}
		in.chosen, in.values = append(in.chosen, 1), append(in.values, value)
	}
	insert, ok := in.by[string(in.chosen)]
	if !ok {
		if len(in.by) >= mostInserts {
			in.close()
		}
		var names []string
		for i, c := range in.columns {
			if in.chosen[i] == 1 {
				names = append(names, name(c.Name))
			}
		}
		var err error
		insert, err = in.prepare(`INSERT INTO `+name(in.kind.Name)+` (`+strings.Join(names, ", ")+`)`, len(names))
		if err != nil {
			return err
		}
		in.by[string(in.chosen)] = insert
	}
	_, err := insert.Exec(in.values...)
	return err
}

// mostInserts is how many statements are kept.
const mostInserts = 256

func (in *inserts) close() {
	for chosen, insert := range in.by {
		insert.Close() // nothing is left to do
		delete(in.by, chosen)
	}
}

func (db database) fill() error {
	facts, err := db.prepare(`INSERT INTO about`, 2)
	if err != nil {
		return err
	}
	defer facts.Close() // nothing is left to do when it is closed, here and below
	for _, f := range about(db.e) {
		if _, err := facts.Exec(f.Name, f.Value); err != nil {
			return err
		}
	}
	for _, k := range record.Kinds {
		if err := db.fillKind(k); err != nil {
			return err
		}
	}
	return nil
}

// fillKind adds the records of a kind to its table, and those that a publisher wrote to the table
// of all records.
func (db database) fillKind(k *record.Kind) error {
	table := &inserts{database: db, kind: k, columns: typedColumns(k), by: map[string]*sql.Stmt{}}
	defer table.close()
	all, err := db.prepare(`INSERT INTO record (id, kind, title, summary, text)`, 5)
	if err != nil {
		return err
	}
	defer all.Close()
	words := prose(k)
	for r, err := range rows(db.e, k) {
		if err != nil {
			return err
		}
		if err := table.add(r); err != nil {
			return err
		}
		if err := db.addRecord(all, k, r, words); err != nil {
			return err
		}
	}
	return nil
}

// addRecord adds to the table of all records. A derived node has the ID of a record of another
// kind, and nothing refers to derived edges and events.
func (db database) addRecord(all *sql.Stmt, k *record.Kind, r *row, words []string) error {
	id, err := r.text("id")
	if err != nil {
		return err
	}
	title, err := r.text("title")
	if err != nil {
		return err
	}
	if k.Name == record.KindHealthcareStatistic { // none of these are derived
		_, err := all.Exec(id, k.Name, title, nil, nil)
		return err
	}
	if kind, _, found := db.e.Find(id); !found || kind != k {
		return nil
	}
	summary, err := r.text("summary")
	if err != nil {
		return err
	}
	var text []string
	for _, member := range words {
		t, err := r.text(member)
		if err != nil {
			return err
		}
		if t != "" {
			text = append(text, t)
		}
	}
	_, err = all.Exec(id, k.Name, title, summary, strings.Join(text, "\n"))
	return err
}

// sqlValue is a cell that is not empty as SQLite stores it: dates and what is nested as text, true
// and false as 1 and 0.
func sqlValue(t Type, c cell) (any, error) {
	switch t {
	case Integer:
		return c.integer()
	case Decimal:
		return c.number()
	case Boolean:
		return c.boolean(), nil
	}
	text, err := c.text()
	return string(text), err
}
