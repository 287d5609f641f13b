package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/reading/input"
	"stele/internal/disk/durable"
	"stele/internal/trust/signing"
)

// keyVariable is the environment variable that can contain a private key, for machines without a
// key file.
const keyVariable = "STELE_KEY"

func keyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "key",
		Short: "Create or show the key that signs releases, or create a secret",
		Long: `Key creates or shows the key that signs releases: a private part, which only the publisher has, and a
public line for everyone else. See docs/signing.md.`,
		Example: "  stele key new data.example.org\n  stele key show data.example.org.key",
		Args:    countArguments(0, 0),
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(keyNewCommand(), keyChangeCommand(), keyRetireCommand(), keyShowCommand(), keySecretCommand())
	return c
}

func keyNewCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "new name",
		Short: "Create a new key",
		Long: `New creates a key. It writes the private part to a file that only you can read, and the public part to a second file with the suffix .pub.
The name is that of the log of your releases: use the address of your service without https://, such as data.example.org. It stays the same
when keys change.

Keep the private key where you sign releases, and a copy in a safe place. Anyone who has it can sign in your name. Publish the public
key where people can find it without the service: in a paper, in a repository, in print.`,
		Example: "  stele key new data.example.org\n  stele key new data.example.org -o keys/2027.key",
		Args:    countArguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if output == "" {
				output = strings.ReplaceAll(args[0], "/", "-") + ".key"
			}
			public, err := createKey(args[0], output)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s\nThe private key is in %s: keep it secret, and keep a copy. The line above is the public key, also in %s.pub.\n"+
				"Add it to signing_keys in stele.yaml, so that your pages name it, and publish it in a second place too.\n",
				public, output, output)
			return nil
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "file for the private key (default NAME.key)")
	return c
}

// createKey writes a new private key to the file output, and its public part to output.pub.
func createKey(name, output string) (public string, err error) {
	if err := checkOutsideRecords(output); err != nil {
		return "", err
	}
	private, public, err := signing.NewKey(name)
	if err != nil {
		return "", err
	}
	if err := writeNewFile(output, private+"\n", 0o600); err != nil {
		return "", err
	}
	if err := writeNewFile(output+".pub", public+"\n", 0o644); err != nil {
		return "", errors.Join(err, os.Remove(output))
	}
	return public, nil
}

// checkOutsideRecords returns an error if path is in a records folder, where a private key might be
// published or committed.
func checkOutsideRecords(path string) error {
	root, err := input.FindRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	beside, err := filepath.Abs(filepath.Join(root, "..", filepath.Base(path)))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s would be inside the records folder %s, from which files are published: write the private key elsewhere, such as with -o %s", path, root, beside)
}

// writeNewFile writes text to the file path, or fails if the file exists.
func writeNewFile(path, text string, mode fs.FileMode) error {
	err := durable.WriteNew(path, []byte(text), mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists and was not changed: choose another name with -o", path)
	}
	return err
}

func keySecretCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "secret file",
		Short: "Create the secret that salts digests",
		Long: `Secret writes a new secret to a file that only you can read: stele build --secret FILE. With this secret,
digests in releases are salted, so that nobody can use them to guess content that you redact later.`,
		Example: "  stele key secret data.example.org.secret",
		Args:    countArguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutsideRecords(args[0]); err != nil {
				return err
			}
			err := writeNewSecret(args[0])
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s already exists and was not changed", args[0])
			}
			return err
		},
	}
}

// writeNewSecret writes a new secret to the file path, or fails if the file exists.
func writeNewSecret(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return durable.WriteNew(path, []byte(rand.Text()+rand.Text()+"\n"), 0o600)
}

func readSecret(path string) ([]byte, error) {
	text, err := signing.ReadPrivateKey(path)
	if err != nil {
		return nil, fmt.Errorf("the secret: %w", err)
	}
	const shortest = 32
	secret := []byte(strings.TrimSpace(text))
	if len(secret) < shortest {
		return nil, fmt.Errorf("the secret in %s has %d characters; it needs at least %d. `stele key secret FILE` creates one", path, len(secret), shortest)
	}
	return secret, nil
}

func keyShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show file",
		Short:   "Show the public part of a private key",
		Example: "  stele key show data.example.org.key",
		Args:    countArguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			private, err := signing.ReadPrivateKey(args[0])
			if err != nil {
				return err
			}
			public, err := signing.PublicKey(private)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			fmt.Fprintln(c.OutOrStdout(), public)
			return nil
		},
	}
}

// readPrivateKeys reads the given keys, or the key in the environment.
func readPrivateKeys(paths []string) ([]string, error) {
	if len(paths) == 0 {
		if key := os.Getenv(keyVariable); key != "" {
			return []string{key}, nil
		}
		return nil, fmt.Errorf("--key is required: --key FILE, or the environment variable %s. `stele key new` creates a key", keyVariable)
	}
	var keys []string
	for _, path := range paths {
		key, err := os.Getenv(strings.TrimPrefix(path, "$")), error(nil)
		if !strings.HasPrefix(path, "$") {
			key, err = signing.ReadPrivateKey(path)
		} else if key == "" {
			err = fmt.Errorf("the environment variable %s is empty: set it to a private key", path[1:])
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}
