package jsonline

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzMembers: an object is taken apart as a library for any JSON does it, and nothing brings it
// down.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":null,"b":[1,{"c":"]}"}],"d":"\"\\"}`, `{ "a" : true , "\u0062":-1.5e3 }`,
		`{"a":"\\","b":{}}`, `{"a":[[],[{}]]}`, `{"a":1,}`, `{"a"}`, `{"a":"}`, `{"a":1}}`, `[1]`, ``, `{"a":1`, `{"a":]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var got []Member
		var failed error
		for m, err := range Members(object) {
			if failed = err; err == nil {
				got = append(got, m)
			}
		}
		if v := jsontext.Value(object); v.Kind() != jsontext.KindBeginObject || !v.IsValid() {
			return // what is no JSON need only end
		}
		if failed != nil {
			t.Fatal(failed)
		}
		d := jsontext.NewDecoder(bytes.NewReader(object))
		d.ReadToken() // the brace
		for _, m := range got {
			name, err := d.ReadToken()
			if err != nil || name.String() != string(m.Name) {
				t.Fatalf("the name %q is read as %q: %v", name, m.Name, err)
			}
			value, err := d.ReadValue()
			if err != nil || !bytes.Equal(value, m.Value) {
				t.Fatalf("the value %s is read as %s: %v", value, m.Value, err)
			}
		}
		if d.PeekKind() != jsontext.KindEndObject {
			t.Fatalf("%d members of more", len(got))
		}
	})
}

// FuzzElements: a list is taken apart as a library for any JSON does it, and nothing brings it
// down.
func FuzzElements(f *testing.F) {
	for _, seed := range []string{
		`[]`, ` [ ] `, `[1]`, `["a","]"]`, `[ {"a":[1,2]} , null,-1.5e3 ]`, `[[],[[]]]`, `[1,]`, `["]`, `[1]]`, `{}`, ``, `[1`, `[,]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		var got [][]byte
		var failed error
		for element, err := range Elements(list) {
			if failed = err; err == nil {
				got = append(got, element)
			}
		}
		if v := jsontext.Value(list); v.Kind() != jsontext.KindBeginArray || !v.IsValid() {
			return // what is no JSON need only end
		}
		if failed != nil {
			t.Fatal(failed)
		}
		d := jsontext.NewDecoder(bytes.NewReader(list))
		d.ReadToken() // the bracket
		for _, element := range got {
			value, err := d.ReadValue()
			if err != nil || !bytes.Equal(value, element) {
				t.Fatalf("the element %s is read as %s: %v", value, element, err)
			}
		}
		if d.PeekKind() != jsontext.KindEndArray {
			t.Fatalf("%d elements of more", len(got))
		}
	})
}
