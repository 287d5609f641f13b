// Package jsondiff finds the differences between two JSON documents.
package jsondiff

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Difference is a value that differs between two JSON documents.
type Difference struct {
	Pointer  string // JSON Pointer
	Old, New any    // as encoding/json decodes them, with json.Number; nil if missing
}

// Compare returns the differences between two JSON documents, sorted by pointer. Numbers differ if
// their digits differ.
func Compare(old, now []byte) ([]Difference, error) {
	old, now = Trim(old, now)
	a, err := decode(old)
	if err != nil {
		return nil, err
	}
	b, err := decode(now)
	if err != nil {
		return nil, err
	}
	var list []Difference
	compareValues("", a, b, &list)
	return sortByPointer(list), nil
}

func sortByPointer(list []Difference) []Difference {
	slices.SortFunc(list, func(x, y Difference) int { return strings.Compare(x.Pointer, y.Pointer) })
	return list
}

func decode(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// maxPointer is the length of pointers, in bytes, beyond which values are not compared in parts.
const maxPointer = 1000

// compareValues appends the differences between a and b, which are the values at the pointer at, to
// list.
func compareValues(at string, a, b any, list *[]Difference) {
	if len(at) > maxPointer && !reflect.DeepEqual(a, b) {
		*list = append(*list, Difference{at, a, b})
		return
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			compareObjects(at, x, y, list)
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			compareLists(at, x, y, list)
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		*list = append(*list, Difference{at, a, b})
	}
}

func compareLists(at string, a, b []any, list *[]Difference) {
	for i := range max(len(a), len(b)) {
		p := at + "/" + strconv.Itoa(i)
		switch {
		case i >= len(a):
			*list = append(*list, Difference{p, nil, b[i]})
		case i >= len(b):
			*list = append(*list, Difference{p, a[i], nil})
		default:
			compareValues(p, a[i], b[i], list)
		}
	}
}

// escapeStep writes a name as a step of a JSON Pointer.
var escapeStep = strings.NewReplacer("~", "~0", "/", "~1")

func compareObjects(at string, a, b map[string]any, list *[]Difference) {
	for name, v := range a {
		p := at + "/" + escapeStep.Replace(name)
		if w, ok := b[name]; ok {
			compareValues(p, v, w, list)
		} else {
			*list = append(*list, Difference{p, v, nil})
		}
	}
	for name, w := range b {
		if _, ok := a[name]; !ok {
			*list = append(*list, Difference{at + "/" + escapeStep.Replace(name), nil, w})
		}
	}
}
