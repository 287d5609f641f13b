package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/trust/signing"
)

func keyChangeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "change file [folder]",
		Short: "Publish with a new key, announced by the old one",
		Long: `Change replaces the signing key. It publishes the folder like stele publish: the log
announces the new key, both keys sign the release, and publish.key and signing_keys in stele.yaml
change after the release is published. The file is created if it does not exist. At a terminal it
asks before it publishes. After a failure, run it again.`,
		Example: "  stele key change ../2027.key",
		Args:    countArguments(1, 2),
		RunE:    changeKeys(func(f *publishFlags, key string) { f.newKey = key }),
	}
}

func keyRetireCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retire key [folder]",
		Short: "Publish that an old key can no longer sign",
		Long: `Retire publishes the folder like stele publish. The log says that the key can no longer sign,
and the key is removed from signing_keys in stele.yaml. Give the file with the public part, or the line.`,
		Example: "  stele key retire ../2026.key.pub",
		Args:    countArguments(1, 2),
		RunE:    changeKeys(func(f *publishFlags, key string) { f.sign.retire = key }),
	}
}

// changeKeys returns a command that publishes with a change of keys. set sets that change.
func changeKeys(set func(f *publishFlags, key string)) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		var f publishFlags
		f.newCommand() // sets the defaults
		f.yes = !isInteractive(c)
		set(&f, args[0])
		return withInterrupt(f.run)(c, args[1:])
	}
}

// rotation is a change of the signing keys, with the settings that result.
type rotation struct {
	root     string
	settings []amend.File // written after the release is published
}

// prepareRotation prepares a change of keys, and returns the folder with the future settings. The
// log announces the new key, and both keys sign this release.
func (f *publishFlags) prepareRotation(files fs.FS, prefix string) (fs.FS, error) {
	if f.newKey == "" && f.sign.retire == "" {
		return files, nil
	}
	if !f.sign.hasKey() {
		return nil, errors.New("publish.key is missing in stele.yaml: set it to the current key before you change keys")
	}
	s, _, err := input.ReadSettings(files)
	if err != nil {
		return nil, err
	}
	var set []amend.Setting
	keys := slices.Clone(s.SigningKeys)
	if f.newKey != "" {
		if err := f.addKey(&keys); err != nil {
			return nil, err
		}
		name := f.newKey
		if !strings.HasPrefix(name, "$") && !filepath.IsAbs(string(s.Publish.Key)) {
			if name, err = relativePath(prefix, name); err != nil {
				return nil, err
			}
		}
		set = append(set, amend.Setting{Path: "publish.key", Value: name})
	}
	if f.sign.retire != "" {
		gone, err := signing.ReadKeyOrPolicy(f.sign.retire)
		if err != nil {
			return nil, err
		}
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == strings.TrimSpace(gone) })
	}
	if !slices.Equal(keys, s.SigningKeys) {
		list, err := json.Marshal(keys)
		if err != nil {
			return nil, err
		}
		set = append(set, amend.Setting{Path: "signing_keys", Value: string(list), JSON: true, Unset: len(keys) == 0})
	}
	file, err := amend.Settings(files, set)
	if err != nil {
		return nil, err
	}
	f.rotation = rotation{prefix, []amend.File{file}}
	return amend.With(files, f.rotation.settings), nil
}

// addKey adds the new key to the signing keys, and creates the key if its file does not exist. It
// adds the public lines of both keys to keys.
func (f *publishFlags) addKey(keys *[]string) error {
	old, err := readPrivateKeys(f.sign.keys)
	if err != nil {
		return err
	}
	public, err := signing.PublicKey(old[0])
	if err != nil {
		return err
	}
	if !strings.HasPrefix(f.newKey, "$") {
		_, err := os.Lstat(f.newKey)
		if errors.Is(err, fs.ErrNotExist) {
			name, _, _ := strings.Cut(public, "+")
			_, err = createKey(name, f.newKey)
		}
		if err != nil {
			return err
		}
	}
	f.sign.keys = append(f.sign.keys, f.newKey)
	f.sign.announce = true
	private, err := readPrivateKeys(f.sign.keys)
	if err != nil {
		return err
	}
	if private[0] == private[1] {
		return fmt.Errorf("%s is already the signing key", f.newKey)
	}
	for _, p := range private {
		if public, err = signing.PublicKey(p); err != nil {
			return err
		}
		if !slices.Contains(*keys, public) {
			*keys = append(*keys, public)
		}
	}
	return nil
}

// changesKeys reports whether this publication changes which keys sign.
func (f *publishFlags) changesKeys() bool { return len(f.rotation.settings) > 0 }

// writeSettings writes the changed settings.
func (r rotation) writeSettings() error {
	if len(r.settings) == 0 {
		return nil
	}
	if err := amend.Write(r.root, r.settings); err != nil {
		return fmt.Errorf("the release is published, but %s does not name the current keys. Run this command again: %w", input.SettingsFile, err)
	}
	return nil
}

// relativePath returns the path of file relative to folder, with slashes.
func relativePath(folder, file string) (string, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	path, err := filepath.Rel(from, to)
	return filepath.ToSlash(path), err
}
