package bulk_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stele/internal/testkit/must"
	"stele/tools/programs"
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
	modules, err := programs.DuckDB.Get(os.Stdout)
	if err != nil {
		t.Skipf("tool not here: DuckDB cannot be installed: %v", err)
	}
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Skipf("tool not here: no links here: %v", err)
	}
	script := filepath.Join(dir, "query.mjs")
	must.Do(t, os.WriteFile(script, []byte(duckdbQuery), 0o644))
	return func(queries ...string) (answers []json.RawMessage) {
		t.Helper()
		must.Do(t, json.Unmarshal(output(t, exec.Command(node, append([]string{script}, queries...)...)),
			&answers))
		return answers
	}
}
