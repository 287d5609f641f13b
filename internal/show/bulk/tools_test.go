package bulk_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/base/schema"
	"stele/internal/show/bulk"
	"stele/record"
	"stele/tools/npm"
)

// tool finds a program, or skips the test and says so.
func tool(t *testing.T, name string) (path string) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: it runs the programs of others")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("tool not here: %s", name)
	}
	return path
}

// output runs a program that must end well, and answers with what it writes.
func output(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &errors)
	}
	return out
}

// tableOf reads rows that a tool wrote as a JSON list of objects. Texts that are null are cells
// that are empty.
func tableOf(t *testing.T, data []byte) (rows table) {
	t.Helper()
	var read []map[string]*string
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
	for _, from := range read {
		row := map[string]string{}
		for name, text := range from {
			if text != nil {
				row[name] = *text
			}
		}
		rows = append(rows, row)
	}
	return rows
}

const pythonCSV = `
import csv, json, sys
def table(path):
    with open(path, newline="", encoding="utf-8") as f:
        return [{k: v for k, v in row.items() if v != ""} for row in csv.DictReader(f, strict=True)]
json.dump([table(path) for path in sys.argv[1:]], sys.stdout)
`

const pythonJSON = `
import json, sys
def count(path):
    with open(path, newline="\n", encoding="utf-8") as lines:
        return len([json.loads(line) for line in lines])
json.dump([count(path) for path in sys.argv[1:]], sys.stdout)
`

