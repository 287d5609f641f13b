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

// Install returns the folder node_modules with the programs that package.json names. It installs
// them into the user's cache, once for each set of versions, and says so on w before it does.
func Install(w io.Writer) (modules string, err error) {
	return install(w, fmt.Sprintf("npm-%.6x", sha256.Sum256(lock)), "what tools/npm/package.json names",
		map[string][]byte{"package.json": manifest, "package-lock.json": lock}, "ci")
}

// These do the same for one package each, which is not in the lock file.
var (
	// DuckDB consists of a package for each system, and npm would want all of them in the file.
	DuckDB = one("duckdb", "@duckdb/node-api@1.5.6-r.1")
	// Azurite stands for Azure Blob Storage. Only the tests of buckets take it.
	Azurite = one("azurite", "azurite@3.35.0")
	// Conformance has the official tests of the Model Context Protocol: the newest that run with
	// the node of long-term support.
	Conformance = one("mcp", "@modelcontextprotocol/conformance@0.1.13")
	// ICal reads calendars.
	ICal = one("ical", "ical.js@2.2.1")
)

func one(name, pkg string) func(io.Writer) (modules string, err error) {
	return func(w io.Writer) (string, error) {
		return install(w, fmt.Sprintf("%s-%.6x", name, sha256.Sum256([]byte(pkg))), pkg,
			map[string][]byte{"package.json": []byte("{}")}, "install", pkg)
	}
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
