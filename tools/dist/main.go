// Dist writes the archives in which the program is distributed: one for each system, with licences,
// documentation and completions, and SHA256SUMS. The same commit and the same version of Go give
// the same bytes, on any machine and in any folder.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/base/version"
)

var systems = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// isLicence matches the names of licence files, which must be distributed with the content of their
// folders.
var isLicence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

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
	chosen := systems
	if only != "" && !slices.Contains(systems, only) {
		return fmt.Errorf("no archive for %q: choose one of %v", only, systems)
	} else if only != "" {
		chosen = []string{only}
	}
	if experiments := os.Getenv("GOEXPERIMENT"); experiments != "" { // no value means the default
		return fmt.Errorf("GOEXPERIMENT is %q: leave it unset, because it changes the bytes", experiments)
	}
	c, err := open(".")
	if err != nil {
		return err
	}
	fmt.Printf("stele %s, with %s\n", c.build, runtime.Version())
	if !c.build.Released || c.build.Changed {
		fmt.Printf("This is not a release: this commit has no tag v%s, or files differ from those of the commit.\n", version.Number)
	}
	fmt.Printf("%d of %d archives. Each takes one to five minutes the first time, and seconds if nothing changed.\n",
		len(chosen), len(systems))
	return c.write(output, chosen)
}

// A checkout is a folder of the project with its commit.
type checkout struct {
	dir   string
	build version.Build
}

// open reads the checked-out commit of a folder from git.
func open(dir string) (*checkout, error) {
	c := &checkout{dir: dir}
	head, err1 := c.output(nil, "git", "log", "-1", "--format=%H %ct")
	tags, err2 := c.output(nil, "git", "tag", "--points-at", "HEAD")
	changes, err3 := c.output(nil, "git", "status", "--porcelain")
	commit, seconds, _ := strings.Cut(strings.TrimSpace(head), " ")
	epoch, err := strconv.ParseInt(seconds, 10, 64)
	c.build = version.Build{
		Commit: commit, Time: time.Unix(epoch, 0).UTC(), Changed: changes != "",
		Released: slices.Contains(strings.Fields(tags), "v"+version.Number),
	}
	return c, cmp.Or(err1, err2, err3, err)
}

