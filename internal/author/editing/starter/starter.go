// Package starter makes what a publisher begins with: a folder of small examples, templates for new
// records, and the schemas by which editors complete and check YAML. It never overwrites anything.
package starter

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/disk/durable"
	"stele/record"
)

//go:embed all:files
var files embed.FS

// SchemaDir is where a folder keeps the schemas for editors.
const SchemaDir = ".stele"

// Files returns the starter folder's files by path, schemas included.
func Files() (map[string][]byte, error) {
	all := Schemas()
	err := fs.WalkDir(files, "files", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[strings.TrimPrefix(path, "files/")], err = files.ReadFile(path)
		return err
	})
	return all, err
}

// Schemas returns the schemas for editors, by path.
func Schemas() map[string][]byte { return maps.Clone(schemas()) }

var schemas = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{
		SchemaDir + "/settings.json": schema.JSONSchema(schema.ShapeOf[settings.Settings](), "Settings",
			"What concerns the publisher and not a record: "+input.SettingsFile+"."),
	}
	for _, k := range record.Kinds {
		all[SchemaDir+"/"+k.Name+".json"] = k.Schema(schema.Authored)
		all[SchemaDir+"/"+k.Name+"-defaults.json"] = k.Schema(schema.Defaults)
	}
	return all
})

// BeginsAlone refuses a place inside a folder of records, and the folder where one stands if it has
// more than what a repository begins with.
func BeginsAlone(dir string, named bool) error {
	around, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for around = filepath.Dir(around); ; around = filepath.Dir(around) {
		if _, err := os.Stat(filepath.Join(around, input.SettingsFile)); err == nil {
			return fmt.Errorf("%s would lie inside a folder of records, %s: go elsewhere, or begin a record with stele new", dir, around)
		}
		if around == filepath.Dir(around) {
			break
		}
	}
	if named {
		return nil
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "readme") && !strings.HasPrefix(name, "license") {
			return fmt.Errorf("there is something in this folder already, such as %s: name a new one, as in stele init measles", e.Name())
		}
	}
	return err
}

// Init makes a starter folder with the address of the example, which has to be replaced before
// anything is published. If any of its files is there already, it writes nothing.
func Init(dir string) error {
	all, err := Files()
	if err != nil {
		return err
	}
	return initAll(dir, all)
}

// InitAt makes a starter folder that is published at an address; "" if that is not known yet.
func InitAt(dir, address string) error {
	if u := record.URL(address); address != "" && (!u.Valid() || settings.IsExample(u)) {
		return fmt.Errorf("%q is not the address of a service: write one such as https://records.your-domain.org", address)
	}
	all, err := Files()
	if err != nil {
		return err
	}
	var text strings.Builder
	for line := range strings.Lines(string(all[input.SettingsFile])) {
		text.WriteString(addressLine(line, address))
	}
	all[input.SettingsFile] = []byte(text.String())
	return initAll(dir, all)
}

// addressLine returns a line of the starter's settings, with the address in it if it is that line.
func addressLine(line, address string) string {
	switch {
	case !strings.HasPrefix(line, "base_url:"):
		return line
	case address == "":
		return "# Not known yet: releases leave out what needs it, as stele check says.\n# " + line
	}
	return "base_url: " + string(jsonline.AppendText(nil, address)) + "\n"
}

func initAll(dir string, all map[string][]byte) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, not a folder", dir)
	}
	paths := slices.Sorted(maps.Keys(all))
	for _, p := range paths {
		if _, err := os.Lstat(filepath.Join(dir, p)); err == nil {
			return fmt.Errorf("%s is there already, so nothing was written", filepath.Join(dir, p))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, p := range paths {
		if err := create(filepath.Join(dir, p), all[p]); err != nil {
			return err
		}
	}
	return nil
}

// Beginning is what a new folder is asked for.
type Beginning struct {
	Title, Publisher, License, Language, Contact string
	// Address is where readers will find the releases; "" if that is not known yet.
	Address  string
	Examples bool // whether it begins with an example of each kind
}

// Begin makes a folder of one's own, which publishes to a folder in it.
func Begin(dir string, b Beginning) error {
	all, err := Files()
	if err != nil {
		return err
	}
	all[input.SettingsFile] = b.settings(all[input.SettingsFile])
	maps.DeleteFunc(all, func(path string, _ []byte) bool { return !b.Examples && strings.HasPrefix(path, "records/") })
	return initAll(dir, all)
}

// Problem is what is wrong with the answers; "" for nothing.
func (b *Beginning) Problem() string {
	text, err := files.ReadFile("files/" + input.SettingsFile)
	if err != nil {
		return err.Error()
	}
	asked := []amend.File{{Path: input.SettingsFile, New: b.settings(text)}}
	_, problems, err := input.ReadSettings(amend.With(files, asked))
	if err != nil {
		return err.Error()
	}
	for _, p := range problems {
		return strings.TrimSuffix(p.Message+"; "+p.Fix, "; ")
	}
	return ""
}

// settings are those of the starter with the answers in them.
func (b *Beginning) settings(text []byte) []byte {
	var all []byte
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, ":")
		value := map[string]string{
			"title": b.Title, "publisher": b.Publisher, "license": b.License, "language": b.Language,
			"contact": b.Contact,
			"notice":  "No availability, uptime, schema stability or service level is promised.",
		}[name]
		switch {
		case value != "":
			line = name + ": " + string(jsonline.AppendText(nil, value)) + "\n"
		case name == "description":
			line = "# " + line
		case name == "# publish" || name == "#   folder":
			line = line[len("# "):]
		}
		all = append(all, addressLine(line, b.Address)...)
	}
	return all
}

// WriteSchemas writes the schemas for editors anew.
func WriteSchemas(dir string) error {
	for p, data := range Schemas() {
		p = filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// create writes a file that was not there.
func create(path string, data []byte) error {
	if err := durable.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	err := durable.WriteNew(path, data, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and is left as it is", path)
	}
	return err
}
