package fields

import (
	"testing"

	"stele/internal/base/schema"
	"stele/internal/testkit/must"
)

// TestPack: a value comes back from a hidden field with the numbers of its elements, and what is
// not a value is refused.
func TestPack(t *testing.T) {
	list := &Node{Name: "list", Type: schema.Array, List: []*Node{{Text: "a"}, {Text: "b", Shared: true, From: 1}}}
	was := &Node{Type: schema.Object, List: []*Node{list}}
	now := new(Node)
	must.Do(t, Unpack(Pack(was), now))
	if !now.Same(was) || now.List[0].List[1].From != 1 || !now.List[0].List[1].Shared {
		t.Errorf("%+v", now.List[0].List[1])
	}
	for _, wrong := range []any{map[string]any{"l": []any{nil}}, map[string]any{"l": 1}, []int{1}} {
		if err := Unpack(Pack(wrong), new(Node)); err == nil {
			t.Errorf("%v is read", wrong)
		}
	}
}
