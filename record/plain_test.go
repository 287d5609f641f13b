package record

import "testing"

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
		typ          Type
		member, text string
		code         Code // "" where it is read
		get          func(*values) any
		want         any
	}{
		{Plain, "text", "12", "", func(v *values) any { return v.Text }, "12"},
		{Cell, "text", "12", "", func(v *values) any { return v.Text }, "12"},
		{Plain, "text", "true", WrongValue, func(v *values) any { return v.Text }, ""},
		{Cell, "text", "true", "", func(v *values) any { return v.Text }, "true"},
		{Plain, "text", "null", WrongValue, func(v *values) any { return v.Text }, ""},
		{Plain, "text", "~", WrongValue, func(v *values) any { return v.Text }, ""},
		{Plain, "text", "", WrongValue, func(v *values) any { return v.Text }, ""},
		{Cell, "text", "null", "", func(v *values) any { return v.Text }, "null"},
		{String, "text", "~", "", func(v *values) any { return v.Text }, "~"},
		{Plain, "date", "2026-11-14", "", func(v *values) any { return v.Date }, Date("2026-11-14")},
		{Cell, "date", "2026-11-31", MalformedDate, func(v *values) any { return v.Date }, Date("")},
		{Plain, "list", "strong", "", func(v *values) any { return v.List }, Strength("strong")},
		{Cell, "list", "weak", NotInList, func(v *values) any { return v.List }, Strength("")},
		{Plain, "number", "0.050", "", func(v *values) any { return v.Number }, Number("0.050")},
		{Cell, "number", "0.050", "", func(v *values) any { return v.Number }, Number("0.050")},
		{Plain, "number", ".5", WrongValue, func(v *values) any { return v.Number }, Number("")},
		{Cell, "number", "1,5", WrongValue, func(v *values) any { return v.Number }, Number("")},
		{String, "number", "1", WrongValue, func(v *values) any { return v.Number }, Number("")},
		{Plain, "whole", "7", "", func(v *values) any { return *v.Whole }, int64(7)},
		{Cell, "whole", "0", "", func(v *values) any { return *v.Whole }, int64(0)},
		{Plain, "whole", "7.0", WrongValue, func(v *values) any { return *v.Whole }, int64(0)},
		{Plain, "whole", "9223372036854775808", WrongValue, func(v *values) any { return *v.Whole }, int64(0)},
		{Plain, "bool", "true", "", func(v *values) any { return v.Bool }, true},
		{Cell, "bool", "true", "", func(v *values) any { return v.Bool }, true},
		{Plain, "bool", "yes", WrongValue, func(v *values) any { return v.Bool }, false},
		{String, "bool", "true", WrongValue, func(v *values) any { return v.Bool }, false},
	} {
		var tree Tree
		tree.Reset("a.yaml")
		tree.Open(Object, Pos{1, 1})
		tree.Member(c.member, Pos{1, 1})
		tree.Scalar(c.typ, c.text, Pos{1, 9})
		tree.Close()
		var v values
		problems := DecodeInto(&tree, &v)
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
	var tree Tree
	tree.Reset("a.yaml")
	tree.Open(Object, Pos{1, 1})
	tree.Member("terms", Pos{1, 1})
	tree.Open(Object, Pos{1, 8})
	for i, text := range []string{"12", "true", "", "word"} {
		tree.Member([]string{"a", "b", "c", "a"}[i], Pos{int32(i + 2), 1})
		tree.Scalar(Plain, text, Pos{int32(i + 2), 4})
	}
	tree.Close()
	tree.Close()
	var v struct {
		Terms Terms `json:"terms" doc:"Terms."`
	}
	problems := DecodeInto(&tree, &v)
	if len(v.Terms) != 1 || v.Terms.Get("a") != "12" || v.Terms.Get("b") != "" {
		t.Errorf("read as %v", v.Terms)
	}
	want := []Problem{{Code: WrongValue, Line: 3}, {Code: WrongValue, Line: 4}, {Code: DuplicateMember, Line: 5}}
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
		var tree Tree
		tree.Reset("a.yaml")
		tree.Open(Object, Pos{1, 1})
		tree.Member("x_own", Pos{1, 1})
		tree.Scalar(Plain, text, Pos{1, 8})
		tree.Close()
		rec, _, _ := new(Decoder).Decode(KindNamed("entity"), &tree)
		if extra := rec.Common().Extra; len(extra) != 1 || extra[0].JSON != want {
			t.Errorf("%q is carried as %v, want %s", text, extra, want)
		}
	}
}
