package programs

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

// These are written in Go, and compiled. Each has a module file of its own in tools.
var (
	// S3 is versitygw, an S3 server.
	S3 = compiled("an S3 server", "s3", 49, "github.com/versity/versitygw/cmd/versitygw")
	// Google is fake-gcs-server, an emulator of Google Cloud Storage.
	Google = compiled("a server of Google Cloud Storage", "gcs", 38, "github.com/fsouza/fake-gcs-server")
	// Witness is a witness of signed logs.
	Witness = compiled("a witness of logs", "witness", 19, "github.com/transparency-dev/witness/cmd/omniwitness")
	// Authority is pebble, a certificate authority for tests.
	Authority = compiled("an authority for certificates", "pebble", 9, "github.com/letsencrypt/pebble/v2/cmd/pebble")
)

// compiled returns the program of a package, compiled with the module file mod.
func compiled(name, mod string, megabytes int, pkg string) *Program {
	command := path.Base(pkg)
	return &Program{
		Name: name, Megabytes: megabytes, result: command,
		folder: func() (string, error) {
			root, err := moduleRoot()
			if err != nil {
				return "", err
			}
			sums, err := os.ReadFile(filepath.Join(root, "tools", mod+".sum"))
			if err != nil {
				return "", err
			}
			digest := sha256.Sum256(append(sums, runtime.Version()...))
			return inCache(command, digest[:])
		},
		install: func(w io.Writer, folder string) error {
			args := []string{
				"build", "-modfile=" + filepath.Join("tools", mod+".mod"), "-ldflags=-s -w",
				"-o", filepath.Join(folder, command),
			}
			// Without optimizing, this takes a third of the time.
			for _, host := range []string{"github.com", "golang.org", "google.golang.org", "cloud.google.com", "go.opentelemetry.io"} {
				args = append(args, "-gcflags="+host+"/...=-N -l")
			}
			root, err := moduleRoot()
			if err != nil {
				return err
			}
			cmd := exec.Command("go", append(args, pkg)...)
			cmd.Dir, cmd.Stdout, cmd.Stderr = root, w, w
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("go build %s: %w", pkg, err)
			}
			return nil
		},
	}
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", errors.New("not inside the module")
	}
	return filepath.Dir(mod), nil
}
