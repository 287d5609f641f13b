package stele_test

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	yamlParser = "go.yaml.in/yaml/v3"
	jsonTokens = "github.com/go-json-experiment/json"
)

// mayImport is who may import whom, beside the standard library. A path stands for what is below it
// too. Tests may import what they like.
var mayImport = map[string][]string{
	"record":               {"stele/internal/layout", "stele/internal/suggest", jsonTokens},
	"release":              {"stele/internal/compress", "stele/internal/jsonline", "stele/internal/layout", "stele/internal/parallel"},
	"client":               {"stele/internal/fetch", "stele/internal/layout", "stele/internal/scratch", "stele/internal/signing", "stele/internal/store", "stele/record", "stele/release"},
	"sample":               {},
	"internal/input":       {"golang.org/x/mod/sumdb/note", "stele/internal/color", "stele/internal/parallel", "stele/internal/settings", "stele/internal/suggest", "stele/record", yamlParser, jsonTokens},
	"internal/settings":    {"stele/record"},
	"internal/color":       {},
	"internal/layout":      {},
	"internal/jsonline":    {},
	"internal/jsondiff":    {"stele/internal/jsonline"},
	"internal/chunked":     {},
	"internal/asyncwriter": {},
	"internal/parallel":    {},
	"internal/scratch":     {},
	"internal/spool":       {"stele/internal/chunked"},
	"internal/eventlog":    {"stele/internal/chunked", "stele/internal/jsonline", "stele/internal/layout", "stele/internal/render", "stele/record", "stele/release"},
	"internal/standing":    {"stele/record"},
	"internal/quotes":      {"golang.org/x/text/unicode/norm"},
	"internal/suggest":     {},
	"internal/check":       {"stele/internal/input", "stele/internal/chunked", "stele/internal/jsondiff", "stele/internal/quotes", "stele/internal/render", "stele/internal/settings", "stele/internal/standing", "stele/internal/suggest", "stele/record"},
	"internal/trace":       {"stele/internal/check", "stele/internal/input", "stele/internal/standing", "stele/internal/suggest", "stele/record"},
	"internal/report":      {"stele/internal/check", "stele/record", "stele/release", "github.com/rivo/uniseg"},
	"internal/starter":     {"stele/internal/input", "stele/internal/settings", "stele/record"},
	"internal/amend":       {"stele/internal/input", "stele/internal/suggest", "stele/record", "github.com/rogpeppe/go-internal/diff"},
	"internal/explain":     {"stele/record", "golang.org/x/tools/txtar"},
	"internal/compress":    {"stele/internal/layout", "github.com/andybalholm/brotli", "github.com/klauspost/compress"},
	"internal/version":     {},
	"internal/store":       {"stele/internal/asyncwriter", "stele/internal/layout", "stele/internal/scratch", "stele/release", "golang.org/x/sys"},
	"internal/fetch":       {"stele/internal/compress", "stele/internal/layout", "stele/release"},
	"internal/bucket": {
		"stele/internal/layout", "stele/internal/scratch", "stele/internal/store", "stele/release",
		"cloud.google.com/go/storage", "github.com/Azure/azure-sdk-for-go/sdk", "github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go", "gocloud.dev", "google.golang.org/api/googleapi",
	},
	"internal/buckettest": {"github.com/Azure/azure-sdk-for-go/sdk", "github.com/aws/aws-sdk-go-v2", "stele/tools/npm", "stele/tools/stores"},
	"internal/push":       {"stele/internal/bucket", "stele/internal/compress", "stele/internal/layout", "stele/internal/scratch", "stele/internal/signing", "stele/internal/store", "stele/release"},
	"internal/mirror":     {"stele/internal/compress", "stele/internal/fetch", "stele/internal/layout", "stele/internal/parallel", "stele/internal/signing", "stele/internal/store", "stele/record", "stele/release"},
	"internal/render":     {"stele/internal/layout", "stele/internal/standing", "stele/internal/settings", "stele/record", "stele/release"},
	"internal/search":     {"golang.org/x/text/unicode/norm"},
	"internal/site":       {"stele/internal/search", "stele/internal/jsondiff", "stele/internal/layout", "stele/internal/standing", "stele/internal/render", "stele/internal/site/markup", "stele/internal/color", "stele/internal/settings", "stele/record", "stele/release"},
	"internal/bulk":       {"stele/internal/layout", "stele/internal/standing", "stele/internal/render", "stele/record", "stele/release", jsonTokens, "github.com/parquet-go/parquet-go", "modernc.org/sqlite"},
	"internal/describe":   {"stele/internal/layout", "stele/internal/standing", "stele/internal/render", "stele/internal/settings", "stele/record", "stele/release", jsonTokens},
	"internal/publish": {
		"stele/internal/standing", "stele/internal/asyncwriter", "stele/internal/check", "stele/internal/eventlog", "stele/internal/parallel", "stele/internal/spool", "stele/internal/render", "stele/internal/compress", "stele/internal/chunked", "stele/internal/input", "stele/internal/layout", "stele/internal/scratch", "stele/internal/settings", "stele/record", "stele/release", jsonTokens,
	},
	"internal/signing":  {"stele/internal/layout", "stele/release", "golang.org/x/mod/sumdb"},
	"internal/library":  {"stele/internal/compress", "stele/internal/layout", "stele/internal/signing", "stele/internal/suggest", "stele/release", "golang.org/x/sys"},
	"internal/hostile":  {},
	"internal/race":     {},
	"internal/specimen": {"stele/internal/publish", "stele/internal/render", "stele/internal/starter", "stele/internal/store", "stele/record", "stele/release", "stele/sample", "golang.org/x/sys"},
	"internal/serve":    {"stele/internal/layout", "stele/internal/library", "stele/release", "github.com/prometheus/client_golang", "golang.org/x/net/http2/hpack", "golang.org/x/sys"},
	"internal/preview":  {"stele/internal/layout", "stele/internal/library", "stele/internal/publish", "stele/internal/serve", "stele/internal/store", "stele/release", "github.com/fsnotify/fsnotify"},
	"cmd/stele": {
		"stele/client", "stele/internal", "stele/record", "stele/release", "stele/sample",
		"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/schollz/progressbar/v3", "golang.org/x/term",
	},
	"bench":    {"stele/bench", "stele/internal", "stele/record", "stele/release", "stele/tools", "golang.org/x/sys"},
	"campaign": {"golang.org/x/net/http2"},
	"examples": {},
	"tools":    {"stele/internal/version", "stele/tools"},
}

