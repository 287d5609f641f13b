package projecttest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// mayImport is which floor may import which, from the ground up. A path stands for what is below it
// too, and the longest path that fits a package is its row. Tests may import what they like.
var mayImport = map[string][]string{
	"internal/base":  {"internal/base"},
	"record":         {"internal/base"},
	"release":        {"internal/base"},
	"internal/disk":  {"internal/base", "internal/disk", "release"},
	"internal/trust": {"internal/base", "internal/disk/durable", "internal/trust", "record", "release"},
	// asks services, and knows nothing of folders
	"internal/trust/audit": {"internal/base", "internal/trust/answers", "record", "release"},
	"internal/trust/reuse": {"internal/base", "internal/disk/scratch", "record", "release"},
	// a publisher's folder: what is read is judged, and what is edited is read again
	"internal/author/reading": {"internal/base", "internal/author/reading", "record"},
	"internal/author/judging": {
		"internal/base", "internal/trust", "internal/author/reading", "internal/author/judging", "record", "release",
	},
	"internal/author/editing": {
		"internal/base", "internal/disk/durable", "internal/author/reading", "internal/author/editing", "record",
	},
	"internal/compile": {
		"internal/base", "internal/disk", "internal/trust", "internal/author", "internal/compile", "record", "release",
	},
	"internal/show": {
		"internal/base", "internal/trust", "internal/author/reading/settings", "internal/compile/render", "internal/show", "record", "release",
	},
	"internal/show/latest":   {"internal/trust/standing", "record"},
	"internal/show/vintage":  {"internal/base", "internal/show/latest", "internal/show/site/words", "internal/trust/standing", "internal/compile/render", "record"},
	"internal/show/outcomes": {"record"},
	"internal/show/workbook": {"internal/base", "internal/trust/standing", "internal/compile/render", "record"},
	// the pages, a storey on the other
	"internal/show/site/markup":  {"internal/base/jsonline", "record"},
	"internal/show/site/words":   {"internal/show/latest", "internal/base/schema", "internal/author/reading/settings", "internal/trust/standing", "internal/compile/render", "record"},
	"internal/show/site/assets":  {"internal/base/compress", "internal/base/layout", "internal/author/reading/settings", "internal/compile/render", "release"},
	"internal/show/site/cards":   {"internal/base/compress", "internal/author/reading/settings/color"},
	"internal/show/site/lookup":  append(pages("markup", "words"), "internal/show/vintage"),
	"internal/show/site/frame":   pages("markup", "words", "assets", "cards", "lookup"),
	"internal/show/site/records": append(pages("markup", "words", "assets", "cards", "lookup", "frame"), "internal/show/workbook", "internal/show/outcomes"),
	"internal/show/site/figures": append(pages("markup", "words", "cards", "lookup", "frame", "records"), "internal/show/vintage"),
	"internal/show/site/explore": append(pages("markup", "words", "lookup", "frame", "records"), "internal/show/search"),

	"internal/deliver":                {"internal/base", "internal/disk", "internal/trust", "internal/deliver", "record", "release"},
	"internal/deliver/serve/exchange": {"internal/deliver/library"},
	"internal/deliver/serve/http1":    {"internal/deliver/library", "internal/deliver/serve/exchange"},
	"internal/deliver/serve/http2":    {"internal/deliver/library", "internal/deliver/serve/exchange"},
	// answers agents, with what programs of others read and the pages search
	"internal/deliver/agent": {
		"client", "internal/base", "internal/author/judging/report", "internal/compile/render", "internal/show/search",
		"internal/show/latest", "internal/deliver/fetch", "internal/deliver/serve", "internal/disk/scratch", "internal/trust/standing", "record",
		"release",
	},
	"internal/deliver/preview": {
		"internal/base", "internal/disk", "internal/compile/compiler", "internal/deliver", "record", "release",
	},
	"internal/deliver/signin":    {"internal/show/site/markup"},
	"internal/deliver/fields":    {"internal/base", "internal/author/editing/amend"},
	"internal/deliver/published": {"internal/base", "internal/disk/durable", "internal/author/editing/amend", "record"},
	// writes records: what publishers have for it, and the pages' style and words
	"internal/deliver/edit": {
		"internal/base", "internal/disk", "internal/author", "internal/compile/compiler", "internal/deliver/fields",
		"internal/deliver/preview", "internal/deliver/published", "internal/deliver/serve", "internal/deliver/signin",
		"internal/show/site/assets", "internal/show/site/markup", "internal/show/site/words", "record",
	},
	"internal/testkit": {"internal", "record", "release", "sample", "tools"},
	"client": {
		"internal/base", "internal/disk", "internal/trust/signing", "internal/deliver/fetch", "record", "release",
	},
	"sample":    {},
	"cmd/stele": {"client", "internal", "record", "release", "sample"},
	"bench":     {"bench", "internal", "record", "release", "tools"},
	"tools":     {"internal/base/version", "tools"},
}

