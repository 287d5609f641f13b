package input

import (
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"stele/internal/author/reading/settings"
	"stele/internal/testkit/must"
)

// FuzzSettings: settings, however wrong, are read to their end, and what is taken from them is text
// within its limits.
func FuzzSettings(f *testing.F) {
	f.Add([]byte("title: T\nbase_url: https://records.example.org\npublisher: P\nlicense: CC-BY-4.0\ncontact: a@example.org\nlanguage: en\nnotice: N\n"))
	f.Add([]byte("accept:\n  - {code: SRC03, record: 'a*', reason: r}\n  - {code: ID01, record: '[', reason: r}\n  - 1\n"))
	f.Add([]byte("review_after: {evidence: 2 years, x: 1}\naxis_from: {a: 40, b: x}\nhome: [search, search, x]\n"))
	f.Add([]byte("signing_keys: [a, PRIVATE+KEY+x]\naccent_color: \"#0b5c6b\"\nlogo: ../a.svg\nstyle: a.css\n"))
	f.Add([]byte("accept: &a []\nhome: *a\n---\ntitle: T\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, problems, err := ReadSettings(fstest.MapFS{SettingsFile: {Data: data}, "a.css": {Data: []byte("a{}")}})
		must.Do(t, err)
		for _, p := range problems {
			if p.Message == "" || p.File != SettingsFile && p.File != "a.css" {
				t.Errorf("%+v", p)
			}
		}
		if utf8.RuneCountInString(s.Notice) > 10_000 || utf8.RuneCountInString(s.Title) > 160 {
			t.Error("a text is longer than its limit")
		}
		patterns := 0
		for i := range s.Accept {
			if s.Accept[i].IsPattern() {
				patterns++
			}
		}
		if patterns > settings.MaxPatterns && len(problems) == 0 {
			t.Errorf("%d patterns are accepted", patterns)
		}
	})
}
