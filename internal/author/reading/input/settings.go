package input

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/sheet/areas"
)

// WatchedPaths returns the relevant files and folders of a records folder: the settings, the
// records, the texts of sources, and files named in the settings.
func WatchedPaths(fsys fs.FS) []string {
	names := []string{SettingsFile, RedactionsFile, "records", TextsFolder}
	s, _, err := ReadSettings(fsys)
	files := []string{s.Logo, s.Style}
	for _, scheme := range s.Areas {
		files = append(files, scheme.Codes, scheme.Changes)
	}
	for _, name := range files {
		if err == nil && name != "" && fs.ValidPath(name) {
			names = append(names, name)
		}
	}
	return names
}

// FolderDigest returns a digest of the names, sizes and times of a folder's files. Equal digests
// mean that the folder did not change.
func FolderDigest(fsys fs.FS) string {
	h := sha256.New()
	for _, name := range WatchedPaths(fsys) {
		fs.WalkDir(fsys, name, func(at string, d fs.DirEntry, err error) error { // files may be missing
			if err != nil || d.IsDir() {
				return nil
			}
			if info, err := d.Info(); err == nil {
				fmt.Fprintln(h, at, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return string(h.Sum(nil))
}

// ReadSettings reads stele.yaml. If it is missing, the error is fs.ErrNotExist.
func ReadSettings(fsys fs.FS) (settings.Settings, []schema.Problem, error) {
	var s settings.Settings
	if _, err := fs.Stat(fsys, SettingsFile); isNotExist(err) {
		return s, nil, err
	}
	var problems []schema.Problem
	found := false
	problem := readDocuments(fsys, SettingsFile, func(n *yaml.Node) *schema.Problem {
		if found {
			return newProblem(codes.Malformed, SettingsFile, schema.Pos{Line: int32(n.Line)}, "stele.yaml must contain one document, but another begins here", "delete the line ---")
		}
		found = true
		w := newYAMLWriter(SettingsFile)
		if problem := w.addNode(n); problem != nil {
			return problem
		}
		c := &settingsCheck{&s, w.to, schema.DecodeInto(w.to, &s)}
		c.checkLook(fsys)
		c.checkAcceptances()
		c.checkReviews()
		c.checkAxes()
		c.checkHome()
		c.checkCalendar()
		c.checkLanguage()
		c.checkKeys()
		c.checkAddress()
		c.checkZone()
		c.checkAreaSchemes()
		c.checkTexts(w.cut)
		problems = c.problems
		return nil
	})
	if problem != nil {
		problems = append(problems, *problem)
	}
	if !found && problem == nil {
		problems = append(problems, *newProblem(codes.WrongValue, SettingsFile, schema.Pos{Line: 1}, "the settings are empty", "write at least title, publisher, license, contact, language and notice"))
	}
	return s, problems, nil
}

// FolderAreas reads the area schemes that the settings of a folder name. A folder without settings
// has none.
func FolderAreas(fsys fs.FS) ([]*areas.Scheme, error) {
	s, _, err := ReadSettings(fsys)
	if isNotExist(err) {
		return nil, nil
	}
	schemes, problems := ReadAreas(fsys, s.Areas, io.Discard)
	if err == nil && len(problems) > 0 {
		p := problems[0]
		err = fmt.Errorf("%s:%d: %s; run `stele check` and correct the table of areas first", p.File, p.Line, p.Message)
	}
	return schemes, err
}

// ParseSettings parses the text of stele.yaml to a tree with positions.
func ParseSettings(data []byte) (tree *schema.Tree, problem *schema.Problem) {
	problem = eachDocument(SettingsFile, data, func(n *yaml.Node) *schema.Problem {
		w := newYAMLWriter(SettingsFile)
		tree = w.to
		return w.addNode(n)
	})
	return tree, problem
}

// FindRoot returns the records folder that is dir or contains dir: the nearest one with a
// stele.yaml. If there is none, the error is fs.ErrNotExist.
func FindRoot(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is a file, not a folder", dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for root := dir; ; root = filepath.Join(root, "..") {
		if _, err := os.Stat(filepath.Join(root, SettingsFile)); err == nil {
			return filepath.Clean(root), nil
		}
		if parent := filepath.Dir(abs); parent == abs {
			return "", fmt.Errorf("no %s in %s or its parents: %w", SettingsFile, dir, fs.ErrNotExist)
		}
		abs = filepath.Dir(abs)
	}
}
