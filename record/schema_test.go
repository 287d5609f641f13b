package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// shapeCodes are the codes of what a schema can say too.
var shapeCodes = []codes.Code{
	codes.WrongValue, codes.UnknownMember, codes.NotInList, codes.NoSource, codes.NoBoundary, codes.MalformedID,
	codes.MalformedDate,
	codes.MalformedURL, codes.MalformedPeriod,
}

// refusedByGo is the first problem that a schema can find too, or nil.
func refusedByGo(problems []schema.Problem) *schema.Problem {
	for i, p := range problems {
		compares := strings.Contains(p.Message, "is outside") || strings.Contains(p.Message, "is above")
		if slices.Contains(shapeCodes, p.Code) || p.Code == codes.WrongFigure && !compares {
			return &problems[i]
		}
	}
	return nil
}

// plain is a value in the types that the validator wants.
func plain(v any) any {
	switch v := v.(type) {
	case object:
		o := map[string]any{}
		for _, m := range v {
			o[m.name] = plain(m.value)
		}
		return o
	case array:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plain(e)
		}
		return list
	}
	return v
}

// agree compares what the checker and the schema say of a record, and answers whether they accept
// it.
func agree(t *testing.T, k *Kind, schema *jsonschema.Schema, record object, what ...any) (accepted bool) {
	t.Helper()
	_, problems := decode(t, k, render(record))
	refused, invalid := refusedByGo(problems), schema.Validate(plain(record))
	switch {
	case refused == nil && invalid != nil:
		t.Errorf("%v: only the schema refuses it: %v", what, invalid)
	case refused != nil && invalid == nil:
		t.Errorf("%v: only the checker refuses it: %s", what, refused)
	}
	return refused == nil
}

// TestSchemaAgreesWithTheChecker changes a record that has every member in every way, one at a
// time.
func TestSchemaAgreesWithTheChecker(t *testing.T) {
	envelope := schema.ShapeOf[Envelope]().MemberNames()
	for _, k := range Kinds {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			schema, full := compile(t, k.Schema(schema.Authored)), fullRecord(k)
			if !agree(t, k, schema, full, "the record itself") {
				t.Fatalf("the record itself is refused: %s", render(full))
			}
			verdicts := map[bool]int{}
			edits, each := 0, 1
			if testing.Short() {
				each = 5
			}
			if race.Enabled {
				each = 50
			}
			for _, path := range places(full, nil) {
				if len(path) > 1 && k != Kinds[0] && slices.Contains(envelope, path[0].(string)) {
					continue // what is in the envelope's members is the same for all kinds
				}
				for _, e := range editsOf(valueAt(full, path), path) {
					if edits++; edits%each != 0 {
						continue
					}
					changed := change(full, path, e.make).(object)
					verdicts[agree(t, k, schema, changed, path, e.what)]++
				}
			}
			if verdicts[true] == 0 || verdicts[false] == 0 {
				t.Errorf("%d accepted, %d refused: some of each are needed", verdicts[true], verdicts[false])
			}
		})
	}
}

// TestSchemaAgreesOnAnyRecord changes records of all sorts in a few places.
func TestSchemaAgreesOnAnyRecord(t *testing.T) {
	for _, k := range Kinds {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			schema := compile(t, k.Schema(schema.Authored))
			rapid.Check(t, func(rt *rapid.T) {
				record := goodRecord(k).Draw(rt, "record")
				if !agree(t, k, schema, record, "as it is") {
					rt.Fatalf("refused: %s", render(record))
				}
				for range rapid.IntRange(1, 3).Draw(rt, "changes") {
					path := rapid.SampledFrom(places(record, nil)).Draw(rt, "path")
					e := rapid.SampledFrom(editsOf(valueAt(record, path), path)).Draw(rt, "edit")
					record = change(record, path, e.make).(object)
					agree(t, k, schema, record, path, e.what)
				}
			})
		})
	}
}

