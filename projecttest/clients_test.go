package projecttest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/record"
)

// typeWriter writes the types of records in another language. They follow from the same shapes as
// the JSON Schemas.
type typeWriter interface {
	list(name string, words []string, open bool)
	object(s *schema.Shape, name, doc, kind string)
}

// writeTypes walks down from the kinds, so that what an object has comes before it.
func writeTypes(w typeWriter) {
	done := map[reflect.Type]bool{}
	var walk func(s *schema.Shape, kind *record.Kind)
	walk = func(s *schema.Shape, kind *record.Kind) {
		if s.Type == schema.Array {
			s = s.Elem
		}
		if done[s.Go] || s.List == nil && (s.Type != schema.Object || s.Open) {
			return
		}
		done[s.Go] = true
		for _, m := range s.Members {
			walk(m.Shape, nil)
		}
		switch {
		case s.List != nil:
			w.list(s.Go.Name(), s.Words(), s.Format != nil)
		case kind != nil:
			w.object(s, s.Go.Name(), kind.Doc, kind.Name)
		default:
			w.object(s, typeNameOf(s), "", "")
		}
	}
	for _, k := range record.Kinds {
		walk(k.Shape(), k)
	}
}

// typeNameOf is what a type is called, pointer or not.
func typeNameOf(s *schema.Shape) string {
	t := s.Go
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// pythonTypes writes TypedDicts. Python 3.9 has no word for a member that need not be there, so
// those that must be there stand in a class of their own.
type pythonTypes struct{ strings.Builder }

func (p *pythonTypes) list(name string, words []string, open bool) {
	if open {
		fmt.Fprintf(p, "\n\n%s = str  # %s, or a word of the publisher's own\n", name, strings.Join(words, ", "))
		return
	}
	fmt.Fprintf(p, "\n\n%s = Literal[\n    \"%s\",\n]\n", name, strings.Join(words, "\",\n    \""))
}

func (p *pythonTypes) object(s *schema.Shape, name, doc, kind string) {
	write := func(required bool) {
		none := true
		for _, m := range s.Members {
			if m.Required != required {
				continue
			}
			none = false
			t := p.typeOf(m.Shape)
			if m.Name == "kind" && kind != "" {
				t = `Literal["` + kind + `"]`
			}
			if m.Nullable {
				t = "Optional[" + t + "]"
			}
			fmt.Fprintf(p, "    %s: %s  # %s\n", m.Name, t, m.Doc)
		}
		if none {
			p.WriteString("    pass\n")
		}
	}
	fmt.Fprintf(p, "\n\nclass _%s(TypedDict):\n", name)
	write(true)
	fmt.Fprintf(p, "\n\nclass %s(_%s, total=False):\n", name, name)
	if doc != "" {
		fmt.Fprintf(p, "    \"\"\"%s\"\"\"\n\n", doc)
	}
	write(false)
	if kind != "" {
		fmt.Fprintf(p, "\n\n%s: Kind[%s] = Kind(\"%s\")\n", strings.ToUpper(kind), name, kind)
	}
}

func (p *pythonTypes) typeOf(s *schema.Shape) string {
	switch {
	case s.Type == schema.Array:
		return "List[" + p.typeOf(s.Elem) + "]"
	case s.Open:
		return "Dict[str, str]"
	case s.Type == schema.Object, s.List != nil:
		return typeNameOf(s)
	case s.Type == schema.Bool:
		return "bool"
	case s.Integer:
		return "int"
	case s.Type == schema.Digits:
		return "Number"
	}
	return "str"
}

func pythonRecords() string {
	p := new(pythonTypes)
	p.WriteString(`"""The types of records, written by make docs. No stability of any schema is promised.

A record may also have members of the publisher's own, whose names begin with x_.
"""

from decimal import Decimal
from typing import Dict, Generic, List, Literal, Optional, TypedDict, TypeVar, Union

R = TypeVar("R")
Number = Union[int, Decimal]  # with the digits of its author


class Kind(str, Generic[R]):
    """The name of a kind, whose records have a type."""

`)
	writeTypes(p)
	names := []string{"Kind", "Number"}
	for _, k := range record.Kinds {
		names = append(names, strings.ToUpper(k.Name), k.Shape().Go.Name())
	}
	slices.Sort(names)
	fmt.Fprintf(p, "\n__all__ = [\n    \"%s\",\n]\n", strings.Join(names, "\",\n    \""))
	return p.String()
}

// typescriptTypes writes interfaces.
type typescriptTypes struct{ strings.Builder }

func (w *typescriptTypes) list(name string, words []string, open bool) {
	if open { // the type is a text, and editors offer the words
		fmt.Fprintf(w, "\nexport type %s =\n  | \"%s\"\n  | (string & {});\n", name, strings.Join(words, "\"\n  | \""))
		return
	}
	fmt.Fprintf(w, "\nexport type %s =\n  | \"%s\";\n", name, strings.Join(words, "\"\n  | \""))
}

func (w *typescriptTypes) object(s *schema.Shape, name, doc, kind string) {
	if doc != "" {
		fmt.Fprintf(w, "\n/** %s */", doc)
	}
	fmt.Fprintf(w, "\nexport interface %s {\n", name)
	for _, m := range s.Members {
		t, optional := w.typeOf(m.Shape), "?"
		if m.Name == "kind" && kind != "" {
			t = `"` + kind + `"`
		}
		if m.Nullable {
			t += " | null"
		}
		if m.Required {
			optional = ""
		}
		fmt.Fprintf(w, "  /** %s */\n  %s%s: %s;\n", m.Doc, m.Name, optional, t)
	}
	if s.Extra {
		w.WriteString("  /** A member of the publisher's own. */\n  [x: `x_${string}`]: unknown;\n")
	}
	w.WriteString("}\n")
}

func (w *typescriptTypes) typeOf(s *schema.Shape) string {
	switch {
	case s.Type == schema.Array:
		return w.typeOf(s.Elem) + "[]"
	case s.Open:
		return "Record<string, string>"
	case s.Type == schema.Object, s.List != nil:
		return typeNameOf(s)
	case s.Type == schema.Bool:
		return "boolean"
	case s.Integer:
		return "number"
	case s.Type == schema.Digits:
		return "number | Digits"
	}
	return "string"
}

func typescriptRecords() string {
	w := new(typescriptTypes)
	w.WriteString("// The types of records, written by make docs. No stability of any schema is promised.\n\n" +
		"import type { Digits } from \"./stele.mjs\";\n")
	writeTypes(w)
	w.WriteString("\n/** The types of records, by the names of their kinds. */\nexport interface Kinds {\n")
	for _, k := range record.Kinds {
		fmt.Fprintf(w, "  %s: %s;\n", k.Name, k.Shape().Go.Name())
	}
	w.WriteString("}\n")
	return w.String()
}
