package words

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/testkit/must"
	"stele/record"
)

// TestLanguages: there is a file for each language that the settings know, and no other.
func TestLanguages(t *testing.T) {
	list, err := filepath.Glob("*.yaml")
	if err != nil || len(list) != len(settings.Languages) {
		t.Errorf("%d files for %d languages; %v", len(list), len(settings.Languages), err)
	}
	for _, l := range settings.Languages {
		tag := l.Tag
		if _, err := load(tag); err != nil {
			t.Error(err)
		}
	}
}

// TestFor: the words that a publisher wants, those of citations, and how they write a number.
func TestFor(t *testing.T) {
	for _, c := range []struct{ language, words, pages, cited, number string }{
		{"en-GB", "", "en", "en", "−1,234.5"},
		{"AR-eg", "", "ar", "ar", "\u061c−١٬٢٣٤٫٥"},
		{"ar-u-nu-latn", "", "ar", "ar", "\u061c−1,234.5"},
		{"tlh", "", "en", "en", "−1,234.5"},
		{"tlh", "ar", "ar", "ar", "\u061c−١٬٢٣٤٫٥"},
		{"en", "ar", "ar", "en", "\u061c−١٬٢٣٤٫٥"},
		{"ar", "en", "en", "ar", "−1,234.5"},
	} {
		s := settings.Settings{Language: c.language, Words: c.words}
		pages, cited := For(&s), OfRecords(&s)
		if number := pages.Figure("-1234.50", new(int64(1))); pages.Tag != c.pages || cited.Tag != c.cited || number != c.number {
			t.Errorf("%s with words %q: %s, %s, %q", c.language, c.words, pages.Tag, cited.Tag, number)
		}
	}
}

func TestInt(t *testing.T) {
	for in, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", -100: "-100"} {
		if got := English().Int(in); got != want {
			t.Errorf("%d is written %s", in, got)
		}
	}
}

// texts finds all texts of a value, by where they stand.
func texts(at string, v reflect.Value, found map[string]string) {
	switch v.Kind() {
	case reflect.String:
		found[at] = v.String()
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				texts(at+"."+f.Name, v.Field(i), found)
			}
		}
	case reflect.Map:
		if forms, ok := v.Interface().(Forms); ok {
			found[at] = forms["other"]
			return
		}
		for _, key := range v.MapKeys() {
			texts(at+"."+key.String(), v.MapIndex(key), found)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			texts(at+"."+string(rune('0'+i)), v.Index(i), found)
		}
	}
}

// notTranslated are what a language has or has not by itself, and what is filled in when a page is
// made.
var notTranslated = regexp.MustCompile(`^\.(Language|Months|FormatNames|Kinds|Lists|Members|Questions)\b`)

var holes = regexp.MustCompile(`\{\w+\}`)

// holesOf are the holes of a text, in the order of their names.
func holesOf(text string) []string {
	return slices.Sorted(slices.Values(holes.FindAllString(text, -1)))
}

// TestTranslations: every language says everything that English says, and fills the same into it.
func TestTranslations(t *testing.T) {
	english := map[string]string{}
	texts("", reflect.ValueOf(*English()), english)
	for at, text := range english {
		if text == "" && !notTranslated.MatchString(at) {
			t.Errorf("English has no words for %s", at)
		}
	}
	for _, l := range settings.Languages[1:] {
		tag := l.Tag
		own := map[string]string{}
		texts("", reflect.ValueOf(*ForLanguage(tag)), own)
		for at, text := range english {
			switch {
			case notTranslated.MatchString(at) || strings.HasPrefix(at, ".Date") || strings.HasPrefix(at, ".Month"):
			case own[at] == "":
				t.Errorf("%s has no words for %s: %q", tag, at, text)
			case !slices.Equal(holesOf(own[at]), holesOf(text)):
				t.Errorf("%s: %s has the holes %q, and English has %q", tag, at, holesOf(own[at]), holesOf(text))
			}
		}
		for at := range own {
			if _, ok := english[at]; !ok && !notTranslated.MatchString(at) {
				t.Errorf("%s has words for %s, which nobody says", tag, at)
			}
		}
	}
}

