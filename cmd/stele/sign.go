package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/author/input"
	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/push"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
	"stele/release"
)

// signFlags are the options of signing.
type signFlags struct {
	keys     []string
	announce bool
	retire   string
	state    string
	noState  bool
	witness  string
}

func (f *signFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.keys, "key", nil, "file of the private key that signs (default the environment variable "+keyVariable+"); several while keys change")
	flags.StringVar(&f.state, "state", "", "file in which the signer remembers what it signed (default the file of the key and .state)")
	flags.BoolVar(&f.noState, "no-state", false, "remember nothing: then nothing but care prevents two histories")
	flags.StringVar(&f.witness, "witness", "", "policy file that names the witnesses to ask for cosignatures")
}

func signCommand() *cobra.Command {
	var f signFlags
	var quiet bool
	c := &cobra.Command{
		Use:   "sign release",
		Short: "Sign a release, so that anybody can prove that it is whole and yours",
		Long: `Sign adds a release, in a folder, a zip or a bucket, to the log of all your releases and signs the log. The log lies beside the release, below
log/, and the signature in manifest.json.tlog-proof; stele build carries the log on to the next release.
Anyone with your public key can check all of it offline: stele verify public --key KEY.

Sign checks the log before it adds to it, and remembers what it signed. It refuses a release that would give the log a second history,
because that cannot be mended. Signing the same release again changes nothing.

To change keys, sign once with both and --announce, for a while with both, then with the new one and --retire. Those who know only the
old key follow.`,
		Example: `  stele sign public --key data.example.org.key
  stele sign release.zip --key data.example.org.key --witness policy.txt
  stele sign public --key old.key --key new.key --announce`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			sign := f.sign
			if bucket.IsAddress(args[0]) {
				sign = f.signBucket
			}
			s, err := sign(c.Context(), args[0])
			if err != nil {
				return err
			}
			if !quiet {
				tellSigned(c.OutOrStdout(), args[0], s)
			}
			return nil
		},
	}
	f.add(c.Flags())
	c.Flags().BoolVar(&f.announce, "announce", false, "let a new key join the log, announced by the old one")
	c.Flags().StringVar(&f.retire, "retire", "", "public key that may not sign from here on: a file, or the line itself")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "print nothing when all is well")
	return c
}

func tellSigned(w io.Writer, where string, s *signing.Signature) {
	if s.Unchanged {
		fmt.Fprintf(w, "%s is signed already: entry %d of %d in the log of %s.\n", where, s.Index+1, s.Size, s.Origin)
		return
	}
	fmt.Fprintf(w, "%s is signed: entry %d of %d in the log of %s.\n", where, s.Index+1, s.Size, s.Origin)
}

// sign signs a release that is in its place.
func (f *signFlags) sign(ctx context.Context, where string) (*signing.Signature, error) {
	files, closeFiles, err := store.Files(where)
	if err != nil {
		return nil, err
	}
	defer closeFiles()
	manifest, err := signing.FS(files).ReadFile(ctx, layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return nil, fmt.Errorf("%s is not a release: %w", where, err)
	}
	return f.write(ctx, signing.FS(files), manifest, func(s *signing.Signature) error {
		if err := closeFiles(); err != nil { // on Windows a file that is open cannot be replaced
			return err
		}
		return store.Amend(where, s.Remove, func(yield func(string, []byte) bool) {
			for _, file := range s.Files {
				if !yield(file.Path, file.Data) {
					return
				}
			}
		})
	})
}

