package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/internal/author/editing/starter"
	"stele/internal/author/judging/explain"
	"stele/internal/base/schema/codes"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// TestCheckFindsWhatBuildFinds runs the bad example of each code through both commands.
func TestCheckFindsWhatBuildFinds(t *testing.T) {
	if testing.Short() {
		t.Skip("makes releases")
	}
	files := must.Get(starter.Files())(t)
	found := 0
	for i, info := range codes.Table {
		if strings.HasPrefix(string(info.Code), "OUT") || race.Enabled && i%10 != 0 {
			continue
		}
		e := must.Get(explain.Find(info.Code))(t)
		t.Run(string(info.Code), func(t *testing.T) {
			dir := memoryDir(t)
			folder := filepath.Join(dir, "folder")
			writeFolder(t, folder, specimen.FolderWith(files, info.Code, e.Bad))
			const date = "--date=2026-02-01"
			checked := findings(t, "check", "--strict", "--first", date, folder)
			built := findings(t, "build", "--strict", "--first", "--without=derived", "--without=variants", date,
				"-o", filepath.Join(dir, "release"), folder)
			if checked != built {
				t.Errorf("check finds\n%s\nand build finds\n%s", checked, built)
			}
			if checked != "" {
				found++
			}
		})
	}
	if found < 10 {
		t.Errorf("only %d examples have findings", found)
	}
}

// findings runs a command and returns what it reports, or "" where nothing is wrong.
func findings(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	c := newRoot()
	c.SetOut(&out)
	c.SetErr(new(bytes.Buffer))
	c.SetArgs(args)
	switch err := c.Execute(); {
	case err == nil:
		return ""
	case !errors.Is(err, errFound):
		return err.Error()
	}
	return regexp.MustCompile(` \([0-9.]+ m?s\)`).ReplaceAllString(out.String(), "")
}

// writeFolder writes a folder to disk, with the links in it.
func writeFolder(t *testing.T, dir string, files fs.FS) {
	t.Helper()
	must.Do(t, fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := fs.ReadLink(files, path)
			if err != nil {
				return err
			}
			return os.Symlink(target, at)
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return os.WriteFile(at, data, 0o644)
	}))
}
