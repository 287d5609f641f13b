package record

import (
	"strings"
	"testing"
)

func TestEncode(t *testing.T) {
	k := KindNamed("graph_node")
	rec, problems := decode(t, k, `{
		"x_z": {"b": 1.50, "a": [ ], "": null}, "label": "<b> & \u2028 \"ü\" \u0001", "x_a": "\u003c",
		"record_kind": "entity", "record_id": "ent-1", "version": 1, "id": "nod-1", "illustrative": false, "aliases": []
	}`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	// Declared members first, the publisher's own in their author's order; a list that was written
	// stays, though empty; nothing is escaped that JSON can hold; digits stay.
	want := `{"id":"nod-1","kind":"graph_node","version":1,"aliases":[],"record_id":"ent-1","record_kind":"entity",` +
		`"label":"<b> & ` + "\u2028" + ` \"ü\" \u0001","x_z":{"b":1.50,"a":[],"":null},"x_a":"<"}`
	if got := string(k.AppendJSON([]byte("# "), rec)); got != "# "+want {
		t.Errorf("encoded\n%s\nwant\n# %s", got, want)
	}
}

func TestEncodeWritesNullAndEmpty(t *testing.T) {
	k := KindNamed("change_event")
	rec, problems := decode(t, k, `{
		"id": "chg-1", "version": 1, "published_date": "2026-11-14", "record_id": "ent-1", "record_kind": "entity", "change_type": "created",
		"before": null, "after": null, "changed_fields": [], "release": "r1"
	}`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := string(k.AppendJSON(nil, rec)); !strings.HasSuffix(got, `"before":null,"after":null,"changed_fields":[],"release":"r1"}`) {
		t.Errorf("encoded %s", got)
	}
}
