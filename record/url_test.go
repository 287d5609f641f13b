package record

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

const (
	genericURL = "write a URL"
	otherURL   = "write a URL that begins with https://, such as https://example.org/report"
)

var urlCases = []formatCase{
	{"https://example.org", right},
	{"http://example.org/", right},
	{"https://example.org:8080/a/b?c=d&e=f#g", right},
	{"https://example.org?q", right},
	{"https://example.org#f", right},
	{"https://[2001:db8::1]/", right},
	{"https://192.0.2.1/", right},
	{"https://example.org/a@b", right},
	{"https://example.org/?mail=a@b", right},
	{"https://example.org/a%20b", right},
	{"https://doi.org/10.1016/S0140-6736(97)11096-0", right},
	{"https://example.org/größe", right},
	{"https://", otherURL},
	{"https:///path", otherURL},
	{"https://:80/", otherURL},
	{"https://?q", otherURL},
	{"https://[]/", otherURL},
	{"https:example.org", otherURL},
	{"https:/example.org", otherURL},
	{"ftp://example.org/", otherURL},
	{"file:///etc/passwd", otherURL},
	{"javascript:alert(1)", otherURL},
	{"mailto:a@example.org", otherURL},
	{"/relative", otherURL},
	{"report", otherURL},
	{"", otherURL},
	{"https://example.org/%zz", otherURL},
	{"https://example.org:port/", otherURL},
	{"https://example.org/<a>", otherURL},
	{"https://example.org/a|b", otherURL},
	{"https://example.org/`", otherURL},
	{"https://example.org/{id}", otherURL},
	{`https://example.org\a`, otherURL},
	{"https://example.org/a\nb", otherURL},
	{"https://example.org/a\x00b", otherURL},
	{"https://example.org/a\u00a0b", otherURL},
	{"https://example.org/a\u2028b", otherURL},
	{"https://example.org/a\vb", otherURL},
	{"HTTPS://example.org/A", "write https://example.org/A"},
	{"Http://example.org/", "write http://example.org/"},
	{" https://example.org/ ", "write https://example.org/"},
	{"https://example.org/a b", "write https://example.org/a%20b"},
	{"example.org/report", "write https://example.org/report"},
	{"//example.org/report", "write https://example.org/report"},
	{"www.example.org", "write https://www.example.org"},
	{"10.1000/182", "write https://doi.org/10.1000/182"},
	{"doi:10.1000/182", "write https://doi.org/10.1000/182"},
	{"DOI: 10.1000/182", "write https://doi.org/10.1000/182"},
	{"https://user:secret@example.org/", "write https://example.org/"},
	{"https://@example.org/", "write https://example.org/"},
}

func TestURL(t *testing.T) { checkFormat(t, urlCases, urlProblem) }

func TestURLFaultsAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "the URL is empty",
		"https://a.org/b c":       "the URL contains a space or another invalid character",
		"https://u:p@example.org": "the URL contains a user or password",
		"https:///path":           `"https:///path" has no host`,
		"ftp://example.org":       `"ftp://example.org" is not an absolute http or https URL`,
		"https://example.org/%zz": `"https://example.org/%zz" is not a valid URL`,
	} {
		if message, _ := urlProblem(text); message != want {
			t.Errorf("%q: %s, want %s", text, message, want)
		}
	}
}

var urlForm = regexp.MustCompile("^https?://[^/?#@]+([/?#].*)?$")

// urlProperty: Go, net/url and the schema agree, and what is proposed is a URL.
func urlProperty(t *testing.T, s string) (valid bool) {
	message, fix := urlProblem(s)
	valid = URL(s).Valid()
	u, err := url.Parse(s)
	want := err == nil && urlForm.MatchString(s) && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(s, notInURL)
	if valid != want || valid != (message == "") {
		t.Errorf("URL(%q).Valid() = %v, want %v; the message is %q", s, valid, want, message)
	}
	if bySchema := urlSchema(t).Validate(s) == nil; valid != bySchema {
		t.Errorf("URL(%q).Valid() = %v, but the schema says %v", s, valid, bySchema)
	}
	if p := strings.TrimPrefix(fix, "write "); p != "" && !strings.HasPrefix(fix, genericURL) && !URL(p).Valid() {
		t.Errorf("%q: %q is proposed, which is no URL", s, p)
	}
	return valid
}
