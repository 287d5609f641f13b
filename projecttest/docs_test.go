package projecttest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
	"stele/internal/trust/standing"
	"stele/record"
)

var update = flag.Bool("update", false, "write the generated documentation anew")

// TestDocs holds the generated pages to the program: they are written by `make docs`.
func TestDocs(t *testing.T) {
	for path, want := range map[string]string{
		"docs/kinds.md":                    kindsPage(),
		"docs/codes.md":                    codesPage(),
		"docs/commands.md":                 commandsPage(t),
		"docs/standing.md":                 standingPage(t),
		"clients/python/stele/records.py":  pythonRecords(),
		"clients/typescript/records.d.mts": typescriptRecords(),
	} {
		if *update {
			must.Do(t, os.WriteFile(path, []byte(want), 0o644))
			continue
		}
		got := must.Get(os.ReadFile(path))(t)
		if string(got) != want {
			t.Errorf("%s does not match the program: run make docs", path)
		}
	}
}

func kindsPage() string {
	var b strings.Builder
	b.WriteString("# Kinds of record\n\nThis page is for authors and programmers who look up a member or a closed list. It is generated from the program by `make docs`. No stability of any schema is promised.\n\n")
	b.WriteString("## Routes\n\n| kind | folder | route | listed in |\n|---|---|---|---|\n")
	for _, k := range record.Kinds {
		for _, r := range k.Routes() {
			fmt.Fprintf(&b, "| %s | `records/%s` | `%s` | %s |\n", k.Many, k.Folder(), r.Path, r.Listing)
		}
	}
	writePreserved(&b)
	envelope := schema.ShapeOf[record.Envelope]()
	required := func(k *record.Kind) (names []string) {
		for _, m := range k.Shape().Members {
			if m.Required && envelope.Member(m.Name) != nil {
				names = append(names, m.Name)
			}
		}
		return names
	}
	usual := required(record.Kinds[0])
	fmt.Fprintf(&b, "\n## The envelope\n\nAll kinds have these members. Most kinds require %s. Below, bold names are required: members of every record, or of every such object.\n\n", strings.Join(usual, ", "))
	writeMembers(&b, envelope, func(schema.Member) bool { return true }, false)
	for _, k := range record.Kinds {
		own := func(m schema.Member) bool { return envelope.Member(m.Name) == nil }
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", k.Name, k.Doc)
		switch names := required(k); {
		case len(names) < len(usual)-1:
			fmt.Fprintf(&b, "Of the envelope, only %s are required.\n\n", strings.Join(names, ", "))
		case len(names) < len(usual):
			missing := slices.IndexFunc(usual, func(name string) bool { return !slices.Contains(names, name) })
			fmt.Fprintf(&b, "Of the envelope, %s is optional.\n\n", usual[missing])
		}
		writeMembers(&b, k.Shape(), own, true)
	}
	b.WriteString("\n## Closed lists\n")
	writeLists(&b)
	return b.String()
}

// writePreserved writes which kinds have what consumers are expected to preserve, with one row for
// all kinds that have the same.
func writePreserved(b *strings.Builder) {
	b.WriteString("\n## What consumers preserve\n\nEvery record has its ID (`id`). The other members are always there (*always*) or optional (*may*). Nodes, edges and change events refer to the records that have them.\n\n")
	names := []string{"source_links", "version", "verification_date", "claim_boundary", "source_updates", "corrections"}
	b.WriteString("| kinds | " + strings.Join(names, " | ") + " | label |\n|---" + strings.Repeat("|---", len(names)+1) + "|\n")
	var rows []string
	kinds := map[string][]string{}
	for _, k := range record.Kinds {
		row := ""
		for _, name := range names {
			row += " | " + presence(k.Shape().Member(name))
		}
		label := "–"
		for _, m := range k.Shape().Members {
			if m.Name == "evidence_label" || m.Name == "decision_label" {
				label = "`" + m.Name + "`, " + presence(&m)
			}
		}
		row += " | " + label + " |\n"
		if kinds[row] == nil {
			rows = append(rows, row)
		}
		kinds[row] = append(kinds[row], k.Many)
	}
	for _, row := range rows {
		b.WriteString("| " + strings.Join(kinds[row], ", ") + row)
	}
}

