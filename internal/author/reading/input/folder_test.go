package input_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/testkit/must"
)

// folder makes a folder from paths below records/ and contents.
func folder(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, content := range files {
		m["records/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

func TestWhereFilesMayStand(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"nothing at all", nil, []string{"records: warning FIL08: no records found; create one"}},
		{"only a note", map[string]string{"README.md": "x"}, []string{"records: warning FIL08: no records found"}},
		{"empty kind folder with a note", map[string]string{"signals/README.md": "x"}, []string{"records: warning FIL08: no records found"}},
		{"unknown kind", map[string]string{"recipes/a.yaml": "id: a"}, []string{"records/recipes: error FIL06: unknown folder: it does not belong to a kind; the folders are signals, evidence,"}},
		{"misspelt kind", map[string]string{"signal/a.yaml": "id: a"}, []string{"records/signal: error FIL06: unknown folder: it does not belong to a kind; rename it to signals"}},
		{"name of the kind", map[string]string{"proof_claim/a.yaml": "id: a"}, []string{"records/proof_claim: error FIL06: unknown folder: it does not belong to a kind; rename it to proof"}},
		{"capitals", map[string]string{"Signals/a.yaml": "id: a"}, []string{"records/Signals: error FIL06: unknown folder: it does not belong to a kind; rename it to signals"}},
		{"file directly in records", map[string]string{"a.yaml": "id: a"}, []string{"records/a.yaml: error FIL06: this file is not in the folder of a kind; move it"}},
		{"file with the name of a folder", map[string]string{"signals": "id: a"}, []string{"records/signals: error FIL06: this file is not in the folder of a kind"}},
		{"unknown ending", map[string]string{"signals/a.toml": "x"}, []string{"records/signals/a.toml: error FIL06: files that end in .toml were not read; use .yaml, .json"}},
		{"spreadsheet", map[string]string{"signals/a.XLSX": "x"}, []string{"records/signals/a.XLSX: error FIL06: files that end in .XLSX were not read; save the sheet as CSV"}},
		{"no ending", map[string]string{"signals/a": "x"}, []string{"records/signals/a: error FIL06: files that end in nothing were not read"}},
		{"misspelt defaults", map[string]string{"signals/_default.yaml": "version: 1"}, []string{"records/signals/_default.yaml: error FIL06: files with this name cannot contain records; rename it to _defaults.yaml"}},
		{"empty file", map[string]string{"signals/a.yaml": "", "signals/b.csv": ""}, []string{"records/signals/a.yaml: warning FIL08: the file is empty", "records/signals/b.csv: warning FIL08: the file is empty"}},
		{"hidden files", map[string]string{"signals/.a.yaml": "id: a", "signals/.git/b.yaml": "id: b", ".x/c.yaml": "id: c", "signals/d.yaml": "id: d"}, []string{"{id:d}"}},
		{"endings in capitals", map[string]string{"signals/a.YAML": "id: a", "signals/b.Yml": "id: b", "signals/c.JSON": `{"id":1}`}, []string{"{id:a}", "{id:b}", "{id:1}"}},
		{"folder that looks like a file", map[string]string{"signals/a.yaml/b.yaml": "id: b"}, []string{"{id:b}"}},
		{"folder in place of defaults", map[string]string{"signals/_defaults.yaml/b.yaml": "id: b", "signals/c.yaml": "id: c"}, []string{"records/signals/_defaults.yaml: error FIL01: this is a folder, or a link to one, where a file is expected", "{id:c}"}},
		{"same ID in different case", map[string]string{"signals/a.yaml": "id: same", "signals/b.yaml": "id: SAME"}, []string{"{id:same}", "{id:SAME}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, i := range read(folder(c.files), 1) {
				for _, p := range i.problems {
					got = append(got, p.String())
				}
				if i.record != "" {
					got = append(got, i.record)
				}
			}
			expectLines(t, got, c.want)
		})
	}
}

func TestRecordsIsAFile(t *testing.T) {
	items := read(fstest.MapFS{"records": {Data: []byte("x")}}, 1)
	expectLines(t, lines(items), []string{"records: error FIL01: the folder cannot be read: "})
}