// rules are the packages that report findings: a rule in any other one would be a rule that some
// commands do not check. The forms report what cannot be read of a form.
var rules = []string{
	"record", "internal/base/schema", "internal/author/reading/input", "internal/author/judging/check",
	"internal/deliver/edit",
}

// TestRulesHaveOneHome: no other package makes findings with a code.
func TestRulesHaveOneHome(t *testing.T) {
	finding := regexp.MustCompile(`schema\.Problem\{[^}]|\.Report\(schema\.Problem`)
	must.Do(t, filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		dir := filepath.ToSlash(filepath.Dir(path))
		own := !slices.ContainsFunc(rules, func(home string) bool { return within(dir, home) })
		if err != nil || !own || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text := must.Get(os.ReadFile(path))(t)
		if at := finding.FindIndex(text); at != nil {
			t.Errorf("%s:%d reports findings, which only %s do", path, 1+bytes.Count(text[:at[0]], []byte{'\n'}),
				strings.Join(rules, ", "))
		}
		return nil
	}))
}

// pages is what rooms of the pages import: of other floors, and of the storeys below them.
func pages(below ...string) []string {
	paths := []string{
		"internal/base", "internal/trust/standing", "internal/author/reading/settings", "internal/compile/render",
		"internal/show/latest", "record", "release",
	}
	for _, room := range below {
		paths = append(paths, "internal/show/site/"+room)
	}
	return paths
}

// libraries is who may import what others wrote.
var libraries = map[string][]string{
	"github.com/andybalholm/brotli":      {"internal/base/compress"},
	"github.com/fsnotify/fsnotify":       {"internal/deliver/preview"},
	"github.com/go-json-experiment/json": {"internal/base/jsonline", "internal/base/schema", "internal/base/sheet", "record", "internal/author/reading/input", "internal/compile/compiler", "internal/show", "internal/trust/audit", "internal/trust/reuse"},
	"github.com/klauspost/compress":      {"internal/base/compress", "internal/show/site/cards"},
	"github.com/minio/minio-go/v7":       {"internal/deliver/bucket", "internal/testkit/buckettest"},
	"github.com/parquet-go/parquet-go":   {"internal/show/bulk", "bench/scale"},
	"github.com/rivo/uniseg":             {"internal/author/judging/report"},
	"github.com/spf13/cobra":             {"cmd/stele"},
	"github.com/spf13/pflag":             {"cmd/stele"},
	"go.yaml.in/yaml/v3":                 {"internal/author/reading/input", "internal/author/editing/tables", "internal/deliver/edit", "internal/show/site/words"},
	"golang.org/x/image":                 {"internal/show/site/cards"},
	"golang.org/x/mod/sumdb":             {"internal/author/reading/input", "internal/trust/signing"},
	"golang.org/x/crypto/acme":           {"internal/deliver/serve/certify"},
	"golang.org/x/net/dns/dnsmessage":    {"internal/testkit/acmetest"},
	"golang.org/x/net/http2":             {"internal/deliver/serve/http2"},
	"golang.org/x/net/websocket":         {"internal/testkit/browsertest"},
	"golang.org/x/net/idna":              {"internal/deliver/serve/certify"},
	"golang.org/x/oauth2":                {"internal/deliver/bucket"},
	"golang.org/x/sys":                   {"internal/disk", "internal/deliver", "internal/testkit", "bench"},
	"golang.org/x/term":                  {"cmd/stele"},
	"golang.org/x/text/encoding":         {"internal/author/reading/input/scrutiny", "internal/base/sheet", "internal/trust/reuse"},
	"golang.org/x/text/transform":        {"internal/base/sheet"},
	"golang.org/x/text/unicode/norm":     {"internal/base/fold", "internal/trust/quotes", "internal/trust/reuse"},
	"modernc.org/sqlite":                 {"internal/show/bulk"},

	"github.com/modelcontextprotocol/go-sdk": {"internal/deliver/agent"},
}

// withoutConnections are the rooms that decide what is sent and do not send it. They import neither
// net nor net/http; the library takes the names of methods and statuses and the form of times from
// there, and nothing else.
var withoutConnections = []string{
	"internal/deliver/library", "internal/deliver/serve/exchange", "internal/deliver/serve/http1",
	"internal/deliver/serve/http2", "internal/base", "release",
}

// row is the row of the table that a package falls under: the longest path that it lies in.
func row(pkg string) (name string, ok bool) {
	for path := range mayImport {
		if within(pkg, path) && len(path) > len(name) {
			name, ok = path, true
		}
	}
	return name, ok
}

// within reports whether a path is another or below it.
func within(path, other string) bool { return path == other || strings.HasPrefix(path, other+"/") }