func presence(m *schema.Member) string {
	if m.Required {
		return "always"
	}
	return "may"
}

// writeMembers writes a list of members, each followed by the members inside it with their path.
func writeMembers(b *strings.Builder, s *schema.Shape, wanted func(schema.Member) bool, required bool) {
	var rows func(s *schema.Shape, path string)
	rows = func(s *schema.Shape, path string) {
		for _, m := range s.Members {
			if path == "" && !wanted(m) {
				continue
			}
			name := "`" + path + m.Name + "`"
			if m.Required && (required || path != "") {
				name = "**" + name + "**"
			}
			fmt.Fprintf(b, "- %s (%s): %s\n", name, typeName(m), m.Doc)
			inner := m.Shape
			if inner.Type == schema.Array {
				inner = inner.Elem
			}
			rows(inner, path+m.Name+".")
		}
	}
	rows(s, "")
}

func typeName(m schema.Member) string {
	s, list := m.Shape, ""
	if s.Type == schema.Array {
		s, list = s.Elem, "list of "
	}
	name := s.Go.Name()
	switch {
	case m.Ref != nil && len(m.Ref.Kinds) > 0:
		name = "ID of " + strings.Join(m.Ref.Kinds, ", ")
	case m.Ref != nil:
		name = "ID of any record"
	case s.List != nil:
		name = "[" + listName(s.Go) + "](#" + listName(s.Go) + ")"
	case name == "string":
		name = "text"
	case name == "int64":
		name = "whole number"
	case name == "bool":
		name = "true or false"
	case s.Open:
		name = "texts by name"
	case s.Type == schema.Object:
		name = "object"
	case name != "ID" && name != "URL" && name != "SHA256":
		name = strings.ToLower(name)
	}
	if list != "" && s.List == nil { // IDs of evidence, whole numbers
		noun, rest, of := strings.Cut(name, " of ")
		if name = noun + "s"; of {
			name += " of " + rest
		}
	}
	return list + name
}

