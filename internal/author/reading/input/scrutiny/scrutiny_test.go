package scrutiny_test

import (
	"strings"
	"testing"

	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/base/schema"
)

// found returns the codes of what is doubtful about a text.
func found(text string) string {
	var t schema.Tree
	t.Reset("a.json")
	t.Open(schema.Object, schema.Pos{Line: 1, Column: 1})
	t.SetName("title", schema.Pos{Line: 1, Column: 2})
	t.AddScalar(schema.String, text, schema.Pos{Line: 1, Column: 10})
	t.Close()
	var codes []string
	for _, p := range new(scrutiny.Looker).CheckTree(&t, &t, "a") {
		codes = append(codes, string(p.Code)+" "+p.Pointer)
	}
	return strings.Join(codes, ", ")
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"Ça va, naïve Å: “–” × 5 °C, 日本, Ελλάδα": "",
		"A cafÃ© and a placeâ€”holder":           "TXT01 /title",
		"ÃO PAULO, SÃO":                          "",
		"«Â»":                                    "TXT01 /title",
		"می\u200cخواهم 👨\u200d👩\u200d👧 🏴\U000e0067\U000e0062\U000e007f": "",
		"co\u00adoperate":         "TXT02 /title",
		"a\u200db":                "TXT02 /title",
		"\u202babc\u202c":         "",
		"see https://[fe80::1]/x": "PRV03 /title",
		"see https://[2001:db8::1]:80/x, https://example.org./?sig=1": "",
		"s3://b?endpoint=http://minio.internal:9000&region=x":         "",
		"https://172.20.1.1/":                           "PRV03 /title",
		"https://172.40.1.1/ http://a.internal:8/":      "PRV03 /title",
		"Dr Jane Roe, born 3 February 1980, said":       "PRV02 /title",
		"Infants Born Early, born 2020 or later":        "",
		"A man, born 1980-02-03, fell ill":              "PRV02 /title",
		"Date of birth: 03.02.1980":                     "PRV02 /title",
		"DOB 2/3/80":                                    "PRV02 /title",
		"Children who were born on 2020-01-01 or later": "",
		"The first was born on 2020-01-01 or later":     "",
		"NHS 943 476 5919":                              "PRV02 /title",
		"of the NHS in 2019 2020 2021":                  "",
		"SSN 078-05-1120":                               "PRV02 /title",
		"MRN 00123456":                                  "PRV02 /title",
		"hospital number: X123456":                      "PRV02 /title",
		"(212) 555-0147":                                "PRV02 /title",
		"password: hunter2":                             "PRV01 /title",
		"The password: there is none for 2020":          "",
		"see https://u:p@example.org/":                  "PRV03 /title",
		"https://lists.example.net/archive/announce@lists.fedoraproject.org/2020": "",
		"Telephone: (020) 7946 0958":                              "PRV02 /title",
		"Phone interviews 2019 2020 2021 2022":                    "",
		"+44 20 7946 0958":                                        "PRV02 /title",
		"from +0.5 to +1 234 567 in 2020":                         "",
		"-----BEGIN OPENSSH PRIVATE KEY-----":                     "PRV01 /title",
		"-----BEGIN PUBLIC KEY-----":                              "",
		"a_" + strings.Repeat("b", 500) + " AKIA0123456789ABCDEF": "PRV01 /title",
	} {
		if got := found(text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// FuzzTexts: whatever stands in a text, a secret behind it is found, and nothing breaks.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"", "\xff", "Ã", "https://", "+1", "-----BEGIN", "eyJ", "\u2067", strings.Repeat("a", 100)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found(text)
		if !strings.Contains(found(text+" ghp_0123456789abcdefghijklmnopqrstuvwxyz"), "PRV01") {
			t.Errorf("behind %q no secret is found", text)
		}
	})
}
