package amend_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"stele/internal/author/editing/amend"
	"stele/internal/testkit/must"
	"stele/record"
)

const settings = "title: T\nbase_url: https://records.example.org\npublisher: P\nlicense: CC-BY-4.0\ncontact: a@example.org\nlanguage: en\nnotice: N\n"

func folder(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{"stele.yaml": {Data: []byte(settings)}}
	for name, content := range files {
		m["records/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

var correction = amend.Change{
	Date:       "2026-11-20",
	Set:        []amend.Setting{{Path: "name", Value: "Kenya: the country"}},
	Correction: &record.Correction{Type: "correction", Summary: "The name was wrong, #1."},
}

func TestCorrect(t *testing.T) {
	for _, c := range []struct{ name, file, old, want string }{
		{"YAML with comments", "entities/a.yaml", `# above
id: ent-a   # the ID
version: 1  # first

entity_type: place
name: 'Kenia' # a name
summary: >-
  Long text
  on lines.

# about sources
source_updates: []
corrections: []  # none so far
published_date: 2026-01-01
updated_date: "2026-01-01"
# the end`, `# above
id: ent-a   # the ID
version: 2  # first

entity_type: place
name: 'Kenya: the country' # a name
summary: >-
  Long text
  on lines.

# about sources
source_updates: []
corrections:   # none so far
  - date: 2026-11-20
    type: correction
    in_version: 2
    fields: [name]
    summary: "The name was wrong, #1."
published_date: 2026-01-01
updated_date: "2026-11-20"
# the end`},
		{"list of YAML, CR LF, a list with elements, no version", "entities/a.yaml", strings.ReplaceAll(`- id: ent-b
  version: 7
- id: ent-a
  name: Kenia
  corrections:
  - date: 2026-01-02
    summary: |
      a

  updated_date: 2026-01-01
  version: 2
- id: ent-c
`, "\n", "\r\n"), strings.ReplaceAll(`- id: ent-b
  version: 7
- id: ent-a
  name: "Kenya: the country"
  corrections:
  - date: 2026-01-02
    summary: |
      a
  - date: 2026-11-20
    type: correction
    in_version: 3
    fields: [name]
    summary: "The name was wrong, #1."

  updated_date: 2026-11-20
  version: 3
- id: ent-c
`, "\n", "\r\n")},
		{
			"flow", "entities/a.yaml",
			`{id: ent-a, name: Kenia, version: 1, corrections: [ ], updated_date: 2026-01-01}`,
			`{id: ent-a, name: "Kenya: the country", version: 2, corrections: [{date: 2026-11-20, type: correction, in_version: 2, fields: [name], summary: "The name was wrong, #1."}], updated_date: 2026-11-20}`,
		},
		{"JSON on lines", "entities/a.json", `[
	{
		"id": "ent-a",
		"version": 1,
		"name": "Kenia",
		"updated_date": "2026-01-01",
		"corrections": []
	}
]
`, `[
	{
		"id": "ent-a",
		"version": 2,
		"name": "Kenya: the country",
		"updated_date": "2026-11-20",
		"corrections": [
			{
				"date": "2026-11-20",
				"type": "correction",
				"in_version": 2,
				"fields": [
					"name"
				],
				"summary": "The name was wrong, #1."
			}
		]
	}
]
`},
		{"NDJSON", "entities/a.ndjson", `{"id":"ent-b","version":1}
{"id":"ent-a","version":9,"name":"Kenia","updated_date":"2026-01-01"}
`, `{"id":"ent-b","version":1}
{"id":"ent-a","version":10,"corrections":[{"date":"2026-11-20","type":"correction","in_version":10,"fields":["name"],"summary":"The name was wrong, #1."}],"name":"Kenya: the country","updated_date":"2026-11-20"}
`},
		{
			"CSV", "entities/a.csv",
			"id,name,\"version\",updated_date,corrections.0.date\r\nent-b,\"B, b\",1,2026-01-01,\r\n\r\nent-a,Kenia,1,\"2026-01-01\",",
			"id,name,\"version\",updated_date,corrections.0.date,corrections.0.type,corrections.0.in_version,corrections.0.fields.0,corrections.0.summary\r\nent-b,\"B, b\",1,2026-01-01,,,,,\r\n\r\nent-a,Kenya: the country,2,\"2026-11-20\",2026-11-20,correction,2,name,\"The name was wrong, #1.\"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := must.Get(amend.Plan(folder(map[string]string{c.file: c.old}), []string{"ent-a"}, correction))(t)
			if len(files) != 1 || files[0].Path != "records/"+c.file || string(files[0].Old) != c.old {
				t.Fatalf("%d files", len(files))
			}
			if d := cmp.Diff(c.want, string(files[0].New)); d != "" {
				t.Error(d)
			}
		})
	}
}
