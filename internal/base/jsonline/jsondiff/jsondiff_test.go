package jsondiff_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/base/jsonline/jsondiff"
	"stele/internal/testkit/must"
)

func differences(t interface{ Fatal(...any) }, old, now any) []jsondiff.Difference {
	a, err1 := json.Marshal(old)
	b, err2 := json.Marshal(now)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	list, err := jsondiff.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// documents are JSON values with few names, so that two of them have something in common.
func documents(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](
			true,
		),
		rapid.Just[any](json.Number("0.050")),
		rapid.Just[any](json.Number("0.05")),
		rapid.Just[any](json.Number("1e400")),
		rapid.Map(rapid.SampledFrom([]string{"", "a", "é", "/", "~"}), func(s string) any { return s }),
	)
	if depth == 0 {
		return leaf
	}
	names := rapid.SampledFrom([]string{"a", "b", "a/b", "~", "~1", "", "10", "9"})
	return rapid.OneOf(
		leaf,
		rapid.Map(rapid.SliceOfN(documents(depth-1), 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(names, documents(depth-1), 0, 4), func(m map[string]any) any { return m }),
	)
}

func TestDifferencesApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, now := documents(3).Draw(t, "old"), documents(3).Draw(t, "new")
		list := differences(t, old, now)
		if !slices.IsSortedFunc(
			list,
			func(x, y jsondiff.Difference) int { return strings.Compare(x.Pointer, y.Pointer) },
		) {
			t.Fatalf("not sorted: %v", list)
		}
		if (len(list) == 0) != reflect.DeepEqual(old, now) {
			t.Fatalf("%v and %v differ in %v", old, now, list)
		}
		if got := apply(old, list); !reflect.DeepEqual(got, now) {
			t.Fatalf("applying %v to %v gives %v, want %v", list, old, got, now)
		}
		back := differences(t, now, old)
		for i := range back {
			back[i].Old, back[i].New = back[i].New, back[i].Old
		}
		if !reflect.DeepEqual(back, list) {
			t.Fatalf("the other way round they are %v, not %v", back, list)
		}
	})
}

// apply makes the new document from the old one and the differences. No value in it is null.
func apply(doc any, list []jsondiff.Difference) any {
	list = slices.Clone(list)
	// Elements are added at the end of a list, and taken away from it, in the order of their
	// numbers.
	slices.SortStableFunc(list, func(x, y jsondiff.Difference) int {
		a, b := strings.Split(x.Pointer, "/"), strings.Split(y.Pointer, "/")
		i, errA := strconv.Atoi(a[len(a)-1])
		j, errB := strconv.Atoi(b[len(b)-1])
		if len(a) != len(b) || errA != nil || errB != nil || !slices.Equal(a[:len(a)-1], b[:len(b)-1]) {
			return 0
		}
		if x.New == nil && y.New == nil {
			return j - i
		}
		return i - j
	})
	for _, d := range list {
		doc = set(doc, strings.Split(d.Pointer, "/")[1:], d.New)
	}
	return doc
}

func set(doc any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	switch x := doc.(type) {
	case map[string]any:
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
		copied := map[string]any{}
		for k, v := range x {
			copied[k] = v
		}
		if len(path) == 1 && value == nil {
			delete(copied, name)
		} else {
			copied[name] = set(copied[name], path[1:], value)
		}
		return copied
	case []any:
		i, _ := strconv.Atoi(path[0])
		copied := slices.Clone(x)
		switch {
		case len(path) == 1 && value == nil:
			return copied[:i]
		case i == len(copied):
			return append(copied, value)
		}
		copied[i] = set(copied[i], path[1:], value)
		return copied
	}
	panic("a pointer leads into nothing")
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{`{}`, `{}`, ``},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, ``},
		{`{"a":0.050}`, `{"a":0.05}`, `/a`},
		{`{"a":[1,2,3]}`, `{"a":[1,3]}`, `/a/1 /a/2`},
		{`{"a":[]}`, `{"a":{}}`, `/a`},
		{`{"a":[]}`, `{}`, `/a`},
		{`{"before":null}`, `{"before":{"version":1}}`, `/before`},
		{`{"a":{"b":{"c":1}}}`, `{"a":{"b":{"c":2,"d":3}}}`, `/a/b/c /a/b/d`},
		{`{"x_a/b":1,"x_~":1}`, `{"x_a/b":2,"x_~":2}`, `/x_a~1b /x_~0`},
		{`1`, `2`, ``},
	} {
		list := must.Get(jsondiff.Compare([]byte(c.old), []byte(c.now)))(t)
		var got []string
		for _, d := range list {
			got = append(got, d.Pointer)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s and %s differ in %q", c.old, c.now, got)
		}
	}
	if list, _ := jsondiff.Compare([]byte(`1`), []byte(`2`)); len(list) != 1 || list[0].Pointer != "" {
		t.Errorf("two whole documents differ in %v", list)
	}
	for _, c := range [][2]string{{`{`, `{}`}, {`{}`, ``}} {
		if _, err := jsondiff.Compare([]byte(c[0]), []byte(c[1])); err == nil {
			t.Errorf("%q and %q can be compared", c[0], c[1])
		}
	}
}
