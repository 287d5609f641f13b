package reuse

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestKeptMeansEqual: however a thing is spoilt or written, it is kept if and only if the normal
// form of what the copy has is that of what was published.
func TestKeptMeansEqual(t *testing.T) {
	word := rapid.StringMatching(`[A-Za-zäé’"\\{]{1,9}`)
	sentence := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "words"), " ") })
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfNDistinct(sentence, 1, 5, rapid.ID[string]).Draw(t, "parts")
		copied := slices.Clone(parts)
		switch rapid.IntRange(0, 4).Draw(t, "change") {
		case 0:
			copied = slices.Delete(copied, 0, 1)
		case 1:
			copied[0] += sentence.Draw(t, "more")
		case 2:
			copied = append(copied, sentence.Draw(t, "other"))
		case 3:
			slices.Reverse(copied)
		}
		cell := write(copied, rapid.SampledFrom([]string{"json", "spaced", "python"}).Draw(t, "form"))
		published := write(parts, "json")
		got := checkThing(Boundary, []string{cell}, &fields{things: [things]string{Boundary: published}}, isoDate)
		same := slices.Equal(normalizeThing(Boundary, cell), normalizeThing(Boundary, published))
		if (got.verdict == Kept) != same || same != equalSets(parts, copied) {
			t.Fatalf("%s of %s is %s", cell, published, got.verdict)
		}
	})
}

// write writes texts as a program would.
func write(parts []string, form string) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(", ")
		}
		p = strings.ReplaceAll(p, `\`, `\\`)
		switch form {
		case "spaced":
			p = strings.ReplaceAll(p, " ", " \u00a0 ")
			fallthrough
		case "json":
			b.WriteString(`{"text": "` + strings.ReplaceAll(p, `"`, `\"`) + `"}`)
		case "python":
			b.WriteString(`{'text': '` + p + `'}`)
		}
	}
	return "[" + b.String() + "]"
}

func equalSets(a, b []string) bool {
	a, b = slices.Compact(slices.Sorted(slices.Values(a))), slices.Compact(slices.Sorted(slices.Values(b)))
	return slices.Equal(a, b)
}

func TestNormalForms(t *testing.T) {
	for in, want := range map[string]string{
		"HTTPS://Example.ORG":                      "https://example.org/",
		"https://example.org:443/a/../b/./c":       "https://example.org/b/c",
		"http://example.org:8080/%7euser?q=%c3%a9": "http://example.org:8080/~user?q=%C3%A9",
		"https://example.org/a%2Fb#x%20y":          "https://example.org/a%2Fb#x%20y",
		"https://example.org/a/.":                  "https://example.org/a/",
	} {
		if got := normalizeURL(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
	for in, form := range map[string]dateForm{
		"2026-11-04": isoDate, "2026-11-04 00:00:00": isoDate, "4.11.2026": dayFirst, "04/11/2026": dayFirst, "4 Nov 2026": dayFirst, "11/04/2026": monthFirst,
		"November 4, 2026": monthFirst, "46330": serialDate, "46330.0": serialDate, "20261104": compactDate,
	} {
		if got := form.parse(in); got != "2026-11-04" {
			t.Errorf("%s is %q as form %d", in, got, form)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(`[{'a': 'b\'c', "d": NULL, e: 2}]`, `{"statement":"b"}`)
	f.Fuzz(func(_ *testing.T, cell, published string) {
		for _, t := range All {
			var of fields
			of.things[t] = published
			checkThing(t, []string{cell}, &of, dayFirst)
		}
	})
}
