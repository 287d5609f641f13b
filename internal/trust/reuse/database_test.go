package reuse_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
)

// writeDatabase writes a copy to a database.
func writeDatabase(t testing.TB, path string, columns []string, name func(string) string, rows table) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	quoted, marks := []string{}, []string{}
	for _, c := range columns {
		quoted, marks = append(quoted, `"`+name(c)+`"`), append(marks, "?")
	}
	_, err = db.ExecContext(t.Context(), "CREATE TABLE copy ("+strings.Join(quoted, ", ")+")")
	for _, row := range rows {
		values := []any{}
		for _, c := range columns {
			values = append(values, row[c])
		}
		if err == nil {
			_, err = db.ExecContext(t.Context(), "INSERT INTO copy VALUES ("+strings.Join(marks, ", ")+")", values...)
		}
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}
