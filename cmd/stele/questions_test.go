package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// question is a line of testdata/questions.txt.
type question struct{ release, text, first, must string }

func readQuestions(t *testing.T) (list []question) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/questions.txt"))(t))) {
		if parts := strings.Split(strings.TrimSpace(line), " | "); len(parts) == 4 && line[0] != '#' {
			list = append(list, question{parts[0], parts[1], parts[2], parts[3]})
		}
	}
	none := 0
	for _, q := range list {
		if q.first == "-" {
			none++
		}
	}
	if len(list) != 60 || none != 12 {
		t.Fatalf("%d questions, %d without an answer", len(list), none)
	}
	return list
}

// TestQuestions: of sixty questions, agents and the search of the pages find the same first, with
// its boundary and what is known against it. What was retracted is refused, and what nothing here
// mentions is named.
func TestQuestions(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil && !testing.Short() {
		t.Skipf("left out: it needs node: %v", err)
	}
	sample := agentSample(t)
	all := readQuestions(t)
	for name, public := range map[string]string{"sample": sample, "immunization": immunizationRelease(t)} {
		list := slices.DeleteFunc(slices.Clone(all), func(q question) bool { return q.release != name })
		s := converse(t, public)
		for i, found := range searchPages(t, public, list) {
			q := list[i]
			text, data := asks(t, s, "search", map[string]any{"query": q.text})
			if q.first == "-" {
				if said := `No record mentions "` + strings.ReplaceAll(q.must, " ", `".`+"\n"+`No record mentions "`) + `".`; !strings.HasPrefix(text, said) ||
					!slices.Equal(found.Missing, strings.Fields(q.must)) {
					t.Errorf("%s: nothing mentions %q, said to pages are %q, and to agents %.200s", q.text, q.must, found.Missing, text)
				}
				continue
			}
			if len(found.First) == 0 || data == nil || len(data["results"].([]any)) == 0 {
				t.Errorf("%s: nothing is found: %s", q.text, text)
				continue
			}
			first := data["results"].([]any)[0].(map[string]any)
			address := found.First[0][0].(string)
			if page := first["page"].(string); !strings.HasSuffix(page, address) {
				t.Errorf("%s: pages find %s first, agents %s", q.text, address, page)
			}
			q.agent(t, s, first)
			q.page(t, public, address)
			answerable(t, s, q.text)
		}
		for _, text := range []string{"labels", "downloads", "recent changes", "graph", "all indicators", "list of countries", "how is this made", "problems", "sources", "evidence"} {
			answerable(t, s, text)
		}
	}
	// without files of indicators, series answers nothing, and none is named
	bare := filepath.Join(t.TempDir(), "bare")
	stele(t, "build", "../../sample", "-o", bare, "-q", "--date", "2026-11-17", "--without=variants", "--downloads=none")
	answerable(t, converse(t, bare), "measles cases in Ukraine")
}

// answerable makes sure that what a search names can be read.
func answerable(t *testing.T, s *mcp.ClientSession, text string) {
	t.Helper()
	said, data := asks(t, s, "search", map[string]any{"query": text})
	if data == nil {
		t.Errorf("%s: %s", text, said)
		return
	}
	for _, r := range data["results"].([]any) {
		if tool, call := named(r.(map[string]any)); tool == "" {
			continue
		} else if said, data := asks(t, s, tool, call); data == nil {
			t.Errorf("%s: %s with %v: %s", text, tool, call, said)
		}
	}
}

// named is the call that reads a result; "" for one that is only a page.
func named(result map[string]any) (tool string, call map[string]any) {
	if r, ok := result["record"].(map[string]any); ok {
		return "record", map[string]any{"id": r["id"]}
	}
	if result["indicator"] == nil {
		return "", nil
	}
	call = map[string]any{"indicator": result["indicator"]}
	if result["area"] != nil {
		call["area"] = result["area"]
	}
	return "series", call
}

