package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestAYearOfPublishing runs the commands of the page, in their order.
func TestAYearOfPublishing(t *testing.T) {
	if testing.Short() {
		t.Skip("makes releases")
	}
	page, err := os.ReadFile("../../docs/a-year-of-publishing.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	commands, inside := 0, false
	for line := range strings.Lines(string(page)) {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = strings.TrimSpace(line) == "```sh"
		case inside && strings.HasPrefix(line, "cd "):
			script.WriteString(line)
		case inside:
			script.WriteString("exec " + line)
			commands++
		}
	}
	if commands < 10 {
		t.Fatalf("the page has %d commands", commands)
	}
	file := filepath.Join(t.TempDir(), "year.txtar")
	if err := os.WriteFile(file, []byte(script.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}, WorkdirRoot: memoryDir(t), Setup: handEnvironment})
}
