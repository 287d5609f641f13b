package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"stele/internal/base/clock"
	"stele/internal/base/layout"
	"stele/internal/trust/signing"
	"stele/release"
)

// trustFlags say whom to trust, and what was seen before.
type trustFlags struct {
	key    string
	seen   string
	maxAge int
	alone  bool // whether the proof will do if the entries of the log are missing
}

func (f *trustFlags) add(flags *pflag.FlagSet) {
	f.addKey(flags)
	flags.IntVar(&f.maxAge, "max-age", 0, "refuse a release older than so many days")
}

// addKey leaves out --max-age, which means something else to a server.
func (f *trustFlags) addKey(flags *pflag.FlagSet) {
	flags.StringVar(&f.key, "key", "", "public key of the publisher, or a policy: a file, or the line itself")
	flags.StringVar(&f.seen, "seen", "", "folder that remembers verified logs (default $XDG_STATE_HOME/stele/seen, or ~/.local/state/stele/seen)")
}

func (f *trustFlags) given() bool { return f.key != "" }

// verify holds a release to its signature, and remembers its log.
func (f *trustFlags) verify(ctx context.Context, files signing.Files, manifest []byte) (*signing.Verified, error) {
	text, err := signing.FileOrLine(f.key)
	if err != nil {
		return nil, err
	}
	policy, err := signing.ParsePolicy(text)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	dir, err := f.seenDir()
	if err != nil {
		return nil, err
	}
	opt := signing.VerifyOptions{Policy: policy, MaxAge: f.maxAge, Today: clock.Now().UTC(), Alone: f.alone}
	return signing.Seen{Dir: dir}.Verify(ctx, files, manifest, opt)
}

// verifyRelease holds an open release to its signature. Its manifest is read again, and the release
// is the one of that manifest from here on: what was signed is what is used.
func (f *trustFlags) verifyRelease(ctx context.Context, r *release.Release) (*signing.Verified, error) {
	files := signing.FS(r.Files)
	data, err := files.ReadFile(ctx, layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return nil, err
	}
	v, err := f.verify(ctx, files, data)
	if err != nil {
		return nil, err
	}
	return v, r.Use(data)
}

func (f *trustFlags) seenDir() (string, error) {
	if f.seen != "" {
		return f.seen, nil
	}
	dir := stateDir("seen")
	if dir == "" {
		return "", errors.New("say where to remember the logs that were verified: --seen FOLDER")
	}
	return dir, nil
}

// stateDir is a folder in which a user's programs keep what they know; "" if there is none.
func stateDir(name string) string {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "stele", name)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "stele", name)
}
