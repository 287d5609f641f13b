package projecttest

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"stele/internal/testkit/race"
)

const (
	proseWidth = 100 // of comments, and of prose in Markdown
	codeWidth  = 120 // of code, not counting the text inside string literals
)

// generated pages are as wide as what they are made from.
var generated = []string{"docs/kinds.md", "docs/codes.md", "docs/commands.md", "clients/typescript/records.d.mts"}

// TestWidths: no line is longer than it may be. A tab counts as four columns.
func TestWidths(t *testing.T) {
	race.LeaveOut(t, "one goroutine reads files")
	for ext, check := range map[string]func([]byte, func(line, width, most int)){
		".go": goWidths, ".md": markdownWidths, ".js": plainWidths, ".ts": plainWidths, ".css": plainWidths,
	} {
		for path, data := range filesNamed(t, ext) {
			if slices.Contains(generated, filepath.ToSlash(path)) {
				continue
			}
			check(data, func(line, width, most int) {
				t.Errorf("%s:%d: %d columns; %d are the most", path, line, width, most)
			})
		}
	}
}

// filesNamed are the files of the project whose names end so, which must be some.
func filesNamed(t *testing.T, ext string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(notOurs, name) || len(name) > 1 && name[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ext:
			return nil
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files end in %s: %v", len(files), ext, err)
	}
	return files
}

// notOurs are folders whose files nobody writes by hand here.
var notOurs = []string{"testdata", "vendor", "node_modules"}

// columns is how wide a line is.
func columns(line []byte) int { return utf8.RuneCount(line) + 3*bytes.Count(line, []byte{'\t'}) }

// breakable reports whether a line of prose has a place to break it at: an address has none.
func breakable(line []byte) bool {
	words := bytes.Fields(line)
	return len(words) > 2 || len(words) == 2 && utf8.RuneCount(words[0]) > 4 // not // and - and [1]:
}

// goWidths reports the lines of a Go file that are too long.
func goWidths(data []byte, tell func(line, width, most int)) {
	lines := bytes.Split(data, []byte{'\n'})
	comment := make([]bool, len(lines)) // lines that have nothing but a comment
	text := make([]int, len(lines))     // columns inside string literals
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	for pos, tok, lit := s.Scan(); tok != token.EOF; pos, tok, lit = s.Scan() {
		at := file.Position(pos)
		for i, part := range strings.Split(lit, "\n") {
			line := at.Line - 1 + i
			switch tok {
			case token.COMMENT:
				comment[line] = i > 0 || len(bytes.TrimSpace(lines[line][:at.Column-1])) == 0
			case token.STRING:
				text[line] += columns([]byte(part))
			}
		}
	}
	for i, line := range lines {
		width, most := columns(line)-text[i], codeWidth
		if comment[i] {
			if most = proseWidth; bytes.HasPrefix(line, []byte("//go:")) || !breakable(line) {
				continue
			}
		}
		if width > most {
			tell(i+1, width, most)
		}
	}
}

// plainWidths reports the lines of a script or a style sheet that are too long, with comments.
func plainWidths(data []byte, tell func(line, width, most int)) {
	for i, line := range bytes.Split(data, []byte{'\n'}) {
		if width := columns(line); width > codeWidth {
			tell(i+1, width, codeWidth)
		}
	}
}

// markdownWidths reports the lines of prose that are too long. Tables and code are none.
func markdownWidths(data []byte, tell func(line, width, most int)) {
	fenced := false
	for i, line := range bytes.Split(data, []byte{'\n'}) {
		trimmed := bytes.TrimSpace(line)
		if bytes.HasPrefix(trimmed, []byte("```")) {
			fenced = !fenced
		}
		if fenced || bytes.HasPrefix(trimmed, []byte{'|'}) || bytes.HasPrefix(line, []byte("    ")) || !breakable(line) {
			continue
		}
		if width := columns(line); width > proseWidth {
			tell(i+1, width, proseWidth)
		}
	}
}
