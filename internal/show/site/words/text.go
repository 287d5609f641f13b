package words

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"stele/internal/base/schema"
)

// Phrase makes words of a name: very_low is "Very low".
func Phrase(name string) string { return Capital(blanks.Replace(name)) }

var blanks = strings.NewReplacer("_", " ", "-", " ")

// Member is what pages call a member, or a list.
func (t *Set) Member(name string) string {
	return cmp.Or(t.Members[name], Phrase(name))
}

// Question is what a member of considerations answers.
func (t *Set) Question(m *schema.Member) string { return cmp.Or(t.Questions[m.Name], m.Doc) }

// IntervalKind is what an interval is called before or behind its limits.
func (t *Set) IntervalKind(word string) string {
	return strings.ToLower(t.Written(Intervals, word))
}

// Changed are the members that changed, in words, each once: names or JSON Pointers. Those that
// change with every version say nothing, and corrections and source updates are told in full.
func (t *Set) Changed(fields []string) (names []string) {
	for _, f := range fields {
		name, rest, _ := strings.Cut(strings.TrimPrefix(f, "/"), "/")
		switch name {
		case "version", "updated_date", "verification_date", "corrections", "source_updates":
			continue
		}
		text := strings.ToLower(t.Member(strings.TrimSuffix(strings.TrimSuffix(name, "_ids"), "_id")))
		if rest != "" && (rest[0] < '0' || rest[0] > '9') {
			part, _, _ := strings.Cut(rest, "/")
			text += " (" + strings.ToLower(t.Member(part)) + ")"
		}
		if !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	return names
}

// Capital makes the first letter a capital one.
func Capital(s string) string {
	if s != "" && 'a' <= s[0] && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// First cuts a text at a space, or else within a word, after so many bytes at most.
func First(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most - len("…")
	if space := strings.LastIndexByte(s[:cut], ' '); space > cut/2 {
		cut = space
	}
	for cut > 0 && s[cut]&0xc0 == 0x80 { // within a character
		cut--
	}
	return s[:cut] + "…"
}

// Letters cuts a text after so many characters.
func Letters(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// Texts are the words by the names of their fields, as forms have them.
func (t *Set) Texts() map[string]string {
	all, v := map[string]string{}, reflect.ValueOf(t).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.IsExported() && f.Type.Kind() == reflect.String {
			all[f.Name] = v.FieldByIndex(f.Index).String()
		}
	}
	return all
}