// signBucket signs a release that is in a bucket: it is fetched, signed, and pushed again.
func (f *signFlags) signBucket(ctx context.Context, address string) (*signing.Signature, error) {
	b, err := bucket.Open(ctx, address, bucket.Options{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	state, err := b.Pointer(ctx)
	if err != nil {
		return nil, err
	}
	path, remove, err := b.Download(ctx, "", math.MaxInt64, nil)
	if err != nil {
		return nil, err
	}
	defer remove()
	s, err := f.sign(ctx, path)
	if err != nil || s.Unchanged {
		return s, err
	}
	_, err = push.Push(ctx, b, path, push.Options{Keep: 1 + len(state.Kept)})
	return s, err
}

// write signs a manifest, keeps the signer's state, and then puts the files in their place.
func (f *signFlags) write(ctx context.Context, log signing.Files, manifest []byte,
	put func(*signing.Signature) error,
) (*signing.Signature, error) {
	opt := signing.SignOptions{Announce: f.announce}
	var err error
	if opt.Keys, err = privateKeys(f.keys); err != nil {
		return nil, err
	}
	if f.retire != "" {
		if opt.Retire, err = fileOrLine(f.retire); err != nil {
			return nil, err
		}
	}
	if opt.Cosign, err = f.cosigner(); err != nil {
		return nil, err
	}
	state, err := f.statePath()
	if err != nil {
		return nil, err
	}
	if state != "" {
		unlock, err := store.Lock(state + ".lock")
		if errors.Is(err, store.ErrBusy) {
			return nil, fmt.Errorf("another process is signing with %s: try again when it is done", state)
		}
		if err != nil {
			return nil, err
		}
		defer unlock()
		if opt.State, err = os.ReadFile(state); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	s, err := signing.Sign(ctx, log, manifest, opt)
	if err != nil || s.Unchanged {
		return s, err
	}
	if state != "" {
		if err := signing.WriteState(state, s); err != nil {
			return nil, err
		}
	}
	return s, put(s)
}

// given reports whether a build is to sign.
func (f *signFlags) given() bool { return len(f.keys) > 0 }

// named makes sure that the keys that sign are those that the settings name, if they name any:
// readers would compare with the wrong ones.
func (f *signFlags) named(folder fs.FS) error {
	if !f.given() {
		return nil
	}
	s, _, err := input.ReadSettings(folder)
	if err != nil || len(s.SigningKeys) == 0 {
		return err
	}
	keys, err := privateKeys(f.keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		public, err := signing.PublicKey(key)
		if err != nil {
			return err
		}
		if !slices.Contains(s.SigningKeys, public) {
			return fmt.Errorf("%s does not name the key that signs, so readers would compare with another one. Add this line to its signing_keys: %s",
				input.SettingsFile, public)
		}
	}
	return nil
}

// remind says that a release is not signed yet where its pages name the keys that sign.
func (f *signFlags) remind(w io.Writer, folder fs.FS, output string) {
	if s, _, err := input.ReadSettings(folder); err == nil && len(s.SigningKeys) > 0 && !f.given() {
		fmt.Fprintf(w, "It is not signed yet, and its pages say who signs: stele sign %s --key FILE\n", output)
	}
}

// carry puts the log of the previous release beside a new one, and signs that if there is a key.
func (f *signFlags) carry(ctx context.Context, previous *release.Release, m *release.Manifest,
	put func(string, []byte) error,
) error {
	manifest, err := m.Encode()
	if err != nil {
		return err
	}
	log := signing.NoFiles
	if previous != nil {
		log = signing.FS(previous.Files)
	}
	carried, err := signing.Carry(ctx, log, manifest)
	if err != nil {
		return fmt.Errorf("the log of the previous release: %w", err)
	}
	if f.given() {
		_, err := f.write(ctx, log, manifest, func(s *signing.Signature) error {
			carried = s.Apply(carried)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, file := range carried {
		if err := put(file.Path, file.Data); err != nil {
			return err
		}
	}
	return nil
}

// statePath is where the signer remembers what it signed.
func (f *signFlags) statePath() (string, error) {
	switch {
	case f.noState:
		return "", nil
	case f.state != "":
		return f.state, nil
	case len(f.keys) > 0:
		return f.keys[0] + ".state", nil
	}
	return "", errors.New("say where the signer remembers what it signed: --state FILE, kept from one time to the next. " +
		"It prevents two histories; --no-state does without")
}

// cosigner asks the witnesses of a policy.
func (f *signFlags) cosigner() (func(context.Context, *signing.Log, []byte) ([]byte, error), error) {
	if f.witness == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.witness)
	if err != nil {
		return nil, err
	}
	policy, err := signing.ParsePolicy(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.witness, err)
	}
	client := &http.Client{Timeout: 30 * time.Second}
	return func(ctx context.Context, log *signing.Log, checkpoint []byte) ([]byte, error) {
		return policy.Cosign(ctx, client, log, checkpoint)
	}, nil
}
