package bulk_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/base/schema"
	"stele/internal/testkit/must"
	"stele/record"
)

func openDatabase(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(wholeRelease(t), "bulk", "records.sqlite")+"?mode=ro&immutable=1")
	must.Do(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// list is the answer to a query, a line for each row.
func list(t *testing.T, db *sql.DB, query string, args ...any) (lines []string) {
	t.Helper()
	rows := must.Get(db.Query(query, args...))(t)
	defer rows.Close()
	for rows.Next() {
		lines = append(lines, strings.Join(scan(t, rows), " "))
	}
	must.Do(t, rows.Err())
	return lines
}

// scan is a row, without what is NULL.
func scan(t *testing.T, rows *sql.Rows) (texts []string) {
	t.Helper()
	for _, v := range scanAll(t, rows) {
		if v.Valid {
			texts = append(texts, v.String)
		}
	}
	return texts
}

func scanAll(t *testing.T, rows *sql.Rows) []sql.NullString {
	t.Helper()
	columns := must.Get(rows.Columns())(t)
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	must.Do(t, rows.Scan(into...))
	return values
}

func TestSQLite(t *testing.T) {
	db := openDatabase(t)
	for _, k := range record.Kinds {
		rows := must.Get(db.Query(`SELECT * FROM "` + k.Name + `"`))(t)
		columns := must.Get(rows.Columns())(t)
		var got table
		for rows.Next() {
			row := map[string]string{}
			for i, v := range scanAll(t, rows) {
				if v.Valid {
					row[columns[i]] = v.String
				}
			}
			got = append(got, row)
		}
		must.Do(t, rows.Err())
		sameRecords(t, wholeRelease(t), k, got)
	}
}

// TestSQLiteReferences: every reference can be followed, by a column or by a row of link, and leads
// to a record.
func TestSQLiteReferences(t *testing.T) {
	db := openDatabase(t)
	if broken := list(t, db, "PRAGMA foreign_key_check"); len(broken) > 0 {
		t.Errorf("references that lead nowhere: %q", broken)
	}
	var want []string
	for _, k := range record.Kinds {
		if k.Name == "change_event" {
			continue
		}
		for id, rec := range collection(t, wholeRelease(t), k) {
			for _, to := range nested(k.Shape(), rec, nil) {
				want = append(want, id+" "+to)
			}
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	if diff := cmp.Diff(want, list(t, db, "SELECT * FROM link ORDER BY source || ' ' || member || ' ' || target")); diff != "" || len(want) < 100 {
		t.Errorf("%d references (-published +link):\n%s", len(want), diff)
	}
	if n := list(t, db, `SELECT count(*) FROM pragma_foreign_key_list('graph_edge') WHERE "table" = 'record'`); n[0] != "4" {
		t.Errorf("%s columns of graph_edge refer to records, not 4", n[0])
	}
}

// nested are the references of a value that are not members of the record itself.
func nested(s *schema.Shape, value map[string]any, path []string) (refs []string) {
	for _, m := range s.Members {
		at := append(path[:len(path):len(path)], m.Name)
		elements, isList := value[m.Name].([]any)
		if !isList {
			elements = []any{value[m.Name]}
		}
		for _, e := range elements {
			switch e := e.(type) {
			case string:
				if m.Ref != nil && (isList || len(path) > 0) {
					refs = append(refs, strings.Join(at, ".")+" "+e)
				}
			case map[string]any:
				inner := m.Shape
				if isList {
					inner = inner.Elem
				}
				refs = append(refs, nested(inner, e, at)...)
			}
		}
	}
	return refs
}

func TestSQLiteSearch(t *testing.T) {
	db := openDatabase(t)
	for query, want := range map[string]string{
		"zurich":       "sig-hostile-", // without accents
		`"DROP TABLE"`: "sig-hostile-", // words of the observation
		"retracted":    "evd-",
	} {
		found := list(t, db, "SELECT id FROM search WHERE search MATCH ? ORDER BY rank", query)
		if !slices.ContainsFunc(found, func(id string) bool { return strings.HasPrefix(id, want) }) {
			t.Errorf("%s finds %q", query, found)
		}
	}
	written := 0
	for _, k := range record.Kinds {
		if k.Name != "graph_node" && k.Name != "graph_edge" && k.Name != "change_event" {
			written += len(collection(t, wholeRelease(t), k))
		}
	}
	if n := list(t, db, "SELECT count(*) FROM record WHERE kind NOT IN ('graph_node', 'graph_edge', 'change_event')"); n[0] != fmt.Sprint(written) {
		t.Errorf("%s records, and %d were written", n[0], written)
	}
	if n := list(t, db, "SELECT id FROM record WHERE id LIKE '%--%' OR kind = 'graph_node' AND id NOT LIKE 'nod-%'"); len(n) > 0 {
		t.Errorf("records that no publisher wrote: %q", n)
	}
}

// TestFiguresHaveIndexes: a query for an indicator, an area or a period reads no whole table.
func TestFiguresHaveIndexes(t *testing.T) {
	db := openDatabase(t)
	for _, where := range []string{
		"indicator = 'mcv1'", "indicator = 'mcv1' AND ref_area = 'GBR' AND time_period = '2004'",
		"ref_area = 'GBR'", "time_period = '2004'",
	} {
		plan := strings.Join(list(t, db, "EXPLAIN QUERY PLAN SELECT value FROM healthcare_statistic WHERE "+where), "\n")
		if !strings.Contains(plan, "USING INDEX") || strings.Contains(plan, "SCAN") {
			t.Errorf("%s: %s", where, plan)
		}
	}
}
