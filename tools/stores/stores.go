// Package stores gets the servers that tests start, programs of others: versitygw speaks S3,
// fake-gcs-server stands for Google Cloud Storage and Azurite for Azure Blob Storage; omniwitness
// is a witness of logs, and pebble an authority that issues certificates. Each has a module file or
// an npm folder of its own, so that nothing of theirs becomes part of Stele.
package stores

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Each returns a program. It compiles it into the user's cache, once for each set of versions, and
// says so on w before it does.
var (
	S3        = compiled("s3", "github.com/versity/versitygw/cmd/versitygw")
	Google    = compiled("gcs", "github.com/fsouza/fake-gcs-server")
	Witness   = compiled("witness", "github.com/transparency-dev/witness/cmd/omniwitness")
	Authority = compiled("pebble", "github.com/letsencrypt/pebble/v2/cmd/pebble")
)

func compiled(mod, pkg string) func(io.Writer) (program string, err error) {
	return func(w io.Writer) (string, error) { return compile(w, mod, pkg) }
}

// compile builds the program of a package by a module file of its own.
func compile(w io.Writer, mod, pkg string) (program string, err error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(root, "tools", mod+".sum"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name := path.Base(pkg)
	dir := filepath.Join(cache, "stele-tests", fmt.Sprintf("%s-%.6x", name, sha256.Sum256(append(sums, runtime.Version()...))))
	program = filepath.Join(dir, name)
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	fmt.Fprintf(w, "compiling %s, for tests, into %s\n", pkg, dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	part := fmt.Sprintf("%s.%d", program, os.Getpid()) // what is interrupted is not taken for whole
	args := []string{"build", "-modfile=" + filepath.Join("tools", mod+".mod"), "-ldflags=-s -w", "-o", part}
	// without optimising, which takes a third of the time; the standard library is compiled already
	for _, host := range []string{"github.com", "golang.org", "google.golang.org", "cloud.google.com", "go.opentelemetry.io"} {
		args = append(args, "-gcflags="+host+"/...=-N -l")
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, w, w
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("go build %s: %w", pkg, err), os.RemoveAll(part))
	}
	return program, os.Rename(part, program)
}

// moduleRoot is the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", errors.New("this is not run inside the module")
	}
	return filepath.Dir(mod), nil
}
