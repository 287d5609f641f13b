package record

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"stele/internal/base/schema"
	"stele/internal/testkit/must"
)

// formatCase is a text and what a publisher is told to write instead.
type formatCase struct{ text, fix string }

const (
	right  = "(nothing: the text is right)"
	silent = "" // the text is wrong, and what was meant cannot be known
)

// checkFormat runs cases through a function that says what is wrong with a text.
func checkFormat(t *testing.T, cases []formatCase, problem func(string) (message, fix string)) {
	t.Helper()
	for _, c := range cases {
		message, fix := problem(c.text)
		switch {
		case c.fix == right && (message != "" || fix != ""):
			t.Errorf("%q is refused: %s; %s", c.text, message, fix)
		case c.fix != right && message == "":
			t.Errorf("%q is accepted", c.text)
		case c.fix != right && fix != c.fix:
			t.Errorf("%q: told %q, want %q", c.text, fix, c.fix)
		}
	}
}

// proposal is the text that a fix proposes, and "" where it only tells what such a text looks like.
func proposal(fix, generic string) string {
	if strings.HasPrefix(fix, generic) || strings.Contains(fix, ";") { // or there are several
		return ""
	}
	return strings.Trim(strings.TrimPrefix(fix, "write "), `"`)
}

// formatSchema is the JSON Schema of a format, compiled.
func formatSchema[T any](tb testing.TB) *jsonschema.Schema {
	tb.Helper()
	text := must.Get(json.Marshal(schema.ShapeOf[T]().Format.Schema))(tb)
	return compile(tb, text)
}

// compile makes a validator of a JSON Schema. That checks the schema against the metaschema of its
// draft.
func compile(tb testing.TB, schema []byte) *jsonschema.Schema {
	tb.Helper()
	doc := must.Get(jsonschema.UnmarshalJSON(strings.NewReader(string(schema))))(tb)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	must.Do(tb, c.AddResource("urn:test", doc))
	s := must.Get(c.Compile("urn:test"))(tb)
	return s
}

func TestSHA256(t *testing.T) {
	const digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	const generic = "write 64 hexadecimal digits, as sha256sum prints them"
	cases := []formatCase{
		{digest, right},
		{strings.ToUpper(digest), "write " + digest},
		{strings.ToUpper(digest[:1]) + digest[1:], "write " + digest},
		{digest[1:], generic},
		{digest + "0", generic},
		{"g" + digest[1:], generic},
		{"G" + digest[1:], generic},
		{"sha256:" + digest, generic},
		{"", generic},
	}
	checkFormat(t, cases, digestProblem)
	schema := formatSchema[SHA256](t)
	for _, c := range cases {
		if valid := schema.Validate(c.text) == nil; valid != (c.fix == right) {
			t.Errorf("the schema says %v of %q", valid, c.text)
		}
	}
}
