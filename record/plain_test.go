package record

import (
	"testing"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// TestPlainAndCells: an unquoted word of YAML and a cell of CSV have the type that is asked for. A
// word that YAML would read as true or false is no text, because its author may have meant either.
func TestPlainAndCells(t *testing.T) {
	type values struct {
		Text   string   `json:"text,omitempty" doc:"Text."`
		Date   Date     `json:"date,omitempty" doc:"Date."`
		List   Strength `json:"list,omitempty" doc:"List."`
		Number Number   `json:"number,omitempty" doc:"Number."`
		Whole  *int64   `json:"whole,omitempty" doc:"Whole."`
		Bool   bool     `json:"bool,omitempty" doc:"Bool."`
		Terms  Terms    `json:"terms,omitempty" doc:"Terms."`
	}
	for _, c := range []struct {
		typ          schema.Type
		member, text string
		code         codes.Code // "" where it is read
		get          func(*values) any
		want         any
	}{
		{schema.Plain, "text", "12", "", func(v *values) any { return v.Text }, "12"},
		{schema.Cell, "text", "12", "", func(v *values) any { return v.Text }, "12"},
		{schema.Plain, "text", "true", codes.WrongValue, func(v *values) any { return v.Text }, ""},
		{schema.Cell, "text", "true", "", func(v *values) any { return v.Text }, "true"},
		{schema.Plain, "text", "null", codes.WrongValue, func(v *values) any { return v.Text }, ""},
		{schema.Plain, "text", "~", codes.WrongValue, func(v *values) any { return v.Text }, ""},
		{schema.Plain, "text", "", codes.WrongValue, func(v *values) any { return v.Text }, ""},
		{schema.Cell, "text", "null", "", func(v *values) any { return v.Text }, "null"},
		{schema.String, "text", "~", "", func(v *values) any { return v.Text }, "~"},
		{schema.Plain, "date", "2026-11-14", "", func(v *values) any { return v.Date }, Date("2026-11-14")},
		{schema.Cell, "date", "2026-11-31", codes.MalformedDate, func(v *values) any { return v.Date }, Date("")},
		{schema.Plain, "list", "strong", "", func(v *values) any { return v.List }, Strength("strong")},
		{schema.Cell, "list", "weak", codes.NotInList, func(v *values) any { return v.List }, Strength("")},
		{schema.Plain, "number", "0.050", "", func(v *values) any { return v.Number }, Number("0.050")},
		{schema.Cell, "number", "0.050", "", func(v *values) any { return v.Number }, Number("0.050")},
		{schema.Plain, "number", ".5", codes.WrongValue, func(v *values) any { return v.Number }, Number("")},
		{schema.Cell, "number", "1,5", codes.WrongValue, func(v *values) any { return v.Number }, Number("")},
		{schema.String, "number", "1", codes.WrongValue, func(v *values) any { return v.Number }, Number("")},
		{schema.Plain, "whole", "7", "", func(v *values) any { return *v.Whole }, int64(7)},
		{schema.Cell, "whole", "0", "", func(v *values) any { return *v.Whole }, int64(0)},
		{schema.Plain, "whole", "7.0", codes.WrongValue, func(v *values) any { return *v.Whole }, int64(0)},
		{schema.Plain, "whole", "9223372036854775808", codes.WrongValue, func(v *values) any { return *v.Whole }, int64(0)},
		{schema.Plain, "bool", "true", "", func(v *values) any { return v.Bool }, true},
		{schema.Cell, "bool", "true", "", func(v *values) any { return v.Bool }, true},
		{schema.Plain, "bool", "yes", codes.WrongValue, func(v *values) any { return v.Bool }, false},
		{schema.String, "bool", "true", codes.WrongValue, func(v *values) any { return v.Bool }, false},
	} {
		var tree schema.Tree
		tree.Reset("a.yaml")
		tree.Open(schema.Object, schema.Pos{Line: 1, Column: 1})
		tree.SetName(c.member, schema.Pos{Line: 1, Column: 1})
		tree.AddScalar(c.typ, c.text, schema.Pos{Line: 1, Column: 9})
		tree.Close()
		var v values
		problems := schema.DecodeInto(&tree, &v)
		switch {
		case c.code == "" && len(problems) > 0, c.code != "" && (len(problems) != 1 || problems[0].Code != c.code):
			t.Errorf("%s %q of type %d: %s; want the code %q", c.member, c.text, c.typ, lines(problems), c.code)
		case c.get(&v) != c.want:
			t.Errorf("%s %q of type %d is read as %v, want %v", c.member, c.text, c.typ, c.get(&v), c.want)
		}
	}
}

// TestPlainTerms: the same for names of the author's own.
func TestPlainTerms(t *testing.T) {
	var tree schema.Tree
	tree.Reset("a.yaml")
	tree.Open(schema.Object, schema.Pos{Line: 1, Column: 1})
	tree.SetName("terms", schema.Pos{Line: 1, Column: 1})
	tree.Open(schema.Object, schema.Pos{Line: 1, Column: 8})
	for i, text := range []string{"12", "true", "", "word"} {
		tree.SetName([]string{"a", "b", "c", "a"}[i], schema.Pos{Line: int32(i + 2), Column: 1})
		tree.AddScalar(schema.Plain, text, schema.Pos{Line: int32(i + 2), Column: 4})
	}
	tree.Close()
	tree.Close()
	var v struct {
		Terms Terms `json:"terms" doc:"Terms."`
	}
	problems := schema.DecodeInto(&tree, &v)
	if len(v.Terms) != 1 || v.Terms.Get("a") != "12" || v.Terms.Get("b") != "" {
		t.Errorf("read as %v", v.Terms)
	}
	want := []schema.Problem{
		{Code: codes.WrongValue, Line: 3},
		{Code: codes.WrongValue, Line: 4},
		{Code: codes.DuplicateMember, Line: 5},
	}
	if len(problems) != len(want) {
		t.Fatalf("problems: %v", problems)
	}
	for i, p := range problems {
		if p.Code != want[i].Code || p.Line != want[i].Line {
			t.Errorf("problem %d is %s", i, p.String())
		}
	}
}

// TestPlainMembersOfThePublisher: where nothing is asked for, a word is what it looks like in JSON.
func TestPlainMembersOfThePublisher(t *testing.T) {
	for text, want := range map[string]string{
		"0.050": "0.050", "-1e2": "-1e2", "true": "true", "null": "null", "~": "null", "": "null", "word": `"word"`, "007": `"007"`, "1_000": `"1_000"`,
	} {
		var tree schema.Tree
		tree.Reset("a.yaml")
		tree.Open(schema.Object, schema.Pos{Line: 1, Column: 1})
		tree.SetName("x_own", schema.Pos{Line: 1, Column: 1})
		tree.AddScalar(schema.Plain, text, schema.Pos{Line: 1, Column: 8})
		tree.Close()
		rec, _, _ := new(Parser).Decode(KindNamed("entity"), &tree)
		if extra := rec.Common().Extra; len(extra) != 1 || extra[0].JSON != want {
			t.Errorf("%q is carried as %v, want %s", text, extra, want)
		}
	}
}