// anyWithin reports whether a path is one of others or below it.
func anyWithin(path string, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool { return within(path, other) })
}

// allowed reports whether a package may import a path: of this project what the table of floors
// says, of others what the table of libraries says, and all of the standard library, whose paths
// alone begin with a word without a dot.
func allowed(pkg, row, path string) bool {
	if own, ok := strings.CutPrefix(path, "stele/"); ok {
		return anyWithin(own, mayImport[row])
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return true
	}
	for library, users := range libraries {
		if within(path, library) && anyWithin(pkg, users) {
			return true
		}
	}
	return false
}

// onlyNames reports whether files of the library take nothing from net/http that could send.
func onlyNames(t *testing.T, files []string) bool {
	other := regexp.MustCompile(`\bhttp\.[A-Z]\w*`)
	return !slices.ContainsFunc(files, func(name string) bool {
		data := must.Get(os.ReadFile("internal/deliver/library/" + name))(t)
		return slices.ContainsFunc(other.FindAllString(string(data), -1), func(use string) bool {
			return !regexp.MustCompile(`^http\.(Method\w+|Status\w+|ParseTime|TimeFormat)$`).MatchString(use)
		})
	})
}

func TestWhoImportsWhom(t *testing.T) {
	rows, imported := map[string]bool{}, map[string]bool{}
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 { // tests alone
			continue
		}
		pkg := strings.TrimPrefix(p.ImportPath, "stele/")
		name, ok := row(pkg)
		if !ok {
			t.Errorf("%s is not in the table of who may import whom", pkg)
			continue
		}
		rows[name] = true
		for _, path := range p.Imports {
			if !allowed(pkg, name, path) {
				t.Errorf("%s imports %s, which the tables do not allow", pkg, path)
			}
			names := pkg == "internal/deliver/library" && path == "net/http" && onlyNames(t, p.GoFiles)
			if (path == "net" || within(path, "net/http")) && anyWithin(pkg, withoutConnections) && !names {
				t.Errorf("%s imports %s, and is to know no connections", pkg, path)
			}
			for library := range libraries {
				imported[library] = imported[library] || within(path, library)
			}
		}
	}
	for name := range mayImport {
		if !rows[name] {
			t.Errorf("the table has %s, which is not there", name)
		}
	}
	for library := range libraries {
		if !imported[library] {
			t.Errorf("the table has %s, which nobody imports", library)
		}
	}
}

// TestDoors: a floor has at most twelve rooms in a row, so that one finds a room by walking.
func TestDoors(t *testing.T) {
	floors, err := filepath.Glob("internal/*")
	if err != nil || len(floors) == 0 {
		t.Fatalf("%d floors, %v", len(floors), err)
	}
	for _, floor := range append(floors, "internal") {
		rooms := must.Get(os.ReadDir(floor))(t)
		if len(rooms) > 12 {
			t.Errorf("%s has %d rooms: at most twelve", floor, len(rooms))
		}
	}
}

// starts finds what starts a goroutine.
var starts = regexp.MustCompile(`(?m)^\s*go [\w(]|\.Parallel\(\)|WaitGroup`)

// TestSequential: what the race detector is not run on, and what that imports, starts no goroutine.
func TestSequential(t *testing.T) {
	makefile := must.Get(os.ReadFile("Makefile"))(t)
	_, list, _ := strings.Cut(strings.ReplaceAll(string(makefile), "\\\n", ""), "\nSEQUENTIAL := ")
	list, _, _ = strings.Cut(list, "\n")
	rooms := strings.Fields(list)
	if len(rooms) == 0 {
		t.Fatal("the Makefile has no list")
	}
	listed, imports := len(rooms), map[string][]string{}
	for _, p := range packages(t) {
		imports[strings.TrimPrefix(p.ImportPath, "stele/")] = p.Imports
	}
	for i := 0; i < len(rooms); i++ {
		files, err := filepath.Glob(filepath.Join(rooms[i], "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %d files, %v", rooms[i], len(files), err)
		}
		for _, file := range files {
			if i >= listed && strings.HasSuffix(file, "_test.go") {
				continue
			}
			if text, err := os.ReadFile(file); err != nil || starts.Match(text) {
				t.Errorf("%s starts a goroutine, and SEQUENTIAL in the Makefile leads to it: %v", file, err)
			}
		}
		for _, path := range imports[rooms[i]] {
			if own, ok := strings.CutPrefix(path, "stele/"); ok && !slices.Contains(rooms, own) {
				rooms = append(rooms, own)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
	GoFiles    []string
}

// packages are those of this module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,GoFiles", "./...")
	cmd.Stderr = os.Stderr
	out := must.Get(cmd.Output())(t)
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p goPackage
		must.Do(t, dec.Decode(&p))
		all = append(all, p)
	}
	return all
}
