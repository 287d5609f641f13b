package reuse

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Reasons and Effects are members whose values belong together: a copy may leave them out, but not
// change them. A label without its reasons, or an effect without its interval, is Less.

// outcomeColumns are the columns of a table of outcomes, and their paths in the members.
var outcomeColumns = map[string]leafAt{
	"measure": {keys[Effects], "measure"}, "value": {keys[Effects], "value"}, "lower": {keys[Effects], "lower"},
	"upper": {keys[Effects], "upper"}, "interval": {keys[Effects], "interval"}, "level": {keys[Effects], "level"},
	"participants": {keys[Effects], "participants"}, "studies": {keys[Effects], "studies"}, "size": {keys[Effects], "size"},
	"assumed": {keys[Effects], "risks.assumed"}, "per": {keys[Effects], "risks.per"},
	"corresponding": {keys[Effects], "risks.corresponding"}, "corresponding_lower": {keys[Effects], "risks.lower"},
	"corresponding_upper": {keys[Effects], "risks.upper"}, "start": {keys[Reasons], "start"}, "scheme": {keys[Reasons], "scheme"},
}

// groupColumn returns the path of a column within the member that a group of values is in, such as
// "lower" for effect.lower.
func (c *columns) groupColumn(t Thing, column string) (path string, ok bool) {
	name := strings.ToLower(strings.TrimSpace(column))
	if name == keys[t] {
		return "", true
	}
	if at := outcomeColumns[name]; at.path == keys[t] && slices.Contains(c.names, "assumed") && slices.Contains(c.names, "outcome") {
		return at.text, true
	}
	return strings.CutPrefix(name, keys[t]+".")
}

// leafAt is a text or a number with its path, such as risks.0.assumed.
type leafAt struct{ path, text string }

// leavesAt returns the leaves of a cell: those of nested JSON, those of Python or DuckDB notation,
// or the cell itself.
func leavesAt(path, cell string) []leafAt {
	cell = strings.TrimSpace(cell)
	if cell == "" || cell[0] != '{' && cell[0] != '[' {
		return []leafAt{{path, cell}}
	}
	for _, data := range []string{cell, jsonFromPrinted(cell)} {
		if list, err := appendLeaves(nil, jsontext.NewDecoder(bytes.NewBufferString(data)), path); err == nil {
			return list
		}
	}
	return []leafAt{{path, cell}}
}

func appendLeaves(list []leafAt, d *jsontext.Decoder, path string) ([]leafAt, error) {
	token, err := d.ReadToken()
	if err != nil {
		return list, err
	}
	inner := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	switch token.Kind() {
	case '{':
		for d.PeekKind() != '}' && err == nil {
			var name jsontext.Token
			if name, err = d.ReadToken(); err == nil {
				list, err = appendLeaves(list, d, inner(name.String()))
			}
		}
	case '[':
		for i := 0; d.PeekKind() != ']' && err == nil; i++ {
			list, err = appendLeaves(list, d, inner(strconv.Itoa(i)))
		}
	case 'n':
		return list, nil
	default:
		return append(list, leafAt{path, token.String()}), nil
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	return list, err
}

// checkGroup compares the cells of a group with the published member. Each value in the copy must
// equal the published value at the same path, but the copy may omit values.
func checkGroup(cells []string, published string) result {
	var have []leafAt
	for _, cell := range cells {
		if path, content, _ := strings.Cut(cell, "\x00"); !isEmpty(content) {
			have = append(have, leavesAt(path, content)...)
		}
	}
	switch {
	case published == "" && len(have) == 0:
		return result{verdict: NotApplicable}
	case published == "":
		return result{verdict: Altered, why: "the record has none", copy: have[0].text}
	}
	want := leavesAt("", published)
	found := make([]bool, len(want))
	for _, h := range have {
		known, matched := "", false
		for i, w := range want {
			switch {
			case w.path != h.path && withoutIndexes(w.path) != h.path:
			case equalLeaves(w.text, h.text):
				found[i], matched = true, true
			default:
				known = w.path + ": " + w.text
			}
		}
		if !matched {
			j := result{verdict: Altered, published: known, copy: h.path + ": " + h.text}
			if known == "" {
				j.why = "something was added"
			}
			return j
		}
	}
	var missing []string
	for i, w := range want {
		if !found[i] {
			missing = append(missing, w.path)
		}
	}
	if len(missing) == 0 {
		return result{verdict: Kept}
	}
	return result{verdict: Less, why: "some of the values that belong together are missing", published: strings.Join(missing, ", ")}
}

// withoutIndexes returns a path without its list indexes.
func withoutIndexes(path string) string {
	parts := strings.Split(path, ".")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return strings.Trim(p, "0123456789") == "" }), ".")
}

// equalLeaves reports whether a and b are equal. It compares numbers by value, and texts in their
// normal form.
func equalLeaves(a, b string) bool {
	if a == b || normalizeText(a) == normalizeText(b) {
		return true
	}
	if len(a) > 64 || len(b) > 64 || strings.ContainsAny(a+b, "eE/") {
		return false
	}
	x, ok := new(big.Rat).SetString(a)
	y, also := new(big.Rat).SetString(b)
	return ok && also && x.Cmp(y) == 0
}
