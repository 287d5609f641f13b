package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/deliver/push"
	"stele/internal/disk/durable"
	"stele/internal/trust/signing"
	"stele/record"
	"stele/release"
)

type signFlags struct {
	keys     []string
	announce bool
	retire   string
	state    string
	noState  bool
	witness  string
	rollback string
	pending  *signing.Pending // of a build, until its release is in place
}

// finishSignature finishes a build's signature. placed reports whether the release is in place.
func (f *signFlags) finishSignature(placed bool) (err error) {
	if p := f.pending; p != nil {
		if placed {
			err = p.MarkPublished()
		}
		if last := f.keys[max(len(f.keys)-1, 0):]; placed && f.announce && f.state == "" && !f.noState &&
			!strings.HasPrefix(last[0], "$") { // the new signing key remembers the same
			err = errors.Join(err, durable.WriteFile(last[0]+".state", p.State, 0o600))
		}
		p.Release()
	}
	f.pending = nil
	return err
}

func (f *signFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.keys, "key", nil, "file of the private key (default the variable "+keyVariable+"); several while keys change")
	flags.StringVar(&f.state, "state", "", "file that stores the signed history, or none (default next to the key)")
	flags.StringVar(&f.rollback, "rollback-from", "", "ID of the latest release in the log, to go back before it")
	flags.StringVar(&f.witness, "witness", "", "policy file with the witnesses to ask")
}

func signCommand() *cobra.Command {
	var f signFlags
	var quiet bool
	c := &cobra.Command{
		Use:   "sign release",
		Short: "Sign a release, so that anyone can prove that it is complete and yours",
		Long: `Sign adds a release to the log of all your releases and signs the log. Anyone with your public key
can check it offline: stele verify public --key KEY.

It refuses a release that would start a second history, or that was not built on the latest release
in the log, unless --rollback-from names that release. To change keys, see docs/signing.md.`,
		Example: `  stele sign public --key data.example.org.key
  stele sign public --key old.key --key new.key --announce`,
		Args: countArguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			s, late, err := push.Sign(c.Context(), args[0], stateDir("push"), f.beginSignature)
			if printLateError(c, late); err == nil && !quiet {
				printSigned(c.OutOrStdout(), args[0], s)
			}
			return err
		},
	}
	f.addFlags(c.Flags())
	c.Flags().BoolVar(&f.announce, "announce", false, "add a new key to the log")
	c.Flags().StringVar(&f.retire, "retire", "", "public key that can no longer sign: a file, or the line itself")
	addQuietFlag(c, &quiet)
	return c
}

func printSigned(w io.Writer, where string, s *signing.Signature) {
	already := ""
	if s.Unchanged {
		already = " already"
	}
	fmt.Fprintf(w, "%s is signed%s: entry %d of %d in the log of %s.\n", where, already, s.Index+1, s.Size, s.Origin)
}

// beginSignature signs a manifest. It stores the signer's state before it asks any witness.
func (f *signFlags) beginSignature(ctx context.Context, log signing.Files, manifest []byte) (*signing.Pending, error) {
	opt := signing.SignOptions{Announce: f.announce, RollbackFrom: f.rollback}
	var m release.Manifest
	err := m.Decode(manifest)
	if err == nil {
		err = settings.RefuseExample(record.URL(m.BaseURL))
	}
	if err != nil {
		return nil, err
	}
	if opt.Keys, err = readPrivateKeys(f.keys); err != nil {
		return nil, err
	}
	if f.retire != "" {
		if opt.Retire, err = signing.ReadKeyOrPolicy(f.retire); err != nil {
			return nil, err
		}
	}
	if opt.Cosign, err = f.newCosigner(); err != nil {
		return nil, err
	}
	state, err := f.statePath()
	if err != nil {
		return nil, err
	}
	return signing.Begin(ctx, log, manifest, state, opt)
}

func (f *signFlags) hasKey() bool { return len(f.keys) > 0 }

// checkKeysNamed returns an error if the settings name signing keys, but not the given ones:
// readers would use the wrong keys.
func (f *signFlags) checkKeysNamed(folder fs.FS) error {
	if !f.hasKey() {
		return nil
	}
	s, _, err := input.ReadSettings(folder)
	if err != nil || len(s.SigningKeys) == 0 {
		return err
	}
	keys, err := readPrivateKeys(f.keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		public, err := signing.PublicKey(key)
		if err != nil {
			return err
		}
		if !slices.Contains(s.SigningKeys, public) {
			return fmt.Errorf("%s does not name the signing key, so readers would check against another key. Add this line to signing_keys: %s",
				input.SettingsFile, public)
		}
	}
	return nil
}

// printReminder prints a hint if the release is unsigned, but the previous one is signed or the
// pages name signing keys.
func (f *signFlags) printReminder(c *cobra.Command, folder fs.FS, output string, wasSigned bool) {
	if f.hasKey() {
		return
	}
	if wasSigned {
		fmt.Fprintf(c.ErrOrStderr(), "stele: the release is unsigned, but the previous one is signed: readers who verify with a key keep the previous one. To sign: stele sign %s --key FILE\n", output)
		return
	}
	if s, _, err := input.ReadSettings(folder); err == nil && len(s.SigningKeys) > 0 {
		fmt.Fprintf(c.OutOrStdout(), "The release is not signed yet, but its pages name a signing key. To sign: stele sign %s --key FILE\n", output)
	}
}

// copyLog copies the log of the previous release to the new one, and signs the new release if there
// is a key.
func (f *signFlags) copyLog(ctx context.Context, previous *release.Release, m *release.Manifest,
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
	carried, err := signing.CopyLog(ctx, log, manifest)
	if err != nil {
		return fmt.Errorf("the log of the previous release: %w", err)
	}
	if f.hasKey() {
		if f.pending, err = f.beginSignature(ctx, log, manifest); err != nil {
			return err
		}
		carried = f.pending.Apply(carried)
	}
	for _, file := range carried {
		if err := put(file.Path, file.Data); err != nil {
			return err
		}
	}
	return nil
}

func (f *signFlags) statePath() (string, error) {
	switch {
	case f.noState || f.state == "none":
		return "", nil
	case f.state != "":
		return f.state, nil
	case len(f.keys) > 0:
		return f.keys[0] + ".state", nil
	}
	return "", errors.New("--state FILE is required: a file, kept between runs, in which the signer stores the signed history. " +
		"It prevents two histories. --state none disables it")
}

func (f *signFlags) newCosigner() (func(context.Context, *signing.Log, []byte) ([]byte, error), error) {
	if f.witness == "" {
		return nil, nil
	}
	text, err := signing.ReadKeyOrPolicy(f.witness)
	if err != nil {
		return nil, err
	}
	policy, err := signing.ParsePolicy(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.witness, err)
	}
	return policy.Cosign, nil
}
