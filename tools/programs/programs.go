// Package programs installs the third-party programs that tests run: browsers, an office suite,
// servers, and npm packages. None of them becomes part of Stele.
package programs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Program is a third-party program. Debian packages are on the path once they are installed; others
// are in a folder of the user's cache, whose name contains a digest of their versions.
type Program struct {
	Name      string
	Megabytes int      // size on disk
	debian    []string // packages
	commands  []string // of packages; alternatives are separated by "|"

	folder  func() (string, error)                 // in the cache
	result  string                                 // what Get returns, in the folder
	install func(w io.Writer, folder string) error // into a folder next to it
}

// Groups are the programs that make test needs, and those that only make test-all needs.
var Groups = map[string][]*Program{
	"test":     {Chromium, S3, Azurite, Node, DuckDB},
	"test-all": {Firefox, LibreOffice, Google, Witness, Authority, Conformance, ICal, Prometheus, R},
}

// These come from Debian's packages.
var (
	Chromium = &Program{
		Name: "Chromium and its driver", Megabytes: 700,
		debian: []string{"chromium", "chromium-driver"}, commands: []string{"chromedriver", "chromium|chromium-browser|google-chrome"},
	}
	Firefox = &Program{
		Name: "Firefox", Megabytes: 300, debian: []string{"firefox-esr"}, commands: []string{"firefox-esr|firefox"},
	}
	LibreOffice = &Program{
		Name: "LibreOffice Calc", Megabytes: 650, debian: []string{"libreoffice-calc-nogui"}, commands: []string{"soffice"},
	}
	Prometheus = &Program{Name: "Prometheus", Megabytes: 100, debian: []string{"prometheus"}, commands: []string{"prometheus"}}
	R          = &Program{
		Name: "R", Megabytes: 290, commands: []string{"Rscript"},
		debian: []string{"r-base-core", "r-cran-jsonlite", "r-cran-openssl", "r-cran-curl"},
	}
)

// Path returns the path of the program, or "" if it is not installed.
func (p *Program) Path() (string, error) {
	if p.folder == nil {
		found := ""
		for _, names := range p.commands {
			if found = lookPath(strings.Split(names, "|")); found == "" {
				break
			}
		}
		return found, nil
	}
	folder, err := p.folder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, p.result)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return path, err
}

func lookPath(names []string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Get returns the path of the program. If it is missing, Get installs it and reports that on w.
func (p *Program) Get(w io.Writer) (path string, err error) {
	if path, err = p.Path(); path != "" || err != nil {
		return path, err
	}
	fmt.Fprintf(w, "installing %s for tests, about %d MB\n", p.Name, p.Megabytes)
	if p.folder == nil {
		err = installPackages(w, p.debian)
	} else {
		err = p.installBeside(w)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.Name, err)
	}
	if path, err = p.Path(); path == "" && err == nil {
		err = fmt.Errorf("%s: not found after its installation", p.Name)
	}
	return path, err
}

// apt is locked while apt-get runs, which refuses to run twice at a time.
var apt sync.Mutex

// installPackages installs packages of Debian, which only root can do.
func installPackages(w io.Writer, packages []string) error {
	apt.Lock()
	defer apt.Unlock()
	if _, err := exec.LookPath("apt-get"); err != nil || os.Getuid() != 0 {
		return errors.New("only root can install it, with apt-get")
	}
	for _, args := range [][]string{
		{"update", "-q"}, append([]string{"install", "-q", "-y", "--no-install-recommends"}, packages...),
	} {
		cmd := exec.Command("apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = w, w
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("apt-get %s: %w", args[0], err)
		}
	}
	return nil
}

// installBeside installs into a temporary folder next to the program's, and then renames it, so
// that an interrupted installation leaves no complete-looking folder.
func (p *Program) installBeside(w io.Writer) error {
	folder, err := p.folder()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(folder), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := p.install(w, part); err != nil {
		return err
	}
	if err := os.Rename(part, folder); err != nil {
		if path, _ := p.Path(); path == "" { // another process did not install it meanwhile
			return err
		}
	}
	return nil
}

// inCache returns the folder of a program in the user's cache. Its name ends with a digest.
func inCache(name string, digest []byte) (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "stele-tests", fmt.Sprintf("%s-%.6x", name, digest)), err
}