// listName is the name of a list's Go type with underscores: evidence_label.
func listName(t reflect.Type) string {
	var b strings.Builder
	for i, r := range t.Name() {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

func writeLists(b *strings.Builder) {
	for _, s := range schema.Lists(listName) {
		fmt.Fprintf(b, "\n### %s\n\n", listName(s.Go))
		if len(s.List) == len(record.Kinds) && s.List[0].Word == record.Kinds[0].Name {
			b.WriteString("The names of the kinds, which are the headings of this page.\n")
			continue
		}
		for _, v := range s.List {
			fmt.Fprintf(b, "- `%s`: %s\n", v.Word, v.Doc)
		}
	}
}

func codesPage() string {
	var b strings.Builder
	b.WriteString("# What the checker finds\n\nThis page lists the codes of all findings, and is generated from the program by `make docs`. `stele explain CODE` explains a code, with a bad and a good example.\n" +
		"An error stops a build. A warning does so only with `--strict`.\n\n")
	for _, info := range codes.Table {
		mark := ""
		if info.Severity == codes.Warning {
			mark = " (warning)"
		}
		fmt.Fprintf(&b, "- `%s`: %s%s\n", info.Code, info.Title, mark)
	}
	return b.String()
}

// standingPage is docs/standing.md with its tables as the program has them.
func standingPage(t *testing.T) string {
	text := must.Get(os.ReadFile("docs/standing.md"))(t)
	var standings, bonds strings.Builder
	standings.WriteString("| standing, from best to worst | when |\n|---|---|\n")
	for _, v := range standing.Words {
		fmt.Fprintf(&standings, "| `%s` | %s |\n", v.Word, v.Doc)
	}
	bonds.WriteString("| reference | in the graph | if the other record is lost | if it changed after this record was verified |\n|---|---|---|---|\n")
	for _, b := range standing.Bonds {
		named := b.Member != "" && b.Member != standing.AnyOther && b.Member != standing.Edge
		if !named && b.Changes == standing.Stands {
			continue // in the last row
		}
		name := "`" + b.Member + "`"
		if b.Word != "" {
			name += ", " + b.Word
		}
		relation, lost, changed := "", "", ""
		if b.Relation != "" {
			relation = "`" + string(b.Relation) + "`"
		}
		if b.Member == standing.Edge {
			name, relation = "an edge "+relation+" that a publisher wrote", "itself"
		}
		if b.Changes != standing.Stands {
			lost, changed = "`"+b.Changes.String()+"`, if verified before the loss", "`"+b.Changes.String()+"`"
		}
		if b.Rests != standing.NoGroup {
			lost = "`weakened` or `unsupported` (" + [...]string{"", "sources", "evidence", "opportunities", "recommendations"}[b.Rests] + ")"
		}
		fmt.Fprintf(&bonds, "| %s | %s | %s | %s |\n", name, relation, lost, changed)
	}
	bonds.WriteString("| any other | | | |\n")
	page := string(text)
	for name, table := range map[string]string{"standings": standings.String(), "bonds": bonds.String()} {
		begin, rest, ok1 := strings.Cut(page, "<!-- table: "+name+" -->\n")
		_, end, ok2 := strings.Cut(rest, "<!-- end of table -->")
		if !ok1 || !ok2 {
			t.Fatalf("docs/standing.md has no place for the table of %s", name)
		}
		page = begin + "<!-- table: " + name + " -->\n" + table + "<!-- end of table -->" + end
	}
	return page
}

// commandsPage is made of the help texts that TestHelp of cmd/stele holds to the program.
func commandsPage(t *testing.T) string {
	t.Helper()
	texts, err := filepath.Glob("cmd/stele/testdata/help/*.golden")
	if err != nil || len(texts) == 0 {
		t.Fatalf("no help texts found: %v", err)
	}
	var b strings.Builder
	b.WriteString("# Commands\n\nThis page has the help text of each command, as `stele COMMAND --help` prints it. `make docs` writes it.\n")
	section := func(title, path string) {
		text := must.Get(os.ReadFile(path))(t)
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s```\n", title, bytes.TrimLeft(text, "\n"))
	}
	const whole = "cmd/stele/testdata/help/stele.golden"
	section("stele", whole)
	for _, path := range texts {
		if path = filepath.ToSlash(path); path != whole {
			name, _, _ := strings.Cut(filepath.Base(path), ".")
			section("stele "+name, path)
		}
	}
	return b.String()
}

// TestManualHasEveryMetric holds the operator's manual to the metrics of a server.
func TestManualHasEveryMetric(t *testing.T) {
	s := serve.New(library.Blank(nil, library.Options{}), serve.Options{})
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	// what never happened is not counted
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	answer := httptest.NewRecorder()
	s.AdminHandler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	want := names(regexp.MustCompile(`(?m)^# TYPE (stele_\w+)`), answer.Body.String())
	if len(want) == 0 {
		t.Fatalf("the server has no metrics:\n%s", answer.Body)
	}
	if diff := cmp.Diff(want, names(regexp.MustCompile("(?m)^\\| `(stele_\\w+)` \\|"), manual(t))); diff != "" {
		t.Errorf("docs/operating.md has other metrics (- program, + manual):\n%s", diff)
	}
}

// TestLogMessages checks that the program logs the messages in docs/operating.md.
func TestLogMessages(t *testing.T) {
	_, logs, _ := strings.Cut(manual(t), "\n## Logs\n")
	logs, _, _ = strings.Cut(logs, "\n## ")
	var source strings.Builder
	for path, data := range filesNamed(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			source.Write(data)
		}
	}
	messages := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(logs, -1) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if messages++; !strings.Contains(source.String(), `("`+m[1]+`"`) {
				t.Errorf("the program does not log %q", m[1])
			}
		}
	}
	if messages == 0 {
		t.Error("docs/operating.md has no messages of the log")
	}
}

// names are what the first group of an expression matches, in order and each once.
func names(e *regexp.Regexp, text string) []string {
	found := map[string]bool{}
	for _, m := range e.FindAllStringSubmatch(text, -1) {
		found[m[1]] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func manual(t *testing.T) string {
	t.Helper()
	text := must.Get(os.ReadFile("docs/operating.md"))(t)
	return string(text)
}
