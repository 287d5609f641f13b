package bulk_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/sample"
)

// block is an example on the page: its fence names a language and then what it needs besides.
type block struct {
	needs  string
	text   string
	output string // what the page says that it writes, or ""
}

// readBlocks reads the fenced blocks of a page. A block "output" belongs to the one before it.
func readBlocks(t *testing.T, path string) (blocks []block) {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	parts := strings.Split("\n"+string(data), "\n```")
	if len(parts)%2 == 0 {
		t.Fatalf("%s: a block is not closed", path)
	}
	for i := 1; i < len(parts); i += 2 {
		needs, text, _ := strings.Cut(parts[i], "\n")
		if needs == "output" {
			blocks[len(blocks)-1].output = text
			continue
		}
		blocks = append(blocks, block{needs: needs, text: text})
	}
	return blocks
}

// runners say how a block is run, by what it needs. They skip the test, visibly, where a tool is
// not there.
var runners = map[string]func(t *testing.T, text string) string{
	"sh curl":                shell("curl"),
	"sh curl jq":             shell("curl", "jq"),
	"sh sqlite3":             shell("sqlite3"),
	"sh datasette":           shell("datasette"),
	"python":                 script(pythonWith("sys"), "-c"),
	"python stele":           script(pythonWith("sys"), "-c"),
	"python zstd":            pythonAndZstd,
	"python pandas":          script(pythonWith("pandas"), "-c"),
	"python pandas openpyxl": script(pythonWith("pandas, openpyxl"), "-c"),
	"python pandas pyarrow":  script(pythonWith("pandas, pyarrow"), "-c"),
	"r":                      script(rWith("utils"), "-e"),
	"r jsonlite":             script(rWith("jsonlite"), "-e"),
	"r stele":                script(rWith("jsonlite", "openssl", "curl"), "-e"),
	"js node":                runModule,
	"sql duckdb":             runDuckDB,
}

// TestUseTheData runs every example of the page against the sample, in the folder into which it was
// downloaded.
func TestUseTheData(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it runs other programs")
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	must.Do(t, err)
	blocks := readBlocks(t, filepath.Join(root, "docs", "use-the-data.md"))
	blocks = append(blocks, readBlocks(t, filepath.Join(root, "docs", "clients.md"))...)
	if len(blocks) < 15 {
		t.Fatalf("%d examples", len(blocks))
	}
	earlier := makeRelease(t, sample.Files, "none")
	before, closeBefore, err := store.Open(earlier)
	must.Do(t, err)
	defer closeBefore()
	release := makeReleaseAfter(t, revisedSample(t), "default", before)
	server := httptest.NewServer(http.FileServer(http.Dir(release)))
	defer server.Close()
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS(filepath.Join(release, "bulk"))))
	for _, path := range []string{"manifest.json", "api/v1/signals.json"} { // what somebody has from before
		must.Do(t, os.Rename(filepath.Join(earlier, path), filepath.Join(dir, filepath.Base(path))))
	}
	for _, client := range []string{"python", "typescript", "r"} {
		must.Do(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "clients", client))))
	}
	npmInit := `{"name": "example", "version": "1.0.0", "main": "index.js", "type": "commonjs"}` // what npm init -y writes
	must.Do(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(npmInit), 0o600))
	t.Chdir(dir)
	for _, b := range blocks {
		t.Run(b.needs, func(t *testing.T) {
			run, known := runners[b.needs]
			if !known {
				t.Fatalf("nothing runs examples that need %q:\n%s", b.needs, b.text)
			}
			text := strings.ReplaceAll(b.text, "https://measles.example.org", server.URL)
			got := strings.TrimRight(run(t, text), "\n")
			if got == "" {
				t.Errorf("nothing is written by\n%s", b.text)
			}
			if b.output != "" && got != b.output {
				t.Errorf("the page says\n%s\nand what is written is\n%s", b.output, got)
			}
		})
	}
}

