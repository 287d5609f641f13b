package main

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLongAYearOfPublishing runs the commands of the page, in their order.
func TestLongAYearOfPublishing(t *testing.T) {
	long.Only(t)
	runPage(t, "a-year-of-publishing.md", 10)
}

// TestImportPage runs those of the page about tables, with its tables and its map.
func TestImportPage(t *testing.T) { runPage(t, "import.md", 9) }

// runPage runs what a page has in blocks of sh. A block that has a name is a file beside it; one
// that is a workbook is made of the cells of the block.
func runPage(t *testing.T, name string, least int) {
	if testing.Short() {
		t.Skip("makes releases")
	}
	page := must.Get(os.ReadFile("../../docs/" + name))(t)
	var script strings.Builder
	files := map[string]string{}
	commands, inside, file := 0, false, ""
	for line := range strings.Lines(string(page)) {
		command, to, redirected := strings.Cut(strings.TrimSpace(line), " > ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = strings.TrimSpace(line) == "```sh"
			_, file, _ = strings.Cut(strings.TrimSpace(line), " ")
		case file != "":
			files[file] += line
		case inside && strings.HasPrefix(line, "cd "):
			script.WriteString(line)
		case inside && redirected:
			script.WriteString("exec " + command + "\ncp stdout " + to + "\n")
			commands++
		case inside:
			script.WriteString("exec " + strings.ReplaceAll(line, `"`, "'"))
			commands++
		}
	}
	if commands < least {
		t.Fatalf("the page has %d commands", commands)
	}
	at := filepath.Join(t.TempDir(), "page.txtar")
	must.Do(t, os.WriteFile(at, []byte(script.String()), 0o644))
	setup := func(env *testscript.Env) error {
		for name, content := range files {
			if strings.HasSuffix(name, ".xlsx") {
				content = workbookOf(t, content)
			}
			if err := os.WriteFile(filepath.Join(env.WorkDir, name), []byte(content), 0o644); err != nil {
				return err
			}
		}
		return handEnvironment(env)
	}
	testscript.Run(t, testscript.Params{Files: []string{at}, WorkdirRoot: memoryDir(t), Setup: setup})
}

// workbookOf is a workbook with the cells of a CSV.
func workbookOf(t *testing.T, cells string) string {
	rows := must.Get(csv.NewReader(strings.NewReader(cells)).ReadAll())(t)
	var sheet strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&sheet, `<row r="%d">`, i+1)
		for _, cell := range row {
			if _, err := strconv.Atoi(cell); err == nil {
				fmt.Fprintf(&sheet, "<c><v>%s</v></c>", cell)
			} else {
				fmt.Fprintf(&sheet, `<c t="inlineStr"><is><t>%s</t></is></c>`, html.EscapeString(cell))
			}
		}
		sheet.WriteString("</row>")
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, part := range map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="Data" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="sheet.xml"/></Relationships>`,
		"xl/sheet.xml":               sheet.String(),
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, part)
		}
		must.Do(t, err)
	}
	must.Do(t, z.Close())
	return b.String()
}
