package record

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// TestRoundTrip: a good record has no errors; encoding it gives what was written, in declared
// order, with what may be left out filled in; and decoding that gives an equal record again.
func TestRoundTrip(t *testing.T) {
	for _, k := range Kinds {
		t.Run(k.Name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				written := goodRecord(k).Draw(rt, "record")
				text := render(written)
				rec, problems := decode(t, k, text)
				for _, p := range problems {
					if p.Severity() == codes.Error {
						rt.Fatalf("%s\n%s", p.String(), text)
					}
				}
				encoded := k.AppendJSON(nil, rec)
				tree := treeOf(t, string(encoded))
				if diff := cmp.Diff(published(k, written), valueOf(tree, 0), cmp.AllowUnexported(member{})); diff != "" {
					rt.Fatalf("written (-) and encoded (+) differ:\n%s", diff)
				}
				again, _ := decode(t, k, string(encoded))
				if diff := cmp.Diff(rec, again); diff != "" {
					rt.Fatalf("decoded first (-) and again (+):\n%s", diff)
				}
				if second := k.AppendJSON(nil, again); string(second) != string(encoded) {
					rt.Fatalf("encoded again:\n%s\nat first:\n%s", second, encoded)
				}
				expectJSONRoundTrip(rt, k, rec, encoded)
			})
		})
	}
}

// published is what a record looks like once it is published.
func published(k *Kind, o object) object {
	o = o.with("kind", k.Name)
	if name := k.IDMember(); name != "" {
		o = o.with(name, o.get("id"))
	}
	if o.get("illustrative") == false { // the same as leaving it out
		o = o.without("illustrative")
	}
	return declared(k.Shape(), o).(object)
}

// declared puts the members of a value into the order of its shape, with the publisher's own at the
// end.
func declared(s *schema.Shape, v any) any {
	switch v := v.(type) {
	case array:
		list := array{}
		for _, e := range v {
			list = append(list, declared(s.Elem, e))
		}
		return list
	case object:
		if s.Open {
			return v
		}
		o := object{}
		for _, m := range s.Members {
			if i := v.at(m.Name); i >= 0 {
				o = append(o, member{m.Name, declared(m.Shape, v[i].value)})
			}
		}
		for _, m := range v {
			if strings.HasPrefix(m.name, "x_") {
				o = append(o, m)
			}
		}
		return o
	}
	return v
}

// TestReferences: each member that is declared as a reference is noted, with where it stands.
func TestReferences(t *testing.T) {
	for _, k := range Kinds {
		t.Run(k.Name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				written := goodRecord(k).Draw(rt, "record")
				tree := treeOf(t, render(written))
				_, refs, _ := new(Parser).Decode(k, tree)
				got := map[string]string{}
				for _, r := range refs {
					p := r.Pointer(k.Shape())
					if i, whole := tree.At(p); !whole || tree.Nodes[i].Text != r.To || tree.Nodes[i].At != r.At {
						rt.Fatalf("%s is said to refer to %q, which does not stand there", p, r.To)
					}
					got[p] = r.To
				}
				want := map[string]string{}
				references(k.Shape(), nil, written, nil, want)
				if written.get("ref_area_scheme") == "entity" { // a reference by rule, not by declaration
					want["/ref_area"] = written.get("ref_area").(string)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					rt.Fatalf("declared (-) and noted (+):\n%s", diff)
				}
			})
		})
	}
}

// references collects the texts that stand in reference members, by JSON Pointer.
func references(s *schema.Shape, m *schema.Member, v any, path []any, into map[string]string) {
	switch v := v.(type) {
	case string:
		if m != nil && m.Ref != nil {
			into[schema.Pointer(path...)] = v
		}
	case array:
		for i, e := range v {
			references(s.Elem, m, e, append(path, i), into)
		}
	case object:
		for i := range s.Members {
			if at := v.at(s.Members[i].Name); at >= 0 {
				references(s.Members[i].Shape, &s.Members[i], v[at].value, append(path, v[at].name), into)
			}
		}
	}
}
