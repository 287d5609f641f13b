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
	pending  *signing.Pending // of a build, until its release is in its place
}

// end ends the signature of a build, whose release is in its place or not.
func (f *signFlags) end(placed bool) (err error) {
	if p := f.pending; p != nil {
		if placed {
			err = p.Placed()
		}
		if last := f.keys[max(len(f.keys)-1, 0):]; placed && f.announce && f.state == "" && !f.noState &&
			!strings.HasPrefix(last[0], "$") { // the key that signs from now on remembers the same
			err = errors.Join(err, durable.WriteFile(last[0]+".state", p.State, 0o600))
		}
		p.End()
	}
	f.pending = nil
	return err
}

func (f *signFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.keys, "key", nil, "file of the private key that signs (default the variable "+keyVariable+"); several while keys change")
	flags.StringVar(&f.state, "state", "", "file that remembers what was signed, against two histories, or none (default beside the key)")
	flags.StringVar(&f.rollback, "rollback-from", "", "ID of the newest release of the log, to go back behind it")
	flags.StringVar(&f.witness, "witness", "", "policy file that names witnesses to ask")
}

func signCommand() *cobra.Command {
	var f signFlags
	var quiet bool
	c := &cobra.Command{
		Use:   "sign release",
		Short: "Sign a release, so that anybody can prove that it is whole and yours",
		Long: `Sign adds a release to the log of all your releases and signs the log. Anyone with your public key
can check it offline: stele verify public --key KEY.

It refuses a release that would give the log a second history, or that was not built on the newest one
of the log, unless --rollback-from names that. docs/signing.md has how keys change.`,
		Example: `  stele sign public --key data.example.org.key
  stele sign public --key old.key --key new.key --announce`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			s, late, err := push.Sign(c.Context(), args[0], stateDir("push"), f.begin)
			if tellLate(c, late); err == nil && !quiet {
				tellSigned(c.OutOrStdout(), args[0], s)
			}
			return err
		},
	}
	f.add(c.Flags())
	c.Flags().BoolVar(&f.announce, "announce", false, "let a new key join the log")
	c.Flags().StringVar(&f.retire, "retire", "", "public key that may not sign any more: a file, or the line itself")
	quietFlag(c, &quiet)
	return c
}

func tellSigned(w io.Writer, where string, s *signing.Signature) {
	already := ""
	if s.Unchanged {
		already = " already"
	}
	fmt.Fprintf(w, "%s is signed%s: entry %d of %d in the log of %s.\n", where, already, s.Index+1, s.Size, s.Origin)
}

// begin signs a manifest. The signer's state is kept before any witness is asked.
func (f *signFlags) begin(ctx context.Context, log signing.Files, manifest []byte) (*signing.Pending, error) {
	opt := signing.SignOptions{Announce: f.announce, RollbackFrom: f.rollback}
	var m release.Manifest
	err := m.Decode(manifest)
	if err == nil {
		err = settings.RefuseExample(record.URL(m.BaseURL))
	}
	if err != nil {
		return nil, err
	}
	if opt.Keys, err = privateKeys(f.keys); err != nil {
		return nil, err
	}
	if f.retire != "" {
		if opt.Retire, err = signing.FileOrLine(f.retire); err != nil {
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
	return signing.Begin(ctx, log, manifest, state, opt)
}

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

// remind says that a release is not signed yet where the one before it is, or its pages name the
// keys that sign.
func (f *signFlags) remind(c *cobra.Command, folder fs.FS, output string, wasSigned bool) {
	if f.given() {
		return
	}
	if wasSigned {
		fmt.Fprintf(c.ErrOrStderr(), "stele: it is not signed, and the release before it is: whoever verifies with a key stays with that one. stele sign %s --key FILE\n", output)
		return
	}
	if s, _, err := input.ReadSettings(folder); err == nil && len(s.SigningKeys) > 0 {
		fmt.Fprintf(c.OutOrStdout(), "It is not signed yet, and its pages say who signs: stele sign %s --key FILE\n", output)
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
		if f.pending, err = f.begin(ctx, log, manifest); err != nil {
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
	return "", errors.New("say where the signer remembers what it signed: --state FILE, kept from one time to the next. " +
		"It prevents two histories; --state none does without")
}

func (f *signFlags) cosigner() (func(context.Context, *signing.Log, []byte) ([]byte, error), error) {
	if f.witness == "" {
		return nil, nil
	}
	text, err := signing.FileOrLine(f.witness)
	if err != nil {
		return nil, err
	}
	policy, err := signing.ParsePolicy(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.witness, err)
	}
	return policy.Cosign, nil
}
