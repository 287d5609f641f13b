// Package budget measures how heavy Stele is, where that takes seconds, and reads what it may
// weigh.
package budget

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The names of what is weighed.
const (
	Modules  = "modules"  // of others, of which something is linked
	Packages = "packages" // linked, those of the standard library too
	Program  = "program"  // bytes of a plain `go build`
	Words    = "words"    // of documentation
	Scripts  = "scripts"  // bytes of the scripts of the pages
	Lines    = "lines"    // of Go, without tests
	Tests    = "tests"    // lines of Go
	Flags    = "flags"    // of all commands together
)

// What the public packages export.
const (
	Client  = "client"
	Release = "release"
	Record  = "record" // besides the words of lists
)

// Path is the file that has the budget, from the root of the project.
const Path = "budget.txt"

// Read reads the budget: a name and a number on each line, and comments.
func Read(root string) (map[string]int64, error) {
	text, err := os.ReadFile(filepath.Join(root, Path))
	if err != nil {
		return nil, err
	}
	most := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s: %q is not a name and a number", Path, line)
		}
		if most[fields[0]], err = strconv.ParseInt(fields[1], 10, 64); err != nil {
			return nil, fmt.Errorf("%s: %w", Path, err)
		}
	}
	return most, nil
}

// Linked counts the modules of others, and the packages, that the program is linked from.
func Linked(root string) (modules, packages int64, err error) {
	c := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/stele")
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", c, err)
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		packages++
		if _, module, _ := strings.Cut(strings.TrimSpace(line), " "); module != "" {
			names[module] = true
		}
	}
	return int64(len(names)), packages, nil
}

// CountWords counts the words of all pages, as wc -w does.
func CountWords(root string) (words int64, err error) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md"} {
		pages, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return 0, err
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				return 0, err
			}
			words += int64(len(bytes.Fields(text)))
		}
	}
	return words, nil
}

// CountScripts adds up the bytes of the scripts of the pages.
func CountScripts(root string) (n int64, err error) {
	folder := filepath.Join(root, "internal", "show", "site", "assets")
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".js" {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// isFlag finds the lines of a help that describe a flag.
var isFlag = regexp.MustCompile(`(?m)^ +(-\w, )?--([a-z-]+)`)

// CountFlags counts the flags of all commands, besides --help, in what they print for it.
func CountFlags(root string) (n int64, err error) {
	pages, err := filepath.Glob(filepath.Join(root, "cmd/stele/testdata/help/*.golden"))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return 0, err
		}
		for _, found := range isFlag.FindAllSubmatch(text, -1) {
			if string(found[2]) != "help" {
				n++
			}
		}
	}
	return n, err
}

// CountLines counts the lines of Go, of the program and of its tests.
func CountLines(root string) (program, tests int64, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if n := int64(bytes.Count(text, []byte("\n"))); strings.HasSuffix(path, "_test.go") {
			tests += n
		} else {
			program += n
		}
		return err
	})
	return program, tests, err
}

// CountNames counts the names that a package exports, methods and members not counted, nor the
// constants of one of its files.
func CountNames(folder, besides string) (n int64, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return 0, err
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return 0, err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					n++
				}
			case *ast.GenDecl:
				if d.Tok != token.CONST || filepath.Base(path) != besides {
					n += exported(d.Specs)
				}
			}
		}
	}
	return n, nil
}

// exported counts the exported names of declarations.
func exported(specs []ast.Spec) (n int64) {
	for _, s := range specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				n++
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}