// brokenFS is a folder in which some files cannot be opened, and some cannot be read to the end.
type brokenFS struct {
	fs.FS
	open, read string // how the names of such files begin
}

var errBroken = errors.New("the disk is broken")

func (b brokenFS) Open(name string) (fs.File, error) {
	if b.open != "" && strings.HasPrefix(filepath.Base(name), b.open) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	f, err := b.FS.Open(name)
	if err == nil && b.read != "" && strings.HasPrefix(filepath.Base(name), b.read) {
		return brokenFile{f}, nil
	}
	return f, err
}

func (b brokenFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(b.FS, name) }

// brokenFile fails after the first bytes.
type brokenFile struct{ fs.File }

func (b brokenFile) Read(p []byte) (int, error) {
	if n, err := b.File.Read(p); err == nil {
		return n, nil
	}
	return 0, errBroken
}

func TestFilesThatCannotBeRead(t *testing.T) {
	files := map[string]string{"decision-views/good.yaml": "id: good"}
	for name, content := range good {
		files["signals/"+name] = content
	}
	t.Run("opened", func(t *testing.T) {
		expectLines(t, lines(read(brokenFS{FS: folder(files), open: "a."}, 2)), []string{
			"a.csv: error FIL01: the file cannot be read: permission denied; allow reading it",
			"a.json: error FIL01: the file cannot be read: permission denied",
			"a.ndjson: error FIL01: the file cannot be read: permission denied",
			"a.yaml: error FIL01: the file cannot be read: permission denied",
			"{id:good}",
		})
	})
	// What was read before the disk broke is passed on where files are streamed.
	t.Run("read to the end", func(t *testing.T) {
		expectLines(t, lines(read(brokenFS{FS: folder(files), read: "a."}, 2)), []string{
			"a.csv: error FIL01: the file cannot be read: the disk is broken",
			goodRecords["a.csv"][0], goodRecords["a.csv"][1],
			"a.json: error FIL01: the file cannot be read: the disk is broken",
			goodRecords["a.ndjson"][0], goodRecords["a.ndjson"][1],
			"a.ndjson: error FIL01: the file cannot be read: the disk is broken",
			"a.yaml: error FIL01: the file cannot be read: the disk is broken",
			"{id:good}",
		})
	})
}

func TestFolderThatCannotBeRead(t *testing.T) {
	fsys := brokenFS{FS: folder(map[string]string{"signals/x/a.yaml": "id: a", "signals/b.yaml": "id: b"}), open: "x"}
	expectLines(t, lines(read(fsys, 1)), []string{"x: error FIL01: the folder cannot be read: permission denied", "{id:b}"})
}

// shuffledFS lists folders in no order, as fs.ReadDirFS allows nobody to do and somebody will.
type shuffledFS struct{ fstest.MapFS }

func (s shuffledFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := s.MapFS.ReadDir(name)
	rand.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	return entries, err
}

func TestOrderOfFiles(t *testing.T) {
	files := map[string]string{
		"entities/z.yaml": "id: entity", "signals/b/a.yaml": "id: b-a", "signals/b.yaml": "id: b", "signals/a.csv": "id\na1\na2\n",
		"decision-views/a.yaml": "id: view", "evidence/10.yaml": "id: ten", "evidence/9.yaml": "id: nine",
	}
	want := []string{"{id:entity}", "{id:<a1>}", "{id:<a2>}", "{id:b-a}", "{id:b}", "{id:ten}", "{id:nine}", "{id:view}"}
	for range 20 {
		expectLines(t, lines(read(shuffledFS{folder(files)}, 3)), want)
	}
}