// agent makes sure of what an agent gets.
func (q question) agent(t *testing.T, s *mcp.ClientSession, first map[string]any) {
	t.Helper()
	tool, call := named(first)
	name := strings.Trim(strings.ReplaceAll(fmt.Sprint(call["id"], call["indicator"], "@", call["area"]), "<nil>", ""), "@ ")
	if !slices.Contains(strings.Fields(q.first), name) {
		t.Errorf("%s: %s comes first, want %s", q.text, name, q.first)
		return
	}
	text, data := asks(t, s, tool, call)
	switch against, is := strings.CutPrefix(q.must, "against: "); {
	case q.must == "refused":
		if data["refused"] != true || !strings.HasPrefix(text, "RETRACTED: ") {
			t.Errorf("%s: %s is handed out: %.300s", q.text, name, text)
		}
	case is:
		wants(t, text, against)
	case !strings.Contains(text, q.must):
		t.Errorf("%s: %q is missing in %.3000s", q.text, q.must, text)
	}
}

var tag = regexp.MustCompile(`<[^>]*>`)

// page makes sure of what a reader gets.
func (q question) page(t *testing.T, public, address string) {
	t.Helper()
	address, _, _ = strings.Cut(address, "?")
	page := must.Get(os.ReadFile(filepath.Join(public, filepath.FromSlash(address), "index.html")))(t)
	text := html.UnescapeString(string(tag.ReplaceAll(page, nil)))
	want, is := strings.CutPrefix(q.must, "against: ")
	if want == "refused" {
		want, is = "retracted", true
	}
	if is {
		want, text = strings.ToLower(want), strings.ToLower(text)
	}
	if !strings.Contains(text, want) {
		t.Errorf("%s: %s does not say %q", q.text, address, want)
	}
}

// pageAnswer is what the search of the pages finds.
type pageAnswer struct {
	First   [][]any // addresses, and more
	Missing []string
}

// searchPages asks the search of the pages, as TestQueries does.
func searchPages(t *testing.T, public string, list []question) (answers []pageAnswer) {
	t.Helper()
	const site = "../../internal/show/site/"
	folder := t.TempDir()
	must.Do(t, os.CopyFS(filepath.Join(folder, "assets"), os.DirFS(site+"assets")))
	for _, name := range must.Get(os.ReadDir(public))(t) {
		if name.Name() != "assets" {
			must.Do(t, os.Symlink(filepath.Join(public, name.Name()), filepath.Join(folder, name.Name())))
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"type": "module"}`), 0o644))
	texts := make([]string, 0, len(list))
	for _, q := range list {
		texts = append(texts, q.text)
	}
	cmd := exec.CommandContext(t.Context(), "node", site+"testdata/scripts/queries.mjs", filepath.Join(folder, "assets"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(must.Get(json.Marshal(texts))(t)), t.Output()
	must.Do(t, json.Unmarshal(must.Get(cmd.Output())(t), &answers))
	if len(answers) != len(list) {
		t.Fatalf("%d answers to %d questions", len(answers), len(list))
	}
	return answers
}

// immunizationRelease is a release of that example with the values of two years.
func immunizationRelease(t *testing.T) (public string) {
	t.Helper()
	dir := t.TempDir()
	part, records := filepath.Join(dir, "part"), filepath.Join(dir, "records")
	must.Do(t, os.CopyFS(part, os.DirFS("../../examples/immunization")))
	table := filepath.Join(part, "countries.csv")
	var kept strings.Builder
	for line := range strings.Lines(string(must.Get(os.ReadFile(table))(t))) {
		if kept.Len() == 0 || strings.Contains(line, ",2014,") || strings.Contains(line, ",2015,") {
			kept.WriteString(line)
		}
	}
	must.Do(t, os.WriteFile(table, []byte(kept.String()), 0o644))
	must.Get(specimen.Import(part, "countries.csv", records))(t)
	public = filepath.Join(dir, "public")
	stele(t, "build", records, "-o", public, "-q", "--date", "2026-11-17", "--without=variants", "--downloads=indicators")
	return public
}
