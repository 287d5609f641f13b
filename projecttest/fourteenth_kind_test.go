package projecttest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// A fourteenth kind: one file ...
const policyFile = `package record

import (
	"reflect"

	"stele/internal/base/schema"
)

// Policy is what an authority decided.
type Policy struct {
	Envelope
	Text        string       ` + "`" + `json:"text" doc:"What was decided."` + "`" + `
	Status      PolicyStatus ` + "`" + `json:"policy_status" doc:"Whether it is in force."` + "`" + `
	AuthorityID ID           ` + "`" + `json:"authority_id" ref:"entity" doc:"ID of the authority."` + "`" + `
}

// MarshalJSON writes the record as it is published.
func (p Policy) MarshalJSON() ([]byte, error) { return marshal(&p) }

// UnmarshalJSON reads the record as Unmarshal does.
func (p *Policy) UnmarshalJSON(data []byte) error { return unmarshal(data, p) }

// PolicyStatus is whether a policy is in force.
type PolicyStatus string

func init() {
	schema.Define(reflect.TypeFor[PolicyStatus](), schema.Shape{Type: schema.String, List: []schema.Value{
		{Word: "planned", Doc: "not yet"}, {Word: "in_force", Doc: "now"}, {Word: "ended", Doc: "no longer"},
	}})
}
`

// ... and one row.
const policyRow = `	{
		Name: "policy", One: "policy", Many: "policies", Prefix: "pol-", role: fact, New: func() Record { return new(Policy) },
		Collection: layout.Route{Path: "/api/v2/policies.json", Listing: layout.Both},
		Doc:        "What an authority decided.",
	},
`

const goodPolicy = `id: pol-1
version: 1
title: A policy
summary: Reminders are sent to all parents.
source_links:
  - {url: "https://example.org/policy", role: primary}
verification_date: 2026-01-10
source_updates: []
corrections: []
published_date: 2026-01-10
updated_date: 2026-01-10
text: Reminders are sent.
policy_status: in_force
authority_id: ent-example-measles
`

// TestFourteenthKind builds the program with another kind, and uses all commands that know of
// kinds.
func TestFourteenthKind(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	stele := program{t, buildWithPolicy(t), t.TempDir()}

	var schema struct {
		Title      string
		Required   []string
		Properties map[string]struct{ Enum []string }
	}
	must.Do(t, json.Unmarshal([]byte(stele.run("schema", "policy")), &schema))
	if got := strings.Join(schema.Properties["policy_status"].Enum, " "); schema.Title != "Policy" || got != "planned in_force ended" {
		t.Errorf("the schema is titled %s and has the words %s", schema.Title, got)
	}
	if required := strings.Join(schema.Required, " "); !strings.HasSuffix(required, "text policy_status authority_id") {
		t.Errorf("the schema requires %s", required)
	}

	stele.run("init")
	stele.run("new", "policy", "pol-1")
	template := must.Get(os.ReadFile(filepath.Join(stele.dir, "records", "policies", "pol-1.yaml")))(t)
	for _, want := range []string{"id: pol-1\n", "# What was decided.\ntext:\n", "#   in_force: now\n", "authority_id:\n"} {
		if !strings.Contains(string(template), want) {
			t.Errorf("the template has no %q:\n%s", want, template)
		}
	}
	if _, err := os.Stat(filepath.Join(stele.dir, ".stele", "policy.json")); err != nil {
		t.Error(err)
	}

	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"policy_status", "policy_satus", `SCH02 unknown member "policy_satus"; did you mean "policy_status"?`},
		{"in_force", "inforce", `SCH03 policy_status: unknown value "inforce"; did you mean "in_force"?`},
		{"ent-example-measles", "ent-example-measle", `REF01 entity "ent-example-measle" does not exist; did you mean "ent-example-measles"`},
		{"ent-example-measles", "src-example-report", `REF02 "src-example-report" is a source object`},
	} {
		stele.write("records/policies/pol-1.yaml", strings.Replace(goodPolicy, c.old, c.new, 1))
		if got := stele.findings("records/policies/pol-1.yaml"); (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: found %q, want %q", c.new, got, c.want)
		}
	}

	// The list of kinds has it too: a node may stand for a policy.
	stele.write("records/graph-nodes/nod-policy.yaml", "{id: nod-policy, version: 1, record_id: pol-1, record_kind: policy, label: A policy}")
	stele.write("records/policies/pol-1.yaml", goodPolicy)
	if got := stele.findings("records/graph-nodes/nod-policy.yaml"); got != "" {
		t.Errorf("found %q", got)
	}
	stele.describesPolicies()
	stele.offersPolicies()
	stele.showsPolicies()
}