// TestPublishedSchema: what is encoded satisfies the schema for it and the envelope's; and what is
// filled in has to be there.
func TestPublishedSchema(t *testing.T) {
	envelope := compile(t, EnvelopeSchema())
	for _, k := range Kinds {
		t.Run(k.Name, func(t *testing.T) {
			schema := compile(t, k.Schema(schema.Published))
			rapid.Check(t, func(rt *rapid.T) {
				rec, _ := decode(t, k, render(goodRecord(k).Draw(rt, "record")))
				encoded := k.AppendJSON(nil, rec)
				v := valueOf(treeOf(t, string(encoded)), 0).(object)
				if err := schema.Validate(plain(v)); err != nil {
					rt.Fatalf("%v\n%s", err, encoded)
				}
				if err := envelope.Validate(plain(v)); err != nil {
					rt.Fatalf("%v\n%s", err, encoded)
				}
				for _, m := range k.Shape().Members {
					if m.Required && schema.Validate(plain(v.without(m.Name))) == nil {
						rt.Fatalf("accepted without %s: %s", m.Name, encoded)
					}
				}
			})
		})
	}
}

// TestDefaultsSchema: defaults may have any members of a record and need none, at the top and in
// objects, which are merged; the elements of lists are not, so they are whole.
func TestDefaultsSchema(t *testing.T) {
	for _, k := range Kinds {
		schema := compile(t, k.Schema(schema.Defaults))
		full := fullRecord(k)
		for text, want := range map[string]bool{
			`{}`:                                    true,
			render(full):                            true,
			`{"unknwn":1}`:                          false,
			`{"x_own":{"a":1}}`:                     true,
			`{"version":0}`:                         false,
			`{"claim_boundary":{"place":"World"}}`:  true,
			`{"claim_boundary":{"unknwn":"World"}}`: false,
			`{"source_links":[{"url":"https://example.org"}]}`:                    false,
			`{"source_links":[{"url":"https://example.org","role":"secondary"}]}`: true,
		} {
			v := valueOf(treeOf(t, text), 0)
			if err := schema.Validate(plain(v)); (err == nil) != want {
				t.Errorf("%s: %s: %v", k.Name, text, err)
			}
		}
		for _, m := range full {
			if err := schema.Validate(plain(full.without(m.name))); err != nil {
				t.Errorf("%s: without %s: %v", k.Name, m.name, err)
			}
		}
	}
}

func TestSchemasAreSchemas(t *testing.T) {
	meta := must.Get(jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema"))(t)
	ids := map[any]bool{}
	for name, text := range allSchemas() {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		doc := v.(map[string]any)
		if err := meta.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if doc["$schema"] != "https://json-schema.org/draft/2020-12/schema" || doc["title"] == "" {
			t.Errorf("%s: $schema is %v, title is %v", name, doc["$schema"], doc["title"])
		}
		if !strings.Contains(fmt.Sprint(doc["description"]), "not guaranteed to be stable") {
			t.Errorf("%s does not say that nothing is promised", name)
		}
		if ids[doc["$id"]] {
			t.Errorf("%s has the $id of another: %v", name, doc["$id"])
		}
		ids[doc["$id"]] = true
		checkDescriptions(t, name, doc)
	}
}

func allSchemas() map[string][]byte {
	all := map[string][]byte{"envelope published": EnvelopeSchema()}
	for _, k := range Kinds {
		for purpose, name := range map[schema.Purpose]string{schema.Published: "published", schema.Authored: "authored", schema.Defaults: "defaults"} {
			all[k.Name+" "+name] = k.Schema(purpose)
		}
	}
	return all
}

// checkDescriptions makes sure that every property, at any depth, says what it is.
func checkDescriptions(t *testing.T, path string, schema any) {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		if d, _ := p.(map[string]any)["description"].(string); d == "" {
			t.Errorf("%s/%s has no description", path, name)
		}
		checkDescriptions(t, path+"/"+name, p)
	}
	checkDescriptions(t, path+"[]", s["items"])
}
