package schema

import (
	"fmt"
	"testing"

	"stele/internal/testkit/must"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{`{}`, `{}`, ``},
		{`{"properties": {"a": {}}}`, `{"properties": {"a": {"description": "What it is."}}}`, ``},
		{`{"properties": {"a": {}}}`, `{"properties": {"b": {}}}`, `a removed, b added`},
		{`{"properties": {"a": {}}}`, `{"properties": {"a": {}}, "required": ["a"]}`, `a required`},
		{`{"properties": {"a": {}}, "required": ["a"]}`, `{"properties": {"a": {}}}`, `a optional`},
		{`{"properties": {"a": {"enum": ["x", "y"]}}}`, `{"properties": {"a": {"enum": ["y", "x"]}}}`, ``},
		{`{"properties": {"a": {"enum": ["x", "y"]}}}`, `{"properties": {"a": {"enum": ["x"]}}}`, `a narrowed`},
		{`{"properties": {"a": {"enum": ["x"]}}}`, `{"properties": {"a": {"enum": ["x", "y"]}}}`, `a widened`},
		{`{"properties": {"a": {"enum": ["x"]}}}`, `{"properties": {"a": {"enum": ["y"]}}}`, `a changed`},
		{`{"properties": {"a": {}}}`, `{"properties": {"a": {"enum": ["y"]}}}`, `a narrowed`},
		{`{"properties": {"a": {"maxLength": 9}}}`, `{"properties": {"a": {"maxLength": 8}}}`, `a narrowed`},
		{`{"properties": {"a": {"minimum": 9}}}`, `{"properties": {"a": {"minimum": 8}}}`, `a widened`},
		{`{"properties": {"a": {"minimum": 9}}}`, `{"properties": {"a": {}}}`, `a widened`},
		{`{"properties": {"a": {"type": "string"}}}`, `{"properties": {"a": {"type": "number"}}}`, `a changed`},
		{
			`{"properties": {"a": {"type": "array", "items": {"properties": {"b": {}}}}}}`,
			`{"properties": {"a": {"type": "array", "items": {"properties": {"b": {"maxLength": 3}, "c": {}}}}}}`,
			`a/b narrowed, a/c added`,
		},
	} {
		differences := must.Get(Compare([]byte(c.before), []byte(c.after)))(t)
		got := ""
		for i, d := range differences {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprint(d.Member, " ", d.Change)
		}
		if got != c.want {
			t.Errorf("%s to %s: %q, want %q", c.before, c.after, got, c.want)
		}
	}
	if _, err := Compare([]byte(`{`), []byte(`{}`)); err == nil {
		t.Error("half a schema is compared")
	}
}