func TestFindRoot(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "records", "signals")
	must.Do(t, os.MkdirAll(inner, 0o755))
	if _, err := input.FindRoot(inner); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without stele.yaml: %v", err)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "stele.yaml"), nil, 0o644))
	for _, from := range []string{dir, inner, filepath.Join(inner, "..")} {
		if got, err := input.FindRoot(from); got != dir || err != nil {
			t.Errorf("from %s: %s, %v", from, got, err)
		}
	}
	t.Chdir(inner)
	if got, err := input.FindRoot("."); got != filepath.Join("..", "..") || err != nil {
		t.Errorf("from inside: %s, %v", got, err)
	}
	if _, err := input.FindRoot(filepath.Join(dir, "stele.yaml")); err == nil || !strings.Contains(err.Error(), "is a file, not a folder") {
		t.Errorf("a file: %v", err)
	}
	if _, err := input.FindRoot(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestSettings(t *testing.T) {
	whole := "title: T\nbase_url: https://records.example.org\npublisher: P\nlicense: CC0-1.0\ncontact: c@example.org\nlanguage: en\nnotice: N\n"
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"whole", whole, nil},
		{"CRLF and byte-order mark", "\ufeff" + strings.ReplaceAll(whole, "\n", "\r\n"), nil},
		{"empty", "", []string{"stele.yaml:1: error SCH01: the settings are empty"}},
		{"only comments", "# x\n", []string{"stele.yaml:1: error SCH01: the settings are empty"}},
		{"broken", "title: [\n", []string{"stele.yaml:1: error FIL03: malformed YAML"}},
		{"not UTF-8", "title: \xff\n", []string{"stele.yaml:1:8: error FIL02"}},
		{"unknown member", whole + "titel: T\n", []string{`stele.yaml:8:1: error SCH02: unknown member "titel"`}},
		{"twice", whole + "title: U\n", []string{`stele.yaml:8:1: error FIL04: duplicate member "title"`}},
		{"missing", strings.Replace(whole, "license: CC0-1.0\n", "", 1), []string{`stele.yaml:1:1: error SCH01: member "license" is missing`}},
		{"not a URL", strings.Replace(whole, "https://", "", 1), []string{`stele.yaml:2:11: error SRC02: "records.example.org" is not an absolute http or https URL; write https://records.example.org`}},
		{"a list", "- title: T\n", []string{"stele.yaml:1:1: error SCH01: expected members, not a list"}},
		{"a word", "hello\n", []string{"stele.yaml:1:1: error SCH01: expected members"}},
		{"two documents", whole + "---\ntitle: U\n", []string{"stele.yaml:9: error FIL03: stele.yaml must contain one document"}},
		{"tag", "title: !x T\n", []string{"stele.yaml:1:8: error FIL03"}},
		{"no key", whole + "signing_keys: [x]\n", []string{`stele.yaml:8:16: error SCH01: signing_keys: "x" is not a public key`}},
		{
			"a private key", whole + "signing_keys:\n  - PRIVATE+KEY+records.example.org+4b3c2d1e+AX\n",
			[]string{`stele.yaml:9:5: error SCH01: signing_keys contains a private key, which must stay secret; replace it by the public key`},
		},
		{"no axis", whole + "axis_from: {mcv1: ten}\n", []string{`stele.yaml:8:19: error SCH01: "ten" is not a number; write the value at which the axis begins, such as 40`}},
		{"no part of the first page", whole + "home: [kinds, clames, kinds]\n", []string{
			`stele.yaml:8:15: error SCH01: unknown part of the first page: "clames"; did you mean claims?`,
			`stele.yaml:8:23: error SCH01: duplicate part of the first page: "kinds" already; delete it`,
		}},
		{"no words", whole + "words: tlh\n", []string{`stele.yaml:8:8: error SCH01: there are no translations for "tlh"; write one of en, ar`}},
		{"a language without words", strings.Replace(whole, "language: en", "language: tlh-x-a", 1), []string{
			`stele.yaml:6:11: warning LNG01: there are no translations for "tlh-x-a", so pages are in English; if that is intended, write words: en; available languages: en, ar`,
		}},
		{"no colour", whole + "accent_color: teal\n", []string{`stele.yaml:8:15: error SCH01: accent_color: "teal" is not a colour; write # and six hexadecimal digits in quotation marks, such as "#0b5c6b"`}},
		{"a colour in capitals of no digits", whole + "accent_color: '#0b5c6g'\n", []string{`stele.yaml:8:15: error SCH01: accent_color: "#0b5c6g" is not a colour`}},
		{"a pale colour", whole + "accent_color: '#ffcc00'\n", []string{`stele.yaml:8:15: error SCH01: accent_color #ffcc00 is too light to read: its contrast is 1.4, the minimum is 4.5; write "#876c00", a darker shade, or choose another dark colour`}},
		{"a logo that is not there", whole + "logo: logo.svg\n", []string{"stele.yaml:8:7: error FIL01: logo: logo.svg: "}},
		{"a style sheet that is not there", whole + "style: brand.css\n", []string{"stele.yaml:8:8: error FIL01: style: brand.css: "}},
		{"a style sheet of another kind", whole + "style: brand.scss\n", []string{`stele.yaml:8:8: error FIL06: style: "brand.scss" is not a style sheet that the pages can show; name a file that ends in .css`}},
		{"a logo elsewhere", whole + "logo: ../logo.svg\n", []string{`stele.yaml:8:7: error FIL06: logo: "../logo.svg" is not in this folder; write its path below this folder, such as logo.svg`}},
		{"a logo of another kind", whole + "logo: logo.gif\n", []string{`stele.yaml:8:7: error FIL06: logo: "logo.gif" is not a picture that the pages can show; name a file that ends in .svg or .png or .webp`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, problems, err := input.ReadSettings(fstest.MapFS{"stele.yaml": {Data: []byte(c.content)}})
			must.Do(t, err)
			var got []string
			for _, p := range problems {
				got = append(got, p.String())
			}
			expectLines(t, got, c.want)
			if want := (settings.Settings{
				Title: "T", BaseURL: "https://records.example.org", Publisher: "P", License: "CC0-1.0", Contact: "c@example.org", Language: "en",
				Notice: "N",
			}); len(
				c.want,
			) == 0 &&
				!reflect.DeepEqual(s, want) {
				t.Errorf("got %+v", s)
			}
		})
	}
	look := fstest.MapFS{
		"stele.yaml":     {Data: []byte(whole + "accent_color: '#0b5c6b'\nlogo: logo.svg\nstyle: look/brand.css\n")},
		"look/brand.css": {Data: []byte(".masthead { border: 0 }")},
		"logo.svg":       {Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)},
	}
	if s, problems, err := input.ReadSettings(look); err != nil || len(problems) > 0 || s.AccentColor != "#0b5c6b" ||
		s.LogoData != `<svg xmlns="http://www.w3.org/2000/svg"/>` || s.StyleData != ".masthead { border: 0 }" {
		t.Errorf("colour, logo and style sheet: %+v, %v, %v", s, problems, err)
	}
	look["look/brand.css"] = &fstest.MapFile{Data: []byte("a { }\nb { background: url(x) }")}
	if _, problems, _ := input.ReadSettings(look); len(problems) != 1 || problems[0].Code != "FIL09" ||
		problems[0].Line != 10 ||
		problems[0].Message != "style: line 2 of look/brand.css contains url(, which could load a resource" {
		t.Errorf("a style sheet that loads something: %v", problems)
	}
	look["look/brand.css"] = &fstest.MapFile{Data: []byte("a {")}
	if _, problems, _ := input.ReadSettings(look); len(problems) != 1 || problems[0].Code != "FIL03" {
		t.Errorf("a style sheet that is not closed: %v", problems)
	}
	delete(look, "look/brand.css")
	look["stele.yaml"] = &fstest.MapFile{Data: []byte(whole + "logo: logo.svg\n")}
	look["logo.svg"] = &fstest.MapFile{Data: make([]byte, 300<<10)}
	if _, problems, _ := input.ReadSettings(look); len(problems) != 1 || problems[0].Code != "FIL05" {
		t.Errorf("a large logo: %v", problems)
	}
	if _, _, err := input.ReadSettings(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no settings: %v", err)
	}
	if _, problems, err := input.ReadSettings(fstest.MapFS{"stele.yaml/x": {}}); err != nil || len(problems) != 1 ||
		problems[0].Code != "FIL01" {
		t.Errorf("a folder: %v, %v", problems, err)
	}
}