// TestForms: what is counted has a form for each category that the language's rule gives.
func TestForms(t *testing.T) {
	for _, l := range settings.Languages {
		tag := l.Tag
		set := ForLanguage(tag)
		want := map[string]bool{}
		for n := range 1000 {
			want[l.Plural(n)] = true
		}
		var walk func(at string, v reflect.Value)
		walk = func(at string, v reflect.Value) {
			switch v.Kind() {
			case reflect.Struct:
				for i := range v.NumField() {
					if f := v.Type().Field(i); f.IsExported() {
						walk(at+"."+f.Name, v.Field(i))
					}
				}
			case reflect.Map:
				forms, ok := v.Interface().(Forms)
				if !ok {
					for _, key := range v.MapKeys() {
						walk(at+"."+key.String(), v.MapIndex(key))
					}
					return
				}
				if forms == nil && strings.HasSuffix(at, ".Counted") && tag == "en" {
					return // by the names of the kind
				}
				got, all := slices.Sorted(maps.Keys(forms)), slices.Sorted(maps.Keys(want))
				if !slices.Equal(got, all) {
					t.Errorf("%s: %s has the forms %q, not %q", tag, at, got, all)
				}
				for category, text := range forms {
					for _, hole := range holesOf(text) {
						if hole != "{n}" {
							t.Errorf("%s: %s, %s has the hole %s", tag, at, category, hole)
						}
					}
				}
			}
		}
		walk("", reflect.ValueOf(*set))
	}
}

// TestTables: in every language but English, in which they are those of package record, all kinds,
// words of lists, members and questions have words, and nothing else has.
func TestTables(t *testing.T) {
	members := map[string]bool{}
	var walk func(s *schema.Shape)
	walk = func(s *schema.Shape) {
		for i := range s.Members {
			m := &s.Members[i]
			members[m.Name] = true
			walk(m.Shape)
		}
		if s.Elem != nil {
			walk(s.Elem)
		}
	}
	for _, k := range record.Kinds {
		walk(k.Shape())
	}
	lists := append([]*schema.Shape{Standings}, schema.Lists(ListName)...)
	for _, s := range lists {
		members[ListName(s.Go)] = true
	}
	for name := range members { // what is shown is the record, not its ID
		members[strings.TrimSuffix(strings.TrimSuffix(name, "_ids"), "_id")] = true
	}
	for _, l := range settings.Languages {
		tag := l.Tag
		set := ForLanguage(tag)
		for name := range set.Members {
			if !members[name] {
				t.Errorf("%s: there is no member %s", tag, name)
			}
		}
		if tag == "en" {
			continue
		}
		for _, k := range record.Kinds {
			if w := set.Kinds[k.Name]; w.One == "" || w.Many == "" || w.Doc == "" || w.Counted == nil {
				t.Errorf("%s: %s has no words", tag, k.Name)
			}
		}
		for _, s := range lists {
			list := ListName(s.Go)
			if list == kindNames {
				continue
			}
			for _, v := range s.List {
				if w := set.Lists[list][v.Word]; w[0] == "" || w[1] == "" {
					t.Errorf("%s: %s of %s has no words", tag, v.Word, list)
				}
			}
			if len(set.Lists[list]) != len(s.List) {
				t.Errorf("%s: %s has words that are not in the list", tag, list)
			}
		}
		for name := range members {
			if set.Members[name] == "" {
				t.Errorf("%s: the member %s has no words", tag, name)
			}
		}
		for _, m := range schema.ShapeOf[record.Considerations]().Members {
			if set.Questions[m.Name] == "" {
				t.Errorf("%s: the question %s has no words", tag, m.Name)
			}
		}
	}
}

// TestNoUnused: pages and scripts use all words.
func TestNoUnused(t *testing.T) {
	read := func(pattern string) (all string) {
		list, err := filepath.Glob(pattern)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(list), err)
		}
		for _, path := range list {
			data := must.Get(os.ReadFile(path))(t)
			if !strings.HasSuffix(path, "_test.go") {
				all += string(data)
			}
		}
		return all
	}
	code, said := read("../*.go")+read("../*/*.go")+read("../../vintage/*.go"), map[string]bool{}
	for pattern, text := range map[string]string{
		`(?:(?:[Ww]ords|cited|\bt)\.|\{=)([A-Z]\w*)`: code, `[Ss]cript\["(\w+)"\]`: code, `(?:words|say)\.([a-z]\w*)`: read("../assets/*.js"),
	} {
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			said[match[1]] = true
		}
	}
	texts := English().Texts()
	for _, match := range regexp.MustCompile(`\{=(\w+)\}|[Ss]cript\["(\w+)"\]`).FindAllStringSubmatch(code, -1) {
		if texts[match[1]]+English().Script[match[2]] == "" {
			t.Errorf("a form says %s, which is not a word", match[0])
		}
	}
	set := reflect.TypeFor[Set]()
	for i := range set.NumField() {
		f := set.Field(i)
		if f.IsExported() && !said[f.Name] {
			t.Errorf("no page says %s", f.Name)
		}
	}
	for name := range English().Script {
		if !said[name] {
			t.Errorf("no script says %s", name)
		}
	}
}
