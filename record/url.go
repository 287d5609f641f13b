package record

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema"
)

// URL is an absolute http or https URL with a host and without a user or password.
type URL string

// maxURL is the maximum length of a URL.
const maxURL = 8000

// notInURL are the characters that cannot be in a URL.
const notInURL = " \t\n\r\f\v\"<>\\^`{|}\u00a0\u2028\u2029"

// Valid reports whether u is a valid URL of this form.
func (u URL) Valid() bool { return urlFault(string(u)) == "" }

// urlFault returns the fault of the URL s, or "" if s is valid.
func urlFault(s string) string {
	switch {
	case len(s) > maxURL && utf8.RuneCountInString(s) > maxURL:
		return "the URL is longer than " + strconv.Itoa(maxURL) + " characters"
	case isPlainURL(s):
		return ""
	}
	if s == "" {
		return "the URL is empty"
	}
	if strings.ContainsAny(s, notInURL) {
		return "the URL contains a space or another invalid character"
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return schema.Quote(s) + " is not a valid URL"
	case !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://"):
		return schema.Quote(s) + " is not an absolute http or https URL"
	case u.Hostname() == "":
		return schema.Quote(s) + " has no host"
	case u.User != nil:
		return "the URL contains a user or password"
	}
	return ""
}

// isPlainURL recognises URLs that need no parser: a host of letters, digits, dots and hyphens, and
// a path of harmless characters. It may reject a valid URL, but never accepts an invalid one.
func isPlainURL(s string) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok || rest == "" || !isAlphanumeric(rest[0]) {
		return false
	}
	i := 0
	for i < len(rest) && (isAlphanumeric(rest[i]) || rest[i] == '.' || rest[i] == '-') {
		i++
	}
	if i < len(rest) && rest[i] != '/' {
		return false
	}
	for ; i < len(rest); i++ {
		if !harmlessInURL[rest[i]] {
			return false
		}
	}
	return true
}

// harmlessInURL are the characters of the paths that isPlainURL recognises.
var harmlessInURL = func() (table [256]bool) {
	for c := range table {
		table[c] = isAlphanumeric(byte(c)) || strings.IndexByte("/.-_~()=?&#+,;", byte(c)) >= 0
	}
	return table
}()

// urlProblem returns the fault of the URL s and the remedy, or two empty texts if s is valid.
func urlProblem(s string) (message, fix string) {
	if message = urlFault(s); message == "" {
		return "", ""
	}
	if t := likelyURL(s); t != s && urlFault(t) == "" {
		return message, "write " + t
	}
	return message, "write a URL that begins with https://, such as https://example.org/report"
}

// likelyURL returns the URL that was probably meant.
func likelyURL(s string) string {
	t := strings.ReplaceAll(strings.TrimSpace(s), " ", "%20")
	lower := strings.ToLower(t)
	switch {
	case strings.HasPrefix(lower, "https://"):
		t = "https://" + t[len("https://"):]
	case strings.HasPrefix(lower, "http://"):
		t = "http://" + t[len("http://"):]
	case strings.HasPrefix(t, "10.") && strings.Contains(t, "/"):
		t = "https://doi.org/" + t
	case strings.HasPrefix(lower, "doi:"):
		t = "https://doi.org/" + strings.TrimPrefix(t[len("doi:"):], "%20")
	case strings.Contains(t, ".") && !strings.Contains(t, ":"):
		t = "https://" + strings.TrimLeft(t, "/")
	}
	if u, err := url.Parse(t); err == nil && u.User != nil {
		u.User = nil
		t = u.String()
	}
	return t
}
