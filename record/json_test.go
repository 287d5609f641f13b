package record

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/schema"
)

// The tests write records as values of these types and of string, json.Number, bool and nil. An
// object keeps the order of its members, because a record has to come out in the declared order
// whatever order it went in with.
type (
	object []member
	member struct {
		name  string
		value any
	}
	array []any
)

// at is the index of a member, or -1.
func (o object) at(name string) int {
	for i, m := range o {
		if m.name == name {
			return i
		}
	}
	return -1
}

func (o object) get(name string) any {
	if i := o.at(name); i >= 0 {
		return o[i].value
	}
	return nil
}

// with is the object with a member set; a new one stands at the end.
func (o object) with(name string, value any) object {
	o = append(object(nil), o...)
	if i := o.at(name); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, member{name, value})
}

func (o object) without(name string) object {
	rest := object{}
	for _, m := range o {
		if m.name != name {
			rest = append(rest, m)
		}
	}
	return rest
}

// render writes a value as JSON. Texts are escaped as encoding/json does it, so reading has escapes
// to undo.
func render(v any) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case object:
		for i, m := range v {
			b.WriteString(opening(i, '{'))
			write(b, m.name)
			b.WriteString(":")
			write(b, m.value)
		}
		b.WriteString(closing(len(v), "{}"))
	case array:
		for i, e := range v {
			b.WriteString(opening(i, '['))
			write(b, e)
		}
		b.WriteString(closing(len(v), "[]"))
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // the types above are all there are
		}
		b.Write(text)
	}
}

func opening(i int, bracket byte) string {
	if i == 0 {
		return string(bracket)
	}
	return ","
}

func closing(n int, brackets string) string {
	if n == 0 {
		return brackets
	}
	return brackets[1:]
}

// treeOf reads JSON into a tree with positions.
func treeOf(tb testing.TB, text string) *schema.Tree {
	tb.Helper()
	t := new(schema.Tree)
	t.Reset("record.json")
	dec := jsontext.NewDecoder(strings.NewReader(text))
	at, seen := schema.Pos{Line: 1, Column: 1}, 0
	for {
		for start := int(dec.InputOffset()); seen < len(text) &&
			(seen < start || strings.IndexByte(" \n,:", text[seen]) >= 0); {
			r, size := utf8.DecodeRuneInString(text[seen:])
			seen += size
			if at.Column++; r == '\n' {
				at = schema.Pos{Line: at.Line + 1, Column: 1}
			}
		}
		in, length := dec.StackIndex(dec.StackDepth())
		token, err := dec.ReadToken()
		if err != nil {
			tb.Fatalf("%v\n%s", err, text)
		}
		switch kind := token.Kind(); {
		case in == '{' && length%2 == 0 && kind == '"':
			t.SetName(token.String(), at)
			continue
		case kind == '{' || kind == '[':
			t.Open(map[jsontext.Kind]schema.Type{'{': schema.Object, '[': schema.Array}[kind], at)
		case kind == '}' || kind == ']':
			t.Close()
		default:
			t.AddScalar(
				map[jsontext.Kind]schema.Type{
					'"': schema.String, '0': schema.Digits, 't': schema.Bool, 'f': schema.Bool, 'n': schema.Null,
				}[kind],
				token.String(),
				at,
			)
		}
		if dec.StackDepth() == 0 {
			if _, err := dec.ReadToken(); err != io.EOF {
				tb.Fatalf("more follows: %v\n%s", err, text)
			}
			return t
		}
	}
}

// valueOf is node i of a tree as a value of the tests.
func valueOf(t *schema.Tree, i int32) any {
	n := &t.Nodes[i]
	switch n.Type {
	case schema.Object:
		o := object{}
		for c := range t.Children(i) {
			o = append(o, member{t.Nodes[c].Name, valueOf(t, c)})
		}
		return o
	case schema.Array:
		a := array{}
		for c := range t.Children(i) {
			a = append(a, valueOf(t, c))
		}
		return a
	case schema.Digits:
		return json.Number(n.Text)
	case schema.Bool:
		return n.Text == "true"
	case schema.Null:
		return nil
	}
	return n.Text
}

// decode reads JSON as a record of a kind.
func decode(tb testing.TB, k *Kind, text string) (Record, []schema.Problem) {
	tb.Helper()
	rec, _, problems := new(Parser).Decode(k, treeOf(tb, text))
	return rec, problems
}
