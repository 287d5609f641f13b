package describe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"stele/internal/base/layout"
	"stele/internal/testkit/must"
	"stele/record"
)

// openAPI is what the tests read of the document.
type openAPI struct {
	OpenAPI string
	Info    struct {
		Title, Description, Version string
		License                     struct{ Identifier string }
	}
	Servers []struct{ URL string }
	Paths   map[string]map[string]struct {
		OperationID string
		Description string
		Listings    []string `json:"x-listings"`
		Parameters  []struct{ Name, In, Example string }
		Responses   map[string]json.RawMessage
	}
}

type content struct {
	Schema   json.RawMessage
	Example  json.RawMessage
	Examples map[string]struct{ Value json.RawMessage }
}

func TestOpenAPIHasTheRoutes(t *testing.T) {
	doc := parse[openAPI](t, theSample(), "openapi.json")
	if doc.OpenAPI != "3.1.1" || doc.Info.License.Identifier != "CC-BY-4.0" || len(doc.Servers) != 1 ||
		doc.Servers[0].URL != base ||
		!strings.HasPrefix(doc.Info.Version, string(sampleDate)) {
		t.Errorf("the document begins %+v %+v", doc.Info, doc.Servers)
	}
	tells(t, "openapi.json", doc.Info.Description)
	if !strings.Contains(doc.Info.Description, "No availability, uptime, schema stability or service level is promised.") {
		t.Error("the document does not say that nothing is promised")
	}
	listed := map[string]int{}
	ids := map[string]bool{}
	for _, k := range record.Kinds {
		for _, r := range k.Routes() {
			op, ok := doc.Paths[r.Path]["get"]
			if !ok || len(doc.Paths[r.Path]) != 1 {
				t.Errorf("%s has the methods %v", r.Path, doc.Paths[r.Path])
				continue
			}
			want := map[layout.Listing][]string{layout.First: {"first"}, layout.Second: {"second"}, layout.Both: {"first", "second"}}[r.Listing]
			if !slices.Equal(op.Listings, want) || !strings.Contains(op.Description, r.Listing.String()) {
				t.Errorf("%s stands in %v: %s", r.Path, op.Listings, op.Description)
			}
			for _, l := range op.Listings {
				listed[l]++
			}
			statuses := []string{"200", "304", "404", "405"}
			if r == k.Single {
				statuses = append(statuses, "410")
				if op.Parameters[0].Name != k.IDMember() || op.Parameters[0].Example == "" {
					t.Errorf("%s takes %+v", r.Path, op.Parameters)
				}
			}
			for _, status := range statuses {
				if op.Responses[status] == nil {
					t.Errorf("%s has no answer %s", r.Path, status)
				}
			}
			if ids[op.OperationID] {
				t.Errorf("%s is used twice", op.OperationID)
			}
			ids[op.OperationID] = true
		}
	}
	if listed["first"] != 15 || listed["second"] != 13 {
		t.Errorf("listed %v", listed)
	}
}

// TestOpenAPIExamples: every example is of the release and as its schema says.
func TestOpenAPIExamples(t *testing.T) {
	files := theSample()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	must.Do(t, compiler.AddResource("urn:openapi", value(t, file(t, files, "openapi.json"))))
	doc := parse[openAPI](t, files, "openapi.json")
	seen := 0
	check := func(where string, raw json.RawMessage) {
		var answer struct{ Content map[string]content }
		var ref struct {
			Ref string `json:"$ref"`
		}
		must.Do(t, json.Unmarshal(raw, &answer))
		for _, c := range answer.Content {
			must.Do(t, json.Unmarshal(c.Schema, &ref))
			schema := must.Get(compiler.Compile("urn:openapi" + ref.Ref))(t)
			if c.Example != nil {
				c.Examples = map[string]struct{ Value json.RawMessage }{"": {c.Example}}
			}
			for _, e := range c.Examples {
				seen++
				if err := schema.Validate(value(t, e.Value)); err != nil {
					t.Errorf("%s: %v", where, err)
				}
			}
		}
	}
	for path, methods := range doc.Paths {
		for status, answer := range methods["get"].Responses {
			check(path+" "+status, answer)
		}
	}
	whole := parse[struct {
		Components struct {
			Responses map[string]json.RawMessage
		}
	}](t, files, "openapi.json")
	for name, answer := range whole.Components.Responses {
		check(name, answer)
	}
	if want := 16 + 3; seen != want {
		t.Errorf("%d examples, not %d", seen, want)
	}
	claim := doc.Paths["/api/v1/proof/{claim_id}.json"]["get"]
	example := compact(t, claim.Responses["200"])
	published := file(t, files, "api/v1/proof/"+claim.Parameters[0].Example+".json")
	if !bytes.Contains(example, published) {
		t.Errorf("the example is not what is published:\n%s", example)
	}
}

