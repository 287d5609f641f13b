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
		Short: "Publish with a new key, which the old one announces",
		Long: `Change lets another key sign from now on. It publishes the folder as stele publish does: the log
announces the new key, both keys sign the release, and publish.key and signing_keys in stele.yaml
change when the release is in its place. The file is created if it does not exist. At a terminal it
asks before it publishes. After a failure, run it again.`,
		Example: "  stele key change ../2027.key",
		Args:    arguments(1, 2),
		RunE:    changeKeys(func(f *publishFlags, key string) { f.newKey = key }),
	}
}

func keyRetireCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "retire key [folder]",
		Short: "Publish that an old key may not sign any more",
		Long: `Retire publishes the folder as stele publish does. The log says that the key may not sign any more,
and signing_keys in stele.yaml loses it. The key is a file with the public part, or the line itself.`,
		Example: "  stele key retire ../2026.key.pub",
		Args:    arguments(1, 2),
		RunE:    changeKeys(func(f *publishFlags, key string) { f.sign.retire = key }),
	}
}

// changeKeys publishes with a change of keys.
func changeKeys(set func(f *publishFlags, key string)) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		var f publishFlags
		f.define() // has the defaults
		f.yes = !isAnswered(c)
		set(&f, args[0])
		return interruptible(f.run)(c, args[1:])
	}
}

// rotation is a change of the keys that sign: the settings that follow from it.
type rotation struct {
	root     string
	settings []amend.File // to be written once the release is in its places
}

// rotate prepares a change of keys, and returns the folder with the settings as they will be. The
// log announces the new key, and both keys sign this release.
func (f *publishFlags) rotate(files fs.FS, prefix string) (fs.FS, error) {
	if f.newKey == "" && f.sign.retire == "" {
		return files, nil
	}
	if !f.sign.given() {
		return nil, errors.New("keys change where one signs: name it as publish.key in stele.yaml")
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
			if name, err = relativeTo(prefix, name); err != nil {
				return nil, err
			}
		}
		set = append(set, amend.Setting{Path: "publish.key", Value: name})
	}
	if f.sign.retire != "" {
		gone, err := signing.FileOrLine(f.sign.retire)
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

// addKey lets the new key sign too, and creates it if its file does not exist yet. keys get the
// public lines of both.
func (f *publishFlags) addKey(keys *[]string) error {
	old, err := privateKeys(f.sign.keys)
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
	private, err := privateKeys(f.sign.keys)
	if err != nil {
		return err
	}
	if private[0] == private[1] {
		return fmt.Errorf("%s is the key that signs already", f.newKey)
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

// end writes the settings after the change.
func (r rotation) end() error {
	if len(r.settings) == 0 {
		return nil
	}
	if err := amend.Write(r.root, r.settings); err != nil {
		return fmt.Errorf("the release is published, and %s does not name the keys as they are now. Run this again: %w", input.SettingsFile, err)
	}
	return nil
}

// relativeTo returns the path of a file from a folder, with slashes.
func relativeTo(folder, file string) (string, error) {
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
