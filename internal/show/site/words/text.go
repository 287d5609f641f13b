package words

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"stele/internal/base/schema"
)

// Phrase converts name to words. For example, very_low becomes "Very low".
func Phrase(name string) string { return Capital(blanks.Replace(name)) }

var blanks = strings.NewReplacer("_", " ", "-", " ")

// Member returns the text that pages show for the name of a member or list.
func (t *Set) Member(name string) string {
	return cmp.Or(t.Members[name], Phrase(name))
}

// Question returns the question that a member of considerations answers.
func (t *Set) Question(m *schema.Member) string { return cmp.Or(t.Questions[m.Name], m.Doc) }

// IntervalKind returns the name of an interval next to its limits.
func (t *Set) IntervalKind(word string) string {
	return strings.ToLower(t.Written(Intervals, word))
}

// Changed returns the names of changed members without duplicates. fields contains names or JSON
// Pointers. It omits members that change with every version, and corrections and source updates,
// which are shown in full.
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

// Capital capitalizes the first letter of s.
func Capital(s string) string {
	if s != "" && 'a' <= s[0] && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// Truncate cuts s to at most most bytes, preferably at a space.
func Truncate(s string, most int) string {
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

// Letters cuts s to at most most characters.
func Letters(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// Texts returns the texts by the names of their fields, for forms.
func (t *Set) Texts() map[string]string {
	all, v := map[string]string{}, reflect.ValueOf(t).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.IsExported() && f.Type.Kind() == reflect.String {
			all[f.Name] = v.FieldByIndex(f.Index).String()
		}
	}
	return all
}
