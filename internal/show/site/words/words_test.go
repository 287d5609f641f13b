package words

import (
	"testing"

	"stele/internal/base/schema"
	"stele/record"
)

func TestFirstWords(t *testing.T) {
	for in, want := range map[string]string{"short": "short", "some words that go on": "some words…", "Donaudampfschifffahrt": "Donaudampfschi…", "äääääääääää": "äääääää…"} {
		if got := First(in, 17); got != want {
			t.Errorf("%q is cut to %q", in, got)
		}
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{"very_low": "Very low", "healthcare-statistics": "Healthcare statistics", "un_m49": "UN M49", "": "", "Ähre": "Ähre"} {
		if got := Phrase(in); got != want {
			t.Errorf("%q in words is %q", in, got)
		}
	}
	if got := English.Relation("unheard_of", false); got != "← Unheard of" {
		t.Errorf("an unknown relation reads %q", got)
	}
	for _, v := range schema.ListOf[record.Relation]() {
		if English.relationOut[record.Relation(v.Word)] == "" || English.relationIn[record.Relation(v.Word)] == "" {
			t.Errorf("%s has no words", v.Word)
		}
	}
	for _, v := range schema.ListOf[record.Stance]() {
		if English.Stances[record.Stance(v.Word)] == "" {
			t.Errorf("%s has no words", v.Word)
		}
	}
}
