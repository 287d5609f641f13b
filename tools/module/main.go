// Module gives the project another module path, in go.mod and in all imports:
//
//	go run ./tools/module example.org/stele
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || !regexp.MustCompile(`^[a-z0-9.-]+(/[A-Za-z0-9._~-]+)+$`).MatchString(os.Args[1]) {
		log.Fatal("give the new path, as example.org/stele")
	}
	if err := rename(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// rename rewrites the files of the project in the current folder.
func rename(path string) error {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	line := regexp.MustCompile(`(?m)^module (\S+)$`)
	found := line.FindSubmatch(mod)
	if found == nil {
		return fmt.Errorf("go.mod has no module line")
	}
	if err := os.WriteFile("go.mod", line.ReplaceAll(mod, []byte("module "+path)), 0o644); err != nil {
		return err
	}
	from, to := []byte(`"`+string(found[1])+`/`), []byte(`"`+path+`/`)
	return filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, from) {
			return err
		}
		return os.WriteFile(name, bytes.ReplaceAll(text, from, to), 0o644)
	})
}