// python runs a script with the downloads of all kinds, and reads the list that it writes.
func python[T any](t *testing.T, script, ending string) (answers []T) {
	t.Helper()
	args := []string{"-c", script}
	for _, k := range record.Kinds {
		args = append(args, filepath.Join(wholeRelease(t), "bulk", k.Folder()+"."+ending))
	}
	if err := json.Unmarshal(output(t, exec.Command(tool(t, "python3"), args...)), &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// TestPythonCSV reads the tables with Python's csv.
func TestPythonCSV(t *testing.T) {
	tables := python[table](t, pythonCSV, "csv")
	for i, k := range record.Kinds {
		sameRecords(t, wholeRelease(t), k, tables[i])
	}
}

// TestPythonJSON reads each line with Python's json.
func TestPythonJSON(t *testing.T) {
	counts := python[int](t, pythonJSON, "ndjson")
	for i, k := range record.Kinds {
		if want := len(collection(t, wholeRelease(t), k)); counts[i] != want {
			t.Errorf("%s: %d lines, and %d records", k.Name, counts[i], want)
		}
	}
}

// TestSQLiteShell reads the database with the shell that comes with SQLite.
func TestSQLiteShell(t *testing.T) {
	shell, database := tool(t, "sqlite3"), filepath.Join(wholeRelease(t), "bulk", "records.sqlite")
	for _, k := range record.Kinds {
		// The shell writes numbers as JSON numbers; as texts they are what all tools are compared
		// by.
		columns := strings.Fields(string(output(t, exec.Command(shell, "-readonly", database, "SELECT name FROM pragma_table_info('"+k.Name+"')"))))
		for i, c := range columns {
			columns[i] = fmt.Sprintf(`CAST("%s" AS TEXT) AS "%[1]s"`, c)
		}
		rows := output(t, exec.Command(shell, "-readonly", "-json", database, fmt.Sprintf("SELECT %s FROM %s", strings.Join(columns, ", "), k.Name)))
		sameRecords(t, wholeRelease(t), k, roundedTo15(tableOf(t, rows)))
	}
	if got := string(output(t, exec.Command(shell, "-readonly", database, "PRAGMA integrity_check; PRAGMA foreign_key_check"))); got != "ok\n" {
		t.Errorf("the shell finds %s", got)
	}
}

// roundedTo15 leaves out the numbers: SQLite writes them with 15 digits. Their own digits are in
// the columns beside them.
func roundedTo15(rows table) table {
	for _, row := range rows {
		for name := range row {
			if exact, ok := row[name+"_text"]; ok {
				row[name] = exact
			}
		}
	}
	return rows
}

const duckdbQuery = `
import { DuckDBInstance } from "@duckdb/node-api";
const connection = await (await DuckDBInstance.create(":memory:")).connect();
const answers = [];
for (const query of process.argv.slice(2)) answers.push((await connection.runAndReadAll(query)).getRowObjectsJson());
process.stdout.write(JSON.stringify(answers));
`

// duckdb makes a function that runs queries in DuckDB. It is installed if it is not there.
func duckdb(t *testing.T) func(queries ...string) []json.RawMessage {
	t.Helper()
	node := tool(t, "node")
	modules, err := npm.DuckDB(os.Stdout)
	if err != nil {
		t.Skipf("tool not here: DuckDB cannot be installed: %v", err)
	}
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Skipf("tool not here: no links here: %v", err)
	}
	script := filepath.Join(dir, "query.mjs")
	if err := os.WriteFile(script, []byte(duckdbQuery), 0o644); err != nil {
		t.Fatal(err)
	}
	return func(queries ...string) (answers []json.RawMessage) {
		t.Helper()
		if err := json.Unmarshal(output(t, exec.Command(node, append([]string{script}, queries...)...)),
			&answers); err != nil {
			t.Fatal(err)
		}
		return answers
	}
}

// TestDuckDB reads Parquet and CSV with DuckDB, CSV also as it guesses the types by itself.
func TestDuckDB(t *testing.T) {
	query := duckdb(t)
	at := func(k *record.Kind, ending string) string {
		return strings.ReplaceAll(filepath.Join(wholeRelease(t), "bulk", k.Folder()+"."+ending), "'", "''")
	}
	var queries []string
	for _, k := range record.Kinds {
		queries = append(queries, fmt.Sprintf("SELECT %s FROM '%s'", duckdbColumns(k), at(k, "parquet")),
			fmt.Sprintf("SELECT * FROM read_csv('%s', all_varchar = true, strict_mode = true)", at(k, "csv")),
			fmt.Sprintf("SELECT count(*)::VARCHAR AS rows, count(DISTINCT id)::VARCHAR AS ids FROM '%s'", at(k, "csv")))
	}
	answers := query(queries...)
	for i, k := range record.Kinds {
		t.Run(k.Name, func(t *testing.T) {
			nested := tableOf(t, answers[3*i])
			for _, row := range nested {
				for name, text := range row {
					if s := memberShape(k, name); s != nil && (s.Type == schema.Array || s.Type == schema.Object) {
						row[name] = cellText(t, s, parse(t, text))
					}
				}
			}
			sameRecords(t, wholeRelease(t), k, nested)
			sameRecords(t, wholeRelease(t), k, tableOf(t, answers[3*i+1]))
			want := fmt.Sprintf("%d", len(collection(t, wholeRelease(t), k)))
			if guessed := tableOf(t, answers[3*i+2])[0]; guessed["rows"] != want || guessed["ids"] != want {
				t.Errorf("of %s records, DuckDB reads %v without being told anything", want, guessed)
			}
		})
	}
}

// duckdbColumns reads every column as text: what is nested as JSON.
func duckdbColumns(k *record.Kind) string {
	var columns []string
	for _, c := range bulk.Columns(k) {
		read := `CAST("%s" AS VARCHAR) AS "%[1]s"`
		if c.Type == bulk.JSON && memberShape(k, c.Name) != nil {
			read = `CAST(to_json("%s") AS VARCHAR) AS "%[1]s"`
		}
		columns = append(columns, fmt.Sprintf(read, c.Name))
		if c.Type == bulk.Decimal {
			columns = append(columns, fmt.Sprintf(`"%s_text"`, c.Name))
		}
	}
	return strings.Join(columns, ", ")
}

// TestDuckDBTypes: numbers can be computed with and dates are dates.
func TestDuckDBTypes(t *testing.T) {
	path := filepath.Join(wholeRelease(t), "bulk", "healthcare-statistics.parquet")
	answer := duckdb(t)(fmt.Sprintf("SELECT typeof(value) AS value, typeof(value_text) AS digits, typeof(verification_date) AS date, typeof(version) AS version, typeof(illustrative) AS flag, typeof(source_links) AS links, typeof(claim_boundary) AS boundary, typeof(dimensions) AS dimensions, typeof(aliases) AS aliases FROM '%s' LIMIT 1", path))
	got := tableOf(t, answer[0])[0]
	for name, want := range map[string]string{
		"value": "DOUBLE", "digits": "VARCHAR", "date": "DATE", "version": "BIGINT", "flag": "BOOLEAN",
		"links":      `STRUCT(url VARCHAR, source_id VARCHAR, "role" VARCHAR, locator VARCHAR, "quote" STRUCT("text" VARCHAR, locator VARCHAR))[]`,
		"boundary":   `STRUCT("statement" VARCHAR, population VARCHAR, place VARCHAR, period VARCHAR, excludes VARCHAR[])`,
		"dimensions": "MAP(VARCHAR, VARCHAR)", "aliases": "VARCHAR[]",
	} {
		if got[name] != want {
			t.Errorf("%s is %s, not %s", name, got[name], want)
		}
	}
}