// TestReadersKeepCodes: what the page says to read tables with takes no code for a number, such as
// 001 for 1, and no text for nothing.
func TestReadersKeepCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it runs other programs")
	}
	page := filepath.Join("..", "..", "..", "docs", "use-the-data.md")
	blocks := readBlocks(t, page)
	inline := regexp.MustCompile("`(pd\\.read_excel[^`]*)`").FindStringSubmatch(string(must.Get(os.ReadFile(page))(t)))
	blocks = append(blocks, block{needs: "python pandas openpyxl", text: "import pandas as pd\ncoverage = " + inline[1]})
	folder := must.Get(specimen.Sample())(t)
	const figures = "records/healthcare-statistics/measles-burden/large-outbreaks.yaml"
	text := string(folder[figures].Data)
	text = strings.Replace(text, "\nvalue: 36\n", "\nvalue: 36\ndimensions: {age: \"007\", of: NA}\n", 1)
	folder[figures].Data = []byte(text)
	release := makeRelease(t, folder, "default")
	server := httptest.NewServer(http.FileServer(http.Dir(release)))
	defer server.Close()
	t.Chdir(filepath.Join(release, "healthcare-statistics"))
	const table = `print(coverage[["area_code", "dim_age", "dim_of", "time_period"]].iloc[0].tolist())`
	for _, c := range []struct{ reads, more, want string }{
		{"statistics/mcv1.csv", "\n" + table, "['001', '007', 'NA', '2022']"},
		{"Figures", "\n" + table, "['001', '007', 'NA', '2022']"},
		{
			"healthcare-statistics.csv\",\n    ", "\n" + `r = statistics[statistics.id == "sta-large-outbreaks-world-2022"].iloc[0]
print(r.ref_area, r.dimensions, r.time_period, r.version)`, `001 {"age":"007","of":"NA"} 2022 1`,
		},
		{
			"healthcare-statistics.csv\",\n  na", "\n" + `r <- subset(statistics, id == "sta-large-outbreaks-world-2022")
cat(r$ref_area, r$dimensions, r$time_period, r$value)`, `001 {"age":"007","of":"NA"} 2022 36`,
		},
	} {
		t.Run(c.reads, func(t *testing.T) {
			i := slices.IndexFunc(blocks, func(b block) bool { return strings.Contains(b.text, c.reads) })
			if i < 0 {
				t.Fatalf("no example reads %s", c.reads)
			}
			text := strings.ReplaceAll(blocks[i].text, "https://measles.example.org", server.URL)
			text, _, _ = strings.Cut(strings.ReplaceAll(text, "mcv1", "large_outbreaks"), "\nprint(")
			if got := strings.TrimSpace(runners[blocks[i].needs](t, text+c.more)); got != c.want {
				t.Errorf("it reads %s, want %s\n%s", got, c.want, text)
			}
		})
	}
}

// revisedSample is the sample with another version of one signal.
func revisedSample(t *testing.T) fs.FS {
	t.Helper()
	const signal = "records/signals/venezuela-importation.yaml"
	folder := must.Get(specimen.Sample())(t)
	text := string(folder[signal].Data)
	for _, line := range []string{"version: 2\n", "updated_date: 2026-10-26\n"} {
		if strings.Count(text, "\n"+line) != 1 {
			t.Fatalf("%s has no line %q", signal, line)
		}
	}
	text = strings.Replace(text, "\nversion: 2\n", "\nversion: 3\n", 1)
	text = strings.Replace(text, "\nupdated_date: 2026-10-26\n", "\nupdated_date: 2026-11-15\n", 1)
	folder[signal].Data = []byte(text)
	return folder
}

// script runs a text as a script.
func script(program func(t *testing.T) string, flags ...string) func(*testing.T, string) string {
	return func(t *testing.T, text string) string {
		t.Helper()
		return string(output(t, exec.Command(program(t), append(flags, text)...)))
	}
}

// runModule runs a text as the module that its reader saves.
func runModule(t *testing.T, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile("example.mjs", []byte(text), 0o600))
	return string(output(t, exec.Command(tool(t, "node"), "example.mjs")))
}

func shell(tools ...string) func(*testing.T, string) string {
	return func(t *testing.T, text string) string {
		t.Helper()
		for _, name := range tools {
			tool(t, name)
		}
		return string(output(t, exec.Command(tool(t, "sh"), "-euc", text)))
	}
}

// pythonWith finds a Python that has modules, once. There may be several on a machine.
func pythonWith(modules string) func(t *testing.T) string {
	find := sync.OnceValue(func() string {
		for _, python := range []string{"python3", "/usr/bin/python3"} {
			if exec.Command(python, "-c", "import "+modules).Run() == nil {
				return python
			}
		}
		return ""
	})
	return func(t *testing.T) string {
		t.Helper()
		python := find()
		if python == "" {
			t.Skipf("tool not here: Python with %s", modules)
		}
		return python
	}
}

func pythonAndZstd(t *testing.T, text string) string {
	t.Helper()
	tool(t, "zstd")
	return script(pythonWith("sys"), "-c")(t, text)
}

// rWith finds an R that has libraries, and asks it once.
func rWith(libraries ...string) func(t *testing.T) string {
	load := "library(" + strings.Join(libraries, "); library(") + ")"
	has := sync.OnceValue(func() bool { return exec.Command("Rscript", "-e", load).Run() == nil })
	return func(t *testing.T) string {
		t.Helper()
		rscript := tool(t, "Rscript")
		if !has() {
			t.Skipf("tool not here: R with %s", strings.Join(libraries, ", "))
		}
		return rscript
	}
}

func runDuckDB(t *testing.T, text string) string {
	t.Helper()
	answer := duckdb(t)(text)[0]
	var rows []json.RawMessage
	must.Do(t, json.Unmarshal(answer, &rows))
	if len(rows) == 0 {
		return ""
	}
	return string(answer)
}
