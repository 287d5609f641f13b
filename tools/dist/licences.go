package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// isLicence matches the names of files that have to go with what they stand beside.
var isLicence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

// A goPackage is what go list says of a package.
type goPackage struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version, Dir string }
	}
}

// licences returns the licences of all that is linked into the program for a target: of Go, of the
// modules that packages come from, and of data in packages of our own.
func (s *source) licences(t target) ([]byte, error) {
	out, err := s.output(environment(t), "go", "list", "-deps", "-json=Dir,Standard,Module", "./cmd/stele")
	if err != nil {
		return nil, err
	}
	goroot, err := s.output(environment(t), "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	found := texts{}
	if err := found.add("Go "+runtime.Version(), strings.TrimSpace(goroot)); err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		switch {
		case p.Standard:
		case p.Module.Main: // data of others, which a package of our own holds
			err = found.read(filepath.Base(p.Dir), "", p.Dir)
		default:
			err = found.addModule(p)
		}
		if err != nil {
			return nil, err
		}
	}
	return found.write(), nil
}

// texts are licences by what they are for: text by file for each.
type texts map[string]map[string][]byte

// addModule adds the licences of a package's module, and those in folders between the two.
func (x texts) addModule(p goPackage) error {
	root := p.Module.Dir
	if p.Module.Replace != nil {
		root = p.Module.Replace.Dir
	}
	name := p.Module.Path + " " + p.Module.Version
	if err := x.add(name, root); err != nil {
		return err
	}
	for dir := p.Dir; dir != root && len(dir) > len(root); dir = filepath.Dir(dir) {
		below, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		if err := x.read(name, filepath.ToSlash(below)+"/", dir); err != nil {
			return err
		}
	}
	return nil
}

// add adds the licences of a folder, which must have some.
func (x texts) add(name, dir string) error {
	if x[name] != nil {
		return nil
	}
	if err := x.read(name, "", dir); err != nil {
		return err
	}
	if len(x[name]) == 0 {
		return fmt.Errorf("%s has no licence in %s: nobody may be given what is linked with it", name, dir)
	}
	return nil
}

// read reads the licences of a folder, if there are some.
func (x texts) read(name, below, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasSuffix(e.Name(), ".go") || !isLicence.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if x[name] == nil {
			x[name] = map[string][]byte{}
		}
		x[name][below+e.Name()] = text
	}
	return nil
}

// write writes all texts, in the order of their names.
func (x texts) write() []byte {
	var b bytes.Buffer
	b.WriteString("The program contains the following, under the licences that stand here.\n")
	for _, name := range slices.Sorted(maps.Keys(x)) {
		for _, path := range slices.Sorted(maps.Keys(x[name])) {
			fmt.Fprintf(&b, "\n%s\n%s: %s\n\n", strings.Repeat("=", 80), name, path)
			b.Write(bytes.ReplaceAll(bytes.TrimSpace(x[name][path]), []byte("\r\n"), []byte("\n")))
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
