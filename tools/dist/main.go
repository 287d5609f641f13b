// Dist makes the archives in which the program is given away: one for each system, with licences,
// documentation and completions, and SHA256SUMS. The same commit and the same version of Go give
// the same bytes, on any machine and in any folder.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/base/version"
)

// A target is a system that the program is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// targets are all of them.
var targets = []target{
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func main() {
	output := flag.String("o", "dist", "the folder that the archives go to")
	only := flag.String("only", "", "the system of the one archive to make, such as linux/amd64")
	flag.Parse()
	if err := run(*output, *only); err != nil {
		fmt.Fprintln(os.Stderr, "dist: "+err.Error())
		os.Exit(1)
	}
}

func run(output, only string) error {
	chosen := targets
	if only != "" {
		chosen = slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return t.String() != only })
		if len(chosen) == 0 {
			return fmt.Errorf("there is no archive for %q: choose one of %v", only, targets)
		}
	}
	if experiments := os.Getenv("GOEXPERIMENT"); experiments != "" { // there is no value that means the default
		return fmt.Errorf("GOEXPERIMENT is %q: leave it unset, so that everybody gets the same bytes", experiments)
	}
	s, err := openSource(".")
	if err != nil {
		return err
	}
	fmt.Printf("stele %s, with %s\n", s.build, runtime.Version())
	if !s.build.Released {
		fmt.Printf("This is not a release: no tag v%s is at this commit.\n", version.Number)
	}
	if s.build.Changed {
		fmt.Println("This is not a release: files differ from those of the commit.")
	}
	fmt.Printf("%d of %d archives. Each takes one to five minutes the first time, and seconds if nothing changed.\n",
		len(chosen), len(targets))
	return s.write(output, chosen)
}

// A source is a checkout of the project, from which archives are made.
type source struct {
	dir   string
	build version.Build
	files []file // those that every archive has
}

// A file is one in an archive.
type file struct {
	name string
	mode os.FileMode
	data []byte
}

func openSource(dir string) (*source, error) {
	s := &source{dir: dir}
	if err := s.readBuild(); err != nil {
		return nil, err
	}
	tracked, err := s.output(nil, "git", "ls-files", "--", ":(glob)*.md", "LICENSE", "docs", "deploy",
		"clients", ":!*_test.go")
	if err != nil {
		return nil, err
	}
	for name := range strings.Lines(tracked) {
		name = strings.TrimSuffix(name, "\n")
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		s.files = append(s.files, file{name, mode, data})
	}
	if len(s.files) == 0 {
		return nil, errors.New("git knows no files here: run this at the top of a checkout of the project")
	}
	completions, err := s.completions()
	s.files = append(s.files, completions...)
	return s, err
}

// readBuild asks git what is checked out.
func (s *source) readBuild() error {
	head, err := s.output(nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(head), " ")
	epoch, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("git says %q, which has no time", head)
	}
	tags, err := s.output(nil, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	changes, err := s.output(nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	s.build = version.Build{
		Commit:   commit,
		Time:     time.Unix(epoch, 0).UTC(),
		Changed:  changes != "",
		Released: slices.Contains(strings.Fields(tags), "v"+version.Number),
	}
	return nil
}

// completions asks the program for them. They are the same on all systems.
func (s *source) completions() (files []file, err error) {
	_, err = s.compile(target{runtime.GOOS, runtime.GOARCH}, func(program string) error {
		for _, c := range []struct{ shell, name string }{
			{"bash", "stele.bash"}, {"fish", "stele.fish"}, {"powershell", "stele.ps1"}, {"zsh", "_stele"},
		} {
			script, err := s.output(nil, program, "completion", c.shell)
			if err != nil {
				return err
			}
			files = append(files, file{"completions/" + c.name, 0o644, []byte(script)})
		}
		return nil
	})
	return files, err
}

// write makes an archive for each target, and says when it is there. SHA256SUMS comes last.
func (s *source) write(output string, targets []target) error {
	if err := os.MkdirAll(output, 0o755); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, t := range targets {
		begun := time.Now()
		files, err := s.contents(t)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		name, data, err := s.archive(t, files)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := os.WriteFile(filepath.Join(output, name), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%s  %.1f MB, %s\n", filepath.Join(output, name), float64(len(data))/1e6, time.Since(begun).Round(time.Second))
	}
	return os.WriteFile(filepath.Join(output, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// contents are the files in the archive for a target, by name.
func (s *source) contents(t target) ([]file, error) {
	licences, err := s.licences(t)
	if err != nil {
		return nil, err
	}
	program, err := s.compile(t, nil)
	if err != nil {
		return nil, err
	}
	files := append(slices.Clone(s.files), file{"THIRD-PARTY-LICENSES.txt", 0o644, licences}, program)
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return files, nil
}

// archive packs the archive for a target.
func (s *source) archive(t target, files []file) (name string, data []byte, err error) {
	folder := fmt.Sprintf("stele-%s-%s-%s", s.build.Name(), t.os, t.arch)
	if t.os == "windows" {
		data, err = zipped(folder, files, s.build.Time)
		return folder + ".zip", data, err
	}
	data, err = tarred(folder, files, s.build.Time)
	return folder + ".tar.gz", data, err
}

// compile builds the program for a target, and lets somebody run it, unless use is nil.
func (s *source) compile(t target, use func(path string) error) (program file, err error) {
	temp, err := os.MkdirTemp("", "stele-dist-")
	if err != nil {
		return program, err
	}
	defer os.RemoveAll(temp)
	if program = (file{name: "stele", mode: 0o755}); t.os == "windows" {
		program.name += ".exe"
	}
	path := filepath.Join(temp, program.name)
	flags := fmt.Sprintf("-s -w -X 'stele/internal/base/version.stamp=%s'", s.build)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path, "./cmd/stele"}
	if _, err := s.output(environment(t), "go", args...); err != nil {
		return program, err
	}
	if use != nil {
		return program, use(path)
	}
	program.data, err = os.ReadFile(path)
	return program, err
}

// environment is that of the go command for a target. It holds all settings that change what is
// compiled, so that those of this machine do not.
func environment(t target) []string {
	return []string{
		"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=-mod=readonly", "GOFIPS140=off", "GOWORK=off",
	}
}

// output runs a program at the top of the checkout and returns what it says.
func (s *source) output(env []string, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", program, args[0], err, stderr.Bytes())
	}
	return string(out), nil
}