func compact(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, json.Compact(&b, data))
	return b.Bytes()
}

// TestOpenAPIWithOthersTools: Redocly's linter finds nothing, and a client that openapi-typescript
// typed compiles and reads the sample.
func TestOpenAPIWithOthersTools(t *testing.T) {
	dir := tools(t).workshop(t)
	files := theWhole()
	must.Do(t, os.WriteFile(filepath.Join(dir, "openapi.json"), file(t, files, "openapi.json"), 0o644))
	// warnings are errors in this set of rules
	if out := run(t, dir, "node_modules/@redocly/cli/bin/cli.js", "lint", "--extends", "recommended-strict", "openapi.json"); !strings.Contains(out, "is valid") {
		t.Error(out)
	}
	run(t, dir, "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--output", "service.ts")
	run(t, dir, "node_modules/typescript/bin/tsc")

	server := httptest.NewServer(http.FileServerFS(files))
	defer server.Close()
	var got struct {
		Collections []struct {
			Kind           string
			Count, Records int
		}
		Kept    []string
		Label   string
		Unknown int
	}
	out := run(t, dir, "out/client.js", server.URL)
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err, out)
	}
	for i, k := range record.Kinds {
		want := fmt.Sprintf(`"kind":%q,"count":%d,`, k.Name, got.Collections[i].Count)
		if c := got.Collections[i]; c.Kind != k.Name || c.Count != c.Records ||
			!bytes.Contains(file(t, files, k.Collection.Path[1:]), []byte(want)) {
			t.Errorf("the client read %+v of %s", c, k.Many)
		}
	}
	if len(got.Kept) < 5 || got.Label == "" || got.Unknown != http.StatusNotFound {
		t.Errorf("the client read %+v", got)
	}
}

// TestOpenAPINamesAllData: each file for programs has a route, and all routes lead to files. Pages
// and what belongs to them are for people.
func TestOpenAPINamesAllData(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{"sample": theSample(), "whole": theWhole()} {
		doc := parse[openAPI](t, files, "openapi.json")
		var routes []*regexp.Regexp
		led := map[string]bool{}
		for route := range doc.Paths {
			quoted := regexp.MustCompile(`\\\{[a-z0-9_]+\\\}`).ReplaceAllString(regexp.QuoteMeta(route), `[^/]+`)
			routes = append(routes, regexp.MustCompile("^"+quoted+"$"))
		}
		must.Do(t, fs.WalkDir(files, ".", func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found := false
			for _, r := range routes {
				if r.MatchString("/" + at) {
					found, led[r.String()] = true, true
				}
			}
			if !found && !forPeople(at) {
				t.Errorf("%s: %s has no route", name, at)
			}
			return nil
		}))
		for _, r := range routes {
			if name == "whole" && !led[r.String()] && !sometimes.MatchString(r.String()) {
				t.Errorf("%s: no file is at %s", name, r)
			}
		}
	}
}

// sometimes has routes to files that a first release without a signature does not have, and to
// downloads, which the releases of these tests do not have.
var sometimes = regexp.MustCompile(`^\^/(bulk|history|deltas|archive|by-hash|log|feeds/archive|healthcare-statistics/.*vintages|places|manifest\\.json\\.)`)

// forPeople reports whether a file belongs to the pages, or is a description or variant of others.
func forPeople(at string) bool {
	top, _, _ := strings.Cut(at, "/")
	return slices.Contains([]string{".html", ".png", ".md", ".gz", ".br", ".txt", ".xml", ".jsonld"}, path.Ext(at)) ||
		slices.Contains([]string{"assets", "search", "schemas", "routes", "skills", ".well-known", "_headers", ".nojekyll"}, top)
}