// write writes an archive for each system, and prints its name when it is complete. It writes
// SHA256SUMS last.
func (c *checkout) write(output string, systems []string) error {
	if err := os.MkdirAll(output, 0o755); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, system := range systems {
		begun := time.Now()
		files, err := c.contents(system)
		if err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
		name, data, err := c.archive(system, files)
		if err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
		if err := os.WriteFile(filepath.Join(output, name), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%s  %.1f MB, %s\n", filepath.Join(output, name), float64(len(data))/1e6, time.Since(begun).Round(time.Second))
	}
	return os.WriteFile(filepath.Join(output, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// contents returns the files in the archive for a system, by name.
func (c *checkout) contents(system string) (map[string][]byte, error) {
	licences, err := c.licences(system)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"THIRD-PARTY-LICENSES.txt": licences}
	names, err := c.output(nil, "git", "ls-files", "--", ":(glob)*.md", "LICENSE", "docs", "deploy", "clients", ":!*_test.go")
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return r == '\n' }) {
		if files[name], err = os.ReadFile(filepath.Join(c.dir, name)); err != nil {
			return nil, err
		}
	}
	here := runtime.GOOS + "/" + runtime.GOARCH
	_, err = c.compile(here, func(program string) error { // completions are the same on all systems
		for shell, name := range map[string]string{"bash": "stele.bash", "fish": "stele.fish", "powershell": "stele.ps1", "zsh": "_stele"} {
			script, err := c.output(nil, program, "completion", shell)
			if err != nil {
				return err
			}
			files["completions/"+name] = []byte(script)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	program := "stele"
	if strings.HasPrefix(system, "windows") {
		program = "stele.exe"
	}
	files[program], err = c.compile(system, nil)
	return files, err
}

// compile returns the program for a system. If use is not nil, it is called with the program's
// path.
func (c *checkout) compile(system string, use func(path string) error) ([]byte, error) {
	temp, err := os.MkdirTemp("", "stele-dist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	path := filepath.Join(temp, "stele.exe")
	flags := fmt.Sprintf("-s -w -X 'stele/internal/base/version.stamp=%s'", c.build)
	if _, err := c.output(environment(system), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path, "./cmd/stele"); err != nil {
		return nil, err
	}
	if use != nil {
		return nil, use(path)
	}
	return os.ReadFile(path)
}

// archive packs files into a zip for Windows and a tar.gz for other systems. All files have the
// time of the commit.
func (c *checkout) archive(system string, files map[string][]byte) (name string, data []byte, err error) {
	folder := "stele-" + c.build.Name() + "-" + strings.ReplaceAll(system, "/", "-")
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", nil, err
	}
	name = folder + ".tar.gz"
	var closers []io.Closer
	var add func(name string, mode os.FileMode, size int) (io.Writer, error)
	if strings.HasPrefix(system, "windows") {
		w := zip.NewWriter(&b)
		w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(out, flate.BestCompression)
		})
		add = func(name string, mode os.FileMode, _ int) (io.Writer, error) {
			header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: c.build.Time}
			header.SetMode(mode)
			return w.CreateHeader(header)
		}
		name, closers = folder+".zip", []io.Closer{w}
	} else {
		w := tar.NewWriter(compressed)
		add = func(name string, mode os.FileMode, size int) (io.Writer, error) {
			return w, w.WriteHeader(&tar.Header{
				Typeflag: tar.TypeReg, Name: name, Size: int64(size), Mode: int64(mode),
				ModTime: c.build.Time, Format: tar.FormatUSTAR,
			})
		}
		closers = []io.Closer{w, compressed}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(path, "stele") || strings.HasSuffix(path, ".sh") {
			mode = 0o755
		}
		w, err := add(folder+"/"+path, mode, len(files[path]))
		if err != nil {
			return "", nil, err
		}
		if _, err := w.Write(files[path]); err != nil {
			return "", nil, err
		}
	}
	for _, w := range closers {
		err = errors.Join(err, w.Close())
	}
	return name, b.Bytes(), err
}

// licences returns the licences of everything that is linked into the program for a system: of Go,
// and of the folders of each package, up to that of its module.
func (c *checkout) licences(system string) ([]byte, error) {
	list, err := c.output(environment(system), "go", "list", "-deps", "-f",
		`{{if not .Standard}}{{with .Module}}{{.Path}} {{.Version}}|{{if .Main}}{{$.Dir}}{{else}}{{.Dir}}{{end}}{{end}}|{{.Dir}}{{end}}`, "./cmd/stele")
	if err != nil {
		return nil, err
	}
	goroot, err := c.output(environment(system), "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	goroot = strings.TrimSpace(goroot)
	for line := range strings.Lines(list + "Go " + runtime.Version() + "|" + goroot + "|" + goroot) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 3 {
			continue
		}
		name, top, dir := fields[0], fields[1], fields[2]
		ours := name == "stele " // only data of others in our packages has a licence of its own
		if ours {
			name = filepath.Base(dir)
		}
		for ; len(dir) >= len(top); dir = filepath.Dir(dir) {
			below, err := filepath.Rel(top, dir)
			if err != nil {
				return nil, err
			}
			if err := readLicences(texts, name+": "+filepath.ToSlash(below)+"/", dir); err != nil {
				return nil, err
			}
		}
		has := func(path string) bool { return strings.HasPrefix(path, name+": ") }
		if !ours && !slices.ContainsFunc(slices.Collect(maps.Keys(texts)), has) {
			return nil, fmt.Errorf("%s has no licence in %s: it cannot be distributed", name, top)
		}
	}
	var b bytes.Buffer
	b.WriteString("The program contains the following, under the licences below.\n")
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		text := bytes.ReplaceAll(bytes.TrimSpace(texts[path]), []byte("\r\n"), []byte("\n"))
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Replace(path, ": ./", ": ", 1), text)
	}
	return b.Bytes(), nil
}

// readLicences reads the licences in a folder into texts, with a prefix before their names.
func readLicences(texts map[string][]byte, prefix, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasSuffix(e.Name(), ".go") && isLicence.MatchString(e.Name()) {
			if texts[prefix+e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// environment is that of the go command for a system. It has all settings that change what is
// compiled, so that those of this machine do not.
func environment(system string) []string {
	goos, arch, _ := strings.Cut(system, "/")
	return []string{
		"GOOS=" + goos, "GOARCH=" + arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=-mod=readonly", "GOFIPS140=off", "GOWORK=off",
	}
}

// output runs a program in the root folder of the checkout and returns its output.
func (c *checkout) output(env []string, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", program, args[0], err, stderr.Bytes())
	}
	return string(out), nil
}
