package quotes

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const article = `Results. One dose of MMR vac-
cine was 95 % effective (95 % CI 87–98)
in preventing measles; “two doses” were 96%
effective. The ﬁrst cohort had one-
year-old children — 1,342 of them. Well-known limits: the chil` + "\u00ad" + `dren’s
records were in-
complete.` + "\fIt is ineffective to ask. Don´t ask twice.\n"

func TestHas(t *testing.T) {
	text := New(article)
	for quote, want := range map[string]bool{
		"One dose of MMR vaccine was 95 % effective": true,
		"One dose of\n\tMMR  vaccine":                true,
		"95\u00a0% CI 87-98":                         true,
		"95 % CI 87 − 98":                            true,
		`"two doses" were 96%`:                       true,
		"‘two doses’ were":                           true,
		"The first cohort had one-year-old children": true,
		"one\u2011year-old children - 1,342":         true,
		"the children's records were incomplete.":    true,
		"It is ineffective to ask. Don't ask twice.": true,
		"Don’t ask":                                  true,
		"One dose […] effective":                     true,
		"One dose [...] two doses […] incomplete":    true,
		"Well-known limits":                          true,
		"One dose of MMR vaccine was 94 % effective": false,
		"one dose of MMR vaccine":                    false, // another letter
		"two doses [...] One dose":                   false, // the other way round
		"effective to ask":                           false, // ineffective
		"was 9":                                      false, // 95
		"Wellknown limits":                           false,
		"oneyear old":                                false,
		"effec-tive":                                 false,
		"in":                                         true,  // preventing, not incomplete
		"vac":                                        false, // a part of a word
		"complete":                                   false,
		"of MMR vac-\ncine was":                      true,
		"One do-\nse of MMR vaccine":                 true,
		"One do-se of MMR vaccine":                   false,
		"":                                           false,
		"[...]":                                      false,
		"\u00ad \u200b":                              false,
	} {
		if text.Contains(quote) != want {
			t.Errorf("%q: %v", quote, !want)
		}
	}
}

func TestNearest(t *testing.T) {
	text := New(article)
	for quote, want := range map[string]Mismatch{
		"One dose of MMR vaccine was 94 % effective": {6, "94 % effective", "95 % effective (95 % CI 87-98) in"},
		"One dose [...] were 96% effective. A third": {3, "A third", "The first cohort had oneyear-old children-1,342 of them."},
		"Wellknown limits: the children's":           {4, "", "records were incomplete. It is ineffective to ask."},
	} {
		if got, ok := text.FindMismatch(quote); !ok || got != want {
			t.Errorf("%q: %+v, %v", quote, got, ok)
		}
	}
	for _, quote := range []string{"", "Nothing like it stands there", "One dose", "two doses [...] One dose"} {
		if got, ok := text.FindMismatch(quote); ok {
			t.Errorf("%q: %+v", quote, got)
		}
	}
}

// TestManyTries looks for a quote in a text that has its letters everywhere and its words nowhere.
func TestManyTries(t *testing.T) {
	text := New(strings.Repeat("a", 1<<20))
	if text.Contains(strings.Repeat("a", 1000)) {
		t.Error("a part of a word is found")
	}
}

// FuzzFold sets a text otherwise, as typesetters do, and finds all of its words.
func FuzzFold(f *testing.F) {
	f.Add(article, uint64(1))
	f.Add("a-b a - b \u2033x\u2033 ''y'' -", uint64(12345))
	f.Add("e\u0301 \u00e9 \ufb03 \u00bd ㎏ \u1100\u1161", uint64(99))
	f.Fuzz(func(t *testing.T, plain string, choices uint64) {
		if len(plain) > 2000 || !utf8.ValidString(plain) || strings.Contains(plain, "[...]") || strings.Contains(plain, "…") {
			return
		}
		text := New(plain)
		if !utf8.ValidString(text.text) {
			t.Fatalf("%q becomes %q", plain, text.text)
		}
		for i, h := range text.hyphens {
			if h.at <= 0 || int(h.at) >= len(text.text) || i > 0 && text.hyphens[i-1].at >= h.at {
				t.Fatalf("%q: hyphen %d at %d", plain, i, h.at)
			}
		}
		if text.text != "" && !text.Contains(plain) {
			t.Fatalf("%q does not have itself", plain)
		}
		set := typeset(plain, choices)
		if text.text != "" && !New(set).Contains(plain) {
			t.Fatalf("%q does not have %q", set, plain)
		}
		text.FindMismatch(plain + " and more")
	})
}

// typeset changes how a text looks, and not what it says.
func typeset(text string, choices uint64) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		choices = choices*6364136223846793005 + 1442695040888963407
		choice := choices >> 62
		switch {
		case r == ' ' && choice == 0:
			b.WriteString("\u00a0\n")
		case r == '"' && choice == 1:
			b.WriteString("\u201d")
		case r == '-' && choice == 2:
			b.WriteString("\u2010")
		case asciiLetter(r) && i > 0 && asciiLetter(runes[i-1]) && choice == 3:
			b.WriteString("-\n" + string(r))
		case asciiLetter(r) && i > 0 && asciiLetter(runes[i-1]) && choice == 1:
			b.WriteString("\u00ad" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func asciiLetter(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) }
