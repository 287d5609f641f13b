// Package starter creates the first files of a publisher: a folder of small examples, templates for
// new records, and the schemas with which editors complete and check YAML. It never overwrites
// files.
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

// SchemaDir is the folder with the schemas for editors.
const SchemaDir = ".stele"

// Files returns the files of the starter folder by path, including schemas.
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

// Schemas returns the schemas for editors by path.
func Schemas() map[string][]byte { return maps.Clone(schemas()) }

var schemas = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{
		SchemaDir + "/settings.json": schema.JSONSchema(schema.ShapeOf[settings.Settings](), "Settings",
			"Settings of the publisher: "+input.SettingsFile+"."),
	}
	for _, k := range record.Kinds {
		all[SchemaDir+"/"+k.Name+".json"] = k.Schema(schema.Authored)
		all[SchemaDir+"/"+k.Name+"-defaults.json"] = k.Schema(schema.Defaults)
	}
	return all
})

// CheckNewFolder returns an error if dir is inside a records folder, or contains more files than a
// new repository has.
func CheckNewFolder(dir string, named bool) error {
	around, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for around = filepath.Dir(around); ; around = filepath.Dir(around) {
		if _, err := os.Stat(filepath.Join(around, input.SettingsFile)); err == nil {
			return fmt.Errorf("%s is inside the records folder %s: choose another folder, or add a record with stele new", dir, around)
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
			return fmt.Errorf("this folder is not empty: it contains %s. Name a new folder, as in stele init measles", e.Name())
		}
	}
	return err
}

// Init creates a starter folder with the address of the example, which must be replaced before
// publishing. If any of its files exists, it writes nothing.
func Init(dir string) error { return create(dir, func(line string) string { return line }, true) }

// InitAt creates a starter folder that is published at address, which is "" if unknown.
func InitAt(dir, address string) error {
	if u := record.URL(address); address != "" && (!u.Valid() || settings.IsExample(u)) {
		return fmt.Errorf("malformed address %q: use one such as https://records.your-domain.org", address)
	}
	return create(dir, func(line string) string { return addressLine(line, address) }, true)
}

// create creates a folder in dir. line changes each line of its settings.
func create(dir string, line func(string) string, examples bool) error {
	all, err := Files()
	if err != nil {
		return err
	}
	all[input.SettingsFile] = replaceLines(all[input.SettingsFile], line)
	maps.DeleteFunc(all, func(path string, _ []byte) bool { return !examples && strings.HasPrefix(path, "records/") })
	return writeAll(dir, all)
}

func replaceLines(text []byte, by func(string) string) (all []byte) {
	for line := range strings.Lines(string(text)) {
		all = append(all, by(line)...)
	}
	return all
}

// addressLine returns line with the address if line contains base_url.
func addressLine(line, address string) string {
	switch {
	case !strings.HasPrefix(line, "base_url:"):
		return line
	case address == "":
		return "# base_url is not known yet. stele check lists the files that releases omit without it.\n# " + line
	}
	return "base_url: " + string(jsonline.AppendText(nil, address)) + "\n"
}

func writeAll(dir string, all map[string][]byte) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, not a folder", dir)
	}
	paths := slices.Sorted(maps.Keys(all))
	for _, p := range paths {
		if _, err := os.Lstat(filepath.Join(dir, p)); err == nil {
			return fmt.Errorf("%s already exists, so nothing was written", filepath.Join(dir, p))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, p := range paths {
		if err := createFile(filepath.Join(dir, p), all[p]); err != nil {
			return err
		}
	}
	return nil
}

// Beginning has the settings of a new folder.
type Beginning struct {
	Title, Publisher, License, Language, Contact string
	// Address is the address of the releases; "" if that is not known yet.
	Address  string
	Examples bool // start with an example of each kind
}

// Begin creates a folder that publishes to a folder in it.
func Begin(dir string, b Beginning) error { return create(dir, b.fillLine, b.Examples) }

// Problem returns the first problem of the settings, with its remedy, or "".
func (b *Beginning) Problem() string {
	text, err := files.ReadFile("files/" + input.SettingsFile)
	if err != nil {
		return err.Error()
	}
	asked := []amend.File{{Path: input.SettingsFile, New: replaceLines(text, b.fillLine)}}
	_, problems, err := input.ReadSettings(amend.With(files, asked))
	if err != nil {
		return err.Error()
	}
	for _, p := range problems {
		return strings.TrimSuffix(p.Message+"; "+p.Fix, "; ")
	}
	return ""
}

// fillLine returns a line of the starter's settings with the value that b has for it.
func (b *Beginning) fillLine(line string) string {
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
	return addressLine(line, b.Address)
}

// WriteSchemas writes the current schemas for editors into the records folder dir.
func WriteSchemas(dir string) error {
	err := os.MkdirAll(filepath.Join(dir, SchemaDir), 0o755)
	for p, data := range Schemas() {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, p), data, 0o644)
		}
	}
	return err
}

// createFile writes a file that must not exist yet.
func createFile(path string, data []byte) error {
	err := durable.MkdirAll(filepath.Dir(path))
	if err == nil {
		err = durable.WriteNew(path, data, 0o644)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists and was not changed", path)
	}
	return err
}
