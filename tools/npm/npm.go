// Package npm installs the programs of others that tests run with node: linters, generators of code
// and readers of formats.
package npm

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

var (
	//go:embed package.json
	manifest []byte
	//go:embed package-lock.json
	lock []byte
)

// duckdb is the package of DuckDB. It is not in the lock file, because it consists of a package for
// each system, and npm wants all of them there.
const duckdb = "@duckdb/node-api@1.5.6-r.1"

// Install returns the folder node_modules with the programs that package.json names. It installs
// them into the user's cache, once for each set of versions, and says so on w before it does.
func Install(w io.Writer) (modules string, err error) {
	return install(w, fmt.Sprintf("npm-%.6x", sha256.Sum256(lock)), "what tools/npm/package.json names",
		map[string][]byte{"package.json": manifest, "package-lock.json": lock}, "ci")
}

// DuckDB does the same for DuckDB.
func DuckDB(w io.Writer) (modules string, err error) { return installOne(w, "duckdb", duckdb) }

// azurite is the package of Azurite, which stands for Azure Blob Storage. It is not in the lock
// file, because only the tests of buckets take it.
const azurite = "azurite@3.35.0"

// Azurite does the same for Azurite.
func Azurite(w io.Writer) (modules string, err error) { return installOne(w, "azurite", azurite) }

// conformance is the package of the official tests of the Model Context Protocol: the newest that
// runs with the node of long-term support.
const conformance = "@modelcontextprotocol/conformance@0.1.13"

// Conformance does the same for those tests.
func Conformance(w io.Writer) (modules string, err error) { return installOne(w, "mcp", conformance) }

// ical is the package of a reader of calendars.
const ical = "ical.js@2.2.1"

// ICal does the same for that reader.
func ICal(w io.Writer) (modules string, err error) { return installOne(w, "ical", ical) }

func installOne(w io.Writer, name, pkg string) (modules string, err error) {
	return install(w, fmt.Sprintf("%s-%.6x", name, sha256.Sum256([]byte(pkg))), pkg,
		map[string][]byte{"package.json": []byte("{}")}, "install", pkg)
}

// install lets npm work in a folder beside the one that is looked for, which then takes its name:
// what is interrupted is not taken for whole.
func install(w io.Writer, name, what string, files map[string][]byte, args ...string) (modules string, err error) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", err
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "stele-tests", name)
	modules = filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules, nil
	}
	fmt.Fprintf(w, "installing %s with npm, for tests, into %s\n", what, dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(part, name), data, 0o644); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("npm", append(args, "--ignore-scripts", "--no-audit", "--no-fund")...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = part, w, w
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("npm %s: %w", args[0], err)
	}
	if err := os.Rename(part, dir); err != nil {
		if _, there := os.Stat(modules); there != nil { // not because somebody else was faster
			return "", err
		}
	}
	return modules, nil
}
