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

	"stele/internal/compile/render"
	"stele/record"
)

// writeSQLite writes a database to w. fill writes its tables. SQLite needs a named file, so the
// database is created in the folder for temporary files.
func writeSQLite(w io.Writer, e render.Records, fill func(*database) error) (err error) {
	dir, err := os.MkdirTemp("", "stele-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "records.sqlite")
	if err := makeDatabase(path, e, fill); err != nil {
		return errors.Join(err, sqliteError(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // f was only read
	_, err = io.Copy(w, f)
	return err
}

// sqliteError tries to extend the file at path, and returns the system's error or nil. SQLite
// reports only that writing failed.
func sqliteError(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, pageSize))
	return errors.Join(err, f.Close())
}

const pageSize = 4096

// pragmas are executed before the first table is created. A journal is not needed, because an
// incomplete database is deleted. The numbers identify the file type for programs such as file(1).
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

// finish completes the database: it rebuilds the search index and merges its parts.
const finish = `
INSERT INTO search(search) VALUES ('rebuild');
INSERT INTO search(search) VALUES ('optimize');
COMMIT`

// database is a database being written. It uses one connection and one transaction, so that the
// same statements in the same order give the same bytes.
type database struct {
	*sql.Conn
	e render.Records
}

func makeDatabase(path string, e render.Records, fill func(*database) error) (err error) {
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
	db := &database{conn, e}
	statements := append([]string{pragmas}, createTables(e)...)
	if err := db.run(statements...); err != nil {
		return err
	}
	if err := errors.Join(db.addFacts(), fill(db)); err != nil {
		return err
	}
	return db.run(slices.Concat(insertLinks(), createIndexes(), []string{finish})...)
}

func (db *database) run(statements ...string) error {
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			return fmt.Errorf("%w, in %s", err, strings.TrimSpace(s))
		}
	}
	return nil
}

func (db *database) prepare(insert string, columns int) (*sql.Stmt, error) {
	return db.PrepareContext(context.Background(), insert+" VALUES (?"+strings.Repeat(", ?", columns-1)+")")
}

// inserts adds rows to the table of a kind. It prepares a statement for each set of columns that
// rows have, because most rows omit most columns, and each named column takes time.
type inserts struct {
	*database
	kind    *record.Kind
	columns []typedColumn
	by      map[string]*sql.Stmt
	chosen  []byte // which columns the row has, as a key
	values  []any  // of these columns
	all     *sql.Stmt
	numbers map[string]int // of the cells of members
	words   []string       // members with searchable text
}

// add adds a record to the table of its kind, and to the table of all records.
func (in *inserts) add(_ []byte, cells []cell) error {
	if err := in.insert(cells); err != nil {
		return err
	}
	return in.addRecord(cells)
}

func (in *inserts) flush() error { return nil }

func (in *inserts) insert(cells []cell) error {
	in.chosen, in.values = in.chosen[:0], in.values[:0]
	for _, c := range in.columns {
		cell := cells[c.cell]
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
		if len(in.by) >= maxStatements {
			in.closeAll()
		}
		var names []string
		for i, c := range in.columns {
			if in.chosen[i] == 1 {
				names = append(names, quoteName(c.Name))
			}
		}
		var err error
		insert, err = in.prepare(`INSERT INTO `+quoteName(in.kind.Name)+` (`+strings.Join(names, ", ")+`)`, len(names))
		if err != nil {
			return err
		}
		in.by[string(in.chosen)] = insert
	}
	_, err := insert.Exec(in.values...)
	return err
}

// maxStatements is the maximum number of prepared statements that inserts keeps open.
const maxStatements = 256

func (in *inserts) closeAll() {
	for chosen, insert := range in.by {
		insert.Close() // no error matters here
		delete(in.by, chosen)
	}
}

func (in *inserts) close() error {
	in.closeAll()
	return in.all.Close()
}

func (db *database) addFacts() error {
	facts, err := db.prepare(`INSERT INTO about`, 2)
	if err != nil {
		return err
	}
	defer facts.Close() // no error matters here
	for _, f := range releaseFacts(db.e) {
		if _, err := facts.Exec(f.Name, f.Value); err != nil {
			return err
		}
	}
	return nil
}

// newTableWriter returns a writer that adds records to the table of k and, if a publisher wrote
// them, to the table of all records.
func (db *database) newTableWriter(_ io.Writer, _ render.Records, k *record.Kind) (rowWriter, error) {
	all, err := db.prepare(`INSERT INTO record (id, kind, title, summary, text)`, 5)
	return &inserts{
		database: db, kind: k, columns: typedColumns(db.e, k), by: map[string]*sql.Stmt{},
		all: all, numbers: newRow(db.e, k).number, words: textMembers(k),
	}, err
}

// addRecord adds a record to the table of all records. It omits derived nodes, which have the IDs
// of other records, and derived edges and events, to which nothing refers.
func (in *inserts) addRecord(cells []cell) (err error) {
	text := func(member string) string {
		t, failed := cells[in.numbers[member]].text()
		err = errors.Join(err, failed)
		return string(t)
	}
	id, title := text("id"), text("title")
	if in.kind.Name == record.KindHealthcareStatistic { // none of these are derived
		_, failed := in.all.Exec(id, in.kind.Name, title, nil, nil)
		return errors.Join(err, failed)
	}
	if kind, _, found := in.e.Find(id); !found || kind != in.kind {
		return err
	}
	var words []string
	for _, member := range in.words {
		if t := text(member); t != "" {
			words = append(words, t)
		}
	}
	_, failed := in.all.Exec(id, in.kind.Name, title, text("summary"), strings.Join(words, "\n"))
	return errors.Join(err, failed)
}

// sqlValue returns the SQLite value of c, a non-empty cell of type t: dates and nested values are
// text, booleans are 1 and 0.
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
