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

// trustFlags are the flags about trusted keys and verified logs.
type trustFlags struct {
	key    string
	seen   string
	maxAge int
	alone  bool // accept a proof without the log's entries
}

func (f *trustFlags) addFlags(flags *pflag.FlagSet) {
	f.addKeyFlags(flags)
	flags.IntVar(&f.maxAge, "max-age", 0, "maximum age of a release, in days")
}

// addKeyFlags adds the flags except --max-age, which has a different meaning for a server.
func (f *trustFlags) addKeyFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.key, "key", "", "the publisher's public key, or a policy: a file, or the line itself")
	flags.StringVar(&f.seen, "seen", "", "folder that stores verified logs (default $XDG_STATE_HOME/stele/seen, or ~/.local/state/stele/seen)")
}

func (f *trustFlags) hasKey() bool { return f.key != "" }

// verifyManifest verifies the signature of a manifest, and stores its log.
func (f *trustFlags) verifyManifest(
	ctx context.Context, files signing.Files, manifest []byte,
) (*signing.Verified, error) {
	text, err := signing.ReadKeyOrPolicy(f.key)
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
	opt := signing.VerifyOptions{Policy: policy, MaxAge: f.maxAge, Today: clock.Now().UTC(), WithoutLog: f.alone}
	return signing.Seen{Dir: dir}.Verify(ctx, files, manifest, opt)
}

// verifyRelease verifies the signature of an open release. It reads the manifest again and sets r
// to the release of that manifest, so that the signed manifest is the one in use.
func (f *trustFlags) verifyRelease(ctx context.Context, r *release.Release) (*signing.Verified, error) {
	files := signing.FS(r.Files)
	data, err := files.ReadFile(ctx, layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return nil, err
	}
	v, err := f.verifyManifest(ctx, files, data)
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
		return "", errors.New("--seen FOLDER is required, to store verified logs")
	}
	return dir, nil
}

// stateDir returns the folder for the state of the user's programs, or "".
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
