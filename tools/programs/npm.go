package programs

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

// These are npm packages. Get returns their folder node_modules.
var (
	// Node has the linters, generators of code and readers of formats that package.json names.
	Node = npm("programs for node", "npm", 64, string(lock),
		map[string][]byte{"package.json": manifest, "package-lock.json": lock}, "ci")
	// DuckDB reads Parquet. It has a package for each system, all of which a lock file would need.
	DuckDB = npmPackage("DuckDB", "duckdb", 70, "@duckdb/node-api@1.5.6-r.1")
	// Azurite is an emulator of Azure Blob Storage.
	Azurite = npmPackage("Azurite", "azurite", 186, "azurite@3.35.0")
	// Conformance contains the official tests of the Model Context Protocol: the latest that run
	// with the LTS version of node.
	Conformance = npmPackage("tests of the Model Context Protocol", "mcp", 30, "@modelcontextprotocol/conformance@0.1.13")
	// ICal reads calendars.
	ICal = npmPackage("a reader of calendars", "ical", 2, "ical.js@2.2.1")
)

func npmPackage(name, folder string, megabytes int, pkg string) *Program {
	return npm(name, folder, megabytes, pkg, map[string][]byte{"package.json": []byte("{}")}, "install", pkg)
}

// npm returns a program that npm installs with args, in a folder with files. It is installed
// already if versions is the same.
func npm(name, folder string, megabytes int, versions string, files map[string][]byte, args ...string) *Program {
	digest := sha256.Sum256([]byte(versions))
	return &Program{
		Name: name, Megabytes: megabytes, result: "node_modules",
		folder: func() (string, error) {
			for _, program := range []string{"node", "npm"} {
				if _, err := exec.LookPath(program); err != nil {
					return "", err
				}
			}
			return inCache(folder, digest[:])
		},
		install: func(w io.Writer, folder string) error {
			for name, data := range files {
				if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
					return err
				}
			}
			cmd := exec.Command("npm", append(args, "--ignore-scripts", "--no-audit", "--no-fund")...)
			cmd.Dir, cmd.Stdout, cmd.Stderr = folder, w, w
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("npm %s: %w", args[0], err)
			}
			return nil
		},
	}
}
