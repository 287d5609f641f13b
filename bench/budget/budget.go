// Package budget measures the weight of Stele, as far as that takes seconds, and reads its limits.
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

// Program is the weight that requires compiling: the size of a plain `go build`.
const Program = "program"

// Weight is a quantity that is counted in the sources.
type Weight struct {
	Name  string // in the budget
	What  string
	Count func(root string) (int64, error)
}

// Weights are all quantities that are counted. Exports of public packages are counted without
// methods and fields, and for record without the values of lists.
var Weights = []Weight{
	{"modules", "linked third-party modules", linked("{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}")},
	{"packages", "linked packages", linked("{{.ImportPath}}")},
	{"lines", "lines of Go, program", countLines(func(path string) bool { return !strings.HasSuffix(path, "_test.go") })},
	{"tests", "lines of Go, tests", countLines(func(path string) bool { return strings.HasSuffix(path, "_test.go") })},
	{"flags", "flags of all commands", countFlags},
	{"words", "words of documentation", countWords},
	{"scripts", "scripts of the pages: bytes", countScripts},
	{"client", "names that client exports", exported("client", "")},
	{"release", "names that release exports", exported("release", "")},
	{"record", "names that record exports", exported("record", "lists.go")},
}

// Path is the file with the budget, relative to the root of the project.
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

// linked counts the distinct results of a template for the packages that the program is linked
// from.
func linked(template string) func(root string) (int64, error) {
	return func(root string) (int64, error) {
		c := exec.Command("go", "list", "-deps", "-f", template, "./cmd/stele")
		c.Dir = root
		c.Env = append(os.Environ(), "CGO_ENABLED=0") // as the archives and the container are made
		out, err := c.Output()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c, err)
		}
		names := strings.Fields(string(out))
		slices.Sort(names)
		return int64(len(slices.Compact(names))), nil
	}
}

// sum adds up what count returns for files.
func sum(paths []string, count func(text []byte) int) (n int64, err error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		n += int64(count(text))
	}
	return n, nil
}

// glob lists the files that valid patterns match.
func glob(root string, patterns ...string) (paths []string) {
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		paths = append(paths, found...)
	}
	return paths
}

// countWords counts the words of all pages, as wc -w does.
func countWords(root string) (int64, error) {
	return sum(glob(root, "*.md", "docs/*.md", "docs/decisions/*.md"), func(text []byte) int { return len(bytes.Fields(text)) })
}

// countScripts adds up the sizes of the scripts of the pages.
func countScripts(root string) (int64, error) {
	paths, err := walk(filepath.Join(root, "internal", "show", "site", "assets"), ".js")
	if err != nil {
		return 0, err
	}
	return sum(paths, func(text []byte) int { return len(text) })
}

// walk lists the files in a folder that end in a suffix.
func walk(root, suffix string) (paths []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{".git", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		if filepath.Ext(path) == suffix {
			paths = append(paths, path)
		}
		return err
	})
	return paths, err
}

// isFlag matches lines of a help text that describe a flag.
var isFlag = regexp.MustCompile(`(?m)^ +(-\w, )?--([a-z-]+)`)

// countFlags counts the flags of all commands in their help texts, without --help.
func countFlags(root string) (int64, error) {
	return sum(glob(root, "cmd/stele/testdata/help/*.golden"), func(text []byte) (n int) {
		for _, found := range isFlag.FindAllSubmatch(text, -1) {
			if string(found[2]) != "help" {
				n++
			}
		}
		return n
	})
}

// countLines counts the lines of Go in some files.
func countLines(some func(path string) bool) func(root string) (int64, error) {
	return func(root string) (int64, error) {
		paths, err := walk(root, ".go")
		if err != nil {
			return 0, err
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { return !some(path) })
		return sum(paths, func(text []byte) int { return bytes.Count(text, []byte("\n")) })
	}
}

// exported counts the names that a package exports, except the constants of one file.
func exported(folder, besides string) func(root string) (int64, error) {
	return func(root string) (n int64, err error) {
		for _, path := range glob(root, folder+"/*.go") {
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
						n += declared(d.Specs)
					}
				}
			}
		}
		return n, nil
	}
}

// declared counts the exported names of declarations.
func declared(specs []ast.Spec) (n int64) {
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
