package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// replacements stand in the place of each value, one after the other: each wrong for most members
// and right for some.
//
// 1.0 is not among them: JSON Schema counts it as an integer, and the checker wants whole numbers
// written without a point.
var replacements = []any{
	nil, true, false,
	json.Number("0"), json.Number("-1"), json.Number("1"), json.Number("2.5"),
	"", " \t\n", "word", "O", strings.Repeat("ü", 160), strings.Repeat("ü", 161),
	"2026-11-14", "2026-02-30", "2016-Q3", "2016-Q5", "2016/P",
	"a..b", "con", strings.Repeat("a", 129),
	"https://example.org/a", "ftp://example.org/a", "https://user@example.org/a", "https://:80",
	strings.Repeat("0", 64), strings.Repeat("A", 64),
	array{},
	array{nil},
	array{"word"},
	array{"https://example.org/a"},
	array{json.Number("1")},
	array{object{}},
	object{},
	object{{"word", "word"}},
	object{{"word", ""}},
	object{{"word", json.Number("1")}},
	object{{"", "word"}},
	object{{"x_own", "word"}},
}

// edit is a way to change a value.
type edit struct {
	what string
	make func(any) any
}

var replace, alterObject, alterArray = edits()

func edits() (replace, alterObject, alterArray []edit) {
	for _, r := range replacements {
		replace = append(replace, edit{fmt.Sprintf("is %.80s", render(r)), func(any) any { return r }})
	}
	for _, name := range []string{"unknwn", "x_", "X_own", "x_mine", "Title", ""} {
		alterObject = append(
			alterObject,
			edit{"with " + name, func(v any) any { return v.(object).with(name, json.Number("1")) }},
		)
	}
	for _, e := range []any{nil, "id-2", "", json.Number("1"), object{}, array{}} {
		alterArray = append(
			alterArray,
			edit{"with " + render(e), func(v any) any { return append(slices.Clone(v.(array)), e) }},
		)
	}
	return replace, alterObject, alterArray
}

// editsOf are the ways to change the value at a path.
func editsOf(v any, path []any) []edit {
	var all []edit
	if len(path) > 0 {
		all = replace
	}
	switch v := v.(type) {
	case object:
		all = slices.Concat(all, alterObject)
		for _, m := range v {
			all = append(all, edit{"without " + m.name, func(v any) any { return v.(object).without(m.name) }})
		}
	case array:
		all = slices.Concat(all, alterArray)
	}
	return all
}

// places are the paths to the values in a value, the value itself first; of a list the first
// element stands for all. What is in the publisher's own members is left as it is.
func places(v any, path []any) [][]any {
	all := [][]any{slices.Clone(path)}
	switch v := v.(type) {
	case object:
		for _, m := range v {
			if inner := append(path, m.name); strings.HasPrefix(m.name, "x_") {
				all = append(all, slices.Clone(inner))
			} else {
				all = append(all, places(m.value, inner)...)
			}
		}
	case array:
		if len(v) > 0 {
			all = append(all, places(v[0], append(path, 0))...)
		}
	}
	return all
}

func valueAt(v any, path []any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(object).get(step)
		case int:
			v = v.(array)[step]
		}
	}
	return v
}

// change is a value with the value at a path replaced; what it shares with the value that it was
// made from is left alone.
func change(v any, path []any, with func(any) any) any {
	if len(path) == 0 {
		return with(v)
	}
	switch step := path[0].(type) {
	case string:
		return v.(object).with(step, change(v.(object).get(step), path[1:], with))
	default:
		list := slices.Clone(v.(array))
		list[step.(int)] = change(list[step.(int)], path[1:], with)
		return list
	}
}