// withoutConnections are the rooms that decide what is sent and do not send it. They import neither
// net nor net/http.
var withoutConnections = []string{"internal/library", "internal/layout", "release"}

// row is the row of the table that a package falls under: its own, or that of the folder around it.
func row(pkg string) (name string, ok bool) {
	for name := range mayImport {
		if within(pkg, "stele/"+name) {
			return name, true
		}
	}
	return "", false
}

// within reports whether a path is another or below it.
func within(path, other string) bool { return path == other || strings.HasPrefix(path, other+"/") }

// standard reports whether an import is of the standard library: only its paths begin with a word
// without a dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return first != "stele" && !strings.Contains(first, ".")
}

func TestWhoImportsWhom(t *testing.T) {
	used := map[string]bool{}
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 { // tests alone
			continue
		}
		name, ok := row(p.ImportPath)
		if !ok {
			t.Errorf("%s is not in the table of who may import whom", p.ImportPath)
			continue
		}
		used[name] = true
		for _, path := range p.Imports {
			if !standard(path) &&
				!slices.ContainsFunc(mayImport[name], func(allowed string) bool { return within(path, allowed) }) {
				t.Errorf("%s imports %s, which the table does not allow", p.ImportPath, path)
			}
			if path == "net" || within(path, "net/http") {
				if slices.Contains(withoutConnections, name) {
					t.Errorf("%s imports %s, and is to know no connections", p.ImportPath, path)
				}
			}
			if within(path, yamlParser) && name != "internal/input" {
				t.Errorf("%s imports the YAML parser, which only internal/input may", p.ImportPath)
			}
		}
	}
	for name := range mayImport {
		if !used[name] {
			t.Errorf("the table has %s, which is not there", name)
		}
	}
}

// TestProtocols: HTTP/1.1 and HTTP/2 take bytes and give bytes. Only their drivers have
// connections.
func TestProtocols(t *testing.T) {
	drivers := []string{"internal/serve/http2_lane.go"}
	files, err := filepath.Glob("internal/serve/http[12]*.go")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || slices.Contains(drivers, filepath.ToSlash(path)) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"net"` {
				t.Errorf("%s imports net, and is to know no connections", path)
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
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}