// describesPolicies makes a release and looks for the new kind in its descriptions.
func (p program) describesPolicies() {
	p.t.Helper()
	p.run("build", "--output", "public", "--date", "2026-02-01", "--quiet")
	for path, want := range map[string]string{
		"schemas/policies.json":        `"title": "Policies"`,
		"schemas/policies/record.json": `"policy_status"`,
		"openapi.json":                 `"/api/v2/policies.json"`,
		".well-known/api-catalog":      "/api/v2/policies.json",
		"catalog.jsonld":               "#policies",
		"dataset.jsonld":               "#policies",
		"llms.txt":                     "/policies/{id}.md",
		"feeds/policies.atom":          "changes to policies",
		"feeds/policies.json":          "changes to policies",
		"policies/pol-1.md":            "\n- policy status: in\\_force (now)\n",
	} {
		data, err := os.ReadFile(filepath.Join(p.dir, "public", filepath.FromSlash(path)))
		if err != nil || !strings.Contains(string(data), want) {
			p.t.Errorf("%s has no %q: %v", path, want, err)
		}
	}
}

// offersPolicies looks for the downloads of the new kind, with its columns.
func (p program) offersPolicies() {
	p.t.Helper()
	table := must.Get(os.ReadFile(filepath.Join(p.dir, "public", "bulk", "policies.csv")))(p.t)
	if header, row, _ := strings.Cut(string(table), "\n"); !strings.HasSuffix(header, ",text,policy_status,authority_id,standing,standing_since,extra") || !strings.HasSuffix(row, ",Reminders are sent.,in_force,ent-example-measles,stands,,\n") {
		p.t.Errorf("the download of policies is\n%s", table)
	}
	database := must.Get(os.ReadFile(filepath.Join(p.dir, "public", "bulk", "records.sqlite")))(p.t)
	if !strings.Contains(string(database), `"authority_id" TEXT REFERENCES "entity"(id)`) {
		p.t.Error("the database does not know that policies refer to entities")
	}
}

// showsPolicies: the kind has pages, which show it by its shape.
func (p program) showsPolicies() {
	p.t.Helper()
	for page, want := range map[string][]string{
		"policies/pol-1/index.html": {"<h2>Text</h2><p>Reminders are sent.</p>", `title="now">In force</span>`, `<a href="../../entities/ent-example-measles/">`, "/api/v2/policies.json"},
		"policies/index.html":       {`<a href="../policies/pol-1/">A policy</a>`, `<th scope="col">Policy status</th>`},
		"index.html":                {`<a href="policies/">Policies</a>`},
		"developers/index.html":     {"/api/v2/policies.json", "/schemas/policies.json"},
		"labels/index.html":         {`id="policy_status-in_force"`},
		"search/policies.json":      {`"pol-1"`},
		"search/graph.json":         {`"pol-1"`},
		"sitemap.xml":               {"/policies/pol-1/"},
	} {
		data, err := os.ReadFile(filepath.Join(p.dir, "public", filepath.FromSlash(page)))
		if err != nil {
			p.t.Error(err)
		}
		for _, w := range want {
			if !strings.Contains(string(data), w) {
				p.t.Errorf("%s has no %s:\n%s", page, w, data)
			}
		}
	}
}

// buildWithPolicy builds the program from this module, with the file and the row laid over it.
func buildWithPolicy(t *testing.T) (binary string) {
	t.Helper()
	dir := t.TempDir()
	table, err := os.ReadFile("record/kinds.go")
	must.Do(t, err)
	before, rest, ok1 := strings.Cut(string(table), "var Kinds = []*Kind{\n")
	rows, after, ok2 := strings.Cut(rest, "\n}\n")
	if !ok1 || !ok2 {
		t.Fatal("the table of kinds is not where it was")
	}
	edited := before + "var Kinds = []*Kind{\n" + rows + "\n" + policyRow + "}\n" + after
	here, err := os.Getwd()
	must.Do(t, err)
	overlay := map[string]map[string]string{"Replace": {}}
	for name, text := range map[string]string{"kinds.go": edited, "policy.go": policyFile} {
		file := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
		overlay["Replace"][filepath.Join(here, "record", name)] = file
	}
	data, err := json.Marshal(overlay)
	must.Do(t, err)
	must.Do(t, os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o644))
	// Windows runs nothing without an ending, and others do not mind it
	binary = filepath.Join(dir, "stele.exe")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, "./cmd/stele").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// program is a program that runs in a folder.
type program struct {
	t           *testing.T
	binary, dir string
}

// run runs a command that has to end well, and answers with what it wrote.
func (p program) run(args ...string) string {
	p.t.Helper()
	cmd := exec.Command(p.binary, args...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("stele %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// write writes a file in the folder.
func (p program) write(path, text string) {
	p.t.Helper()
	must.Do(p.t, os.WriteFile(filepath.Join(p.dir, filepath.FromSlash(path)), []byte(text), 0o644))
}

// findings are the codes and messages that check has for a file, a line each.
func (p program) findings(file string) string {
	p.t.Helper()
	cmd := exec.Command(p.binary, "check", "--format", "json")
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		p.t.Fatal(err)
	}
	var report struct {
		Records  int
		Findings []struct{ Code, File, Message, Fix string }
	}
	if err := json.Unmarshal(out, &report); err != nil || report.Records == 0 {
		p.t.Fatalf("%d records: %v\n%s", report.Records, err, out)
	}
	var lines []string
	for _, f := range report.Findings {
		if f.File == file {
			lines = append(lines, f.Code+" "+f.Message+"; "+f.Fix)
		}
	}
	return strings.Join(lines, "\n")
}
