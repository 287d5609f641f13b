package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"stele/internal/testkit/must"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// expectJSONRoundTrip: encoding/json reads a published record and writes the same bytes, whatever
// space stands between its members. What it reads is what the strict decoder reads.
func expectJSONRoundTrip(rt *rapid.T, k *Kind, strict Record, published []byte) {
	var spaced bytes.Buffer
	must.Do(rt, json.Indent(&spaced, published, "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(rt, "indent")))
	rec := k.New()
	must.Do(rt, json.Unmarshal(spaced.Bytes(), rec))
	if diff := cmp.Diff(strict, rec); diff != "" {
		rt.Fatalf("the decoder (-) and encoding/json (+):\n%s", diff)
	}
	typed, err := Unmarshal(published)
	if diff := cmp.Diff(strict, typed); diff != "" || err != nil {
		rt.Fatalf("%v; the decoder (-) and Unmarshal (+):\n%s", err, diff)
	}
	// by pointer and by value
	for _, v := range []any{rec, reflect.ValueOf(rec).Elem().Interface()} {
		if got := encode(rt, v); got != string(published) {
			rt.Fatalf("written:\n%s\nread:\n%s", got, published)
		}
	}
}

// encode writes a value with encoding/json, which escapes what HTML needs unless told otherwise.
func encode(t rapid.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	must.Do(t, enc.Encode(v))
	return strings.TrimSuffix(b.String(), "\n")
}

// TestEveryKindHasItsOwnJSON: without methods of its own, a type would lose the publisher's
// members.
func TestEveryKindHasItsOwnJSON(t *testing.T) {
	for _, k := range Kinds {
		if _, ok := k.New().(json.Unmarshaler); !ok {
			t.Errorf("%T has no UnmarshalJSON", k.New())
		}
		if _, ok := reflect.ValueOf(k.New()).Elem().Interface().(json.Marshaler); !ok {
			t.Errorf("%T has no MarshalJSON for values", k.New())
		}
	}
}

// TestJSONJudgesNothing: what another version of the program published is kept.
func TestJSONJudgesNothing(t *testing.T) {
	for _, text := range []string{
		`{"id":"not an ID\u0000","kind":"entity","version":0,"entity_type":"galaxy","name":"","member_of_later":{"a":[1.50,null]},"x_own":1e2}`,
		`{"id":"","kind":"evidence","version":1,"source_links":[],"evidence_id":"other","evidence_type":"","finding":"","evidence_label":"certain","effect":{"measure":"","value":null}}`,
		`{"id":"a","kind":"healthcare_statistic","version":1,"indicator":"","ref_area_scheme":"","ref_area":"","time_period":"never","value":0.050,"unit":"","unit_label":"","obs_status":"","decimals":0,"dimensions":{"":"","b":" ","a":"1"}}`,
	} {
		rec, err := Unmarshal([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := encode(t, rec)
		for _, part := range strings.Split(strings.Trim(text, "{}"), ",") {
			if !strings.Contains(got, part) {
				t.Errorf("%s\nlost %s:\n%s", text, part, got)
			}
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1}`:                        "/id: id must be text, not the number 1",
		`{"id":"a","version":1.5}`:        "/version: version must be a whole number, not 1.5",
		`{"id":"a","value":"5"}`:          `/value: value must be a number, not "5"`,
		`{"id":"a","id":"b"}`:             `duplicate member "id"`,
		`{"id":"a","x_a":1,"x_a":2}`:      `duplicate member "x_a"`,
		`{"id":"a","kind":"signal"}`:      "a is of kind signal, not healthcare_statistic",
		`{"id":"a","aliases":[null]}`:     `"aliases" has an empty element`,
		`{"id":"a","dimensions":{"a":1}}`: "must be text",
		`[]`:                              "a record must be a JSON object",
		`{"x_deep":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`: "deep",
	} {
		var s HealthcareStatistic
		if err := json.Unmarshal([]byte(text), &s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"id":"a"}`: `unknown kind ""`, `{"kind":"sigal"}`: `unknown kind "sigal"`, `{`: "invalid JSON", `1`: "unknown kind",
	} {
		if _, err := Unmarshal([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestJSONReplacesWhatWasThere: memory that is used again keeps nothing of the record before.
func TestJSONReplacesWhatWasThere(t *testing.T) {
	e := Entity{Name: "before"}
	e.Title, e.Extra = "before", []Extra{{"x_before", "1"}}
	if err := json.Unmarshal([]byte("null"), &e); err != nil || e.Name != "before" {
		t.Errorf("null: %v, %+v", err, e)
	}
	must.Do(t, json.Unmarshal([]byte(`{"id":"a"}`), &e))
	want := Entity{}
	want.ID = "a"
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
