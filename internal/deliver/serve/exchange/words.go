package exchange

import (
	"net/url"
	"strings"

	"stele/internal/deliver/library"
)

// Characters is a set of bytes.
type Characters [256]bool

// The characters that need no escape in a path, those of a token, and those of a header value.
var InPath, inToken, inValue = func() (path, token, value Characters) {
	for c := range 256 {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		path[c] = letter || c < 128 && strings.IndexByte("/._~-", byte(c)) >= 0
		token[c] = letter || c < 128 && strings.IndexByte("!#$%&'*+-.^_`|~", byte(c)) >= 0
		value[c] = c >= ' ' && c != 0x7f || c == '\t'
	}
	return path, token, value
}()

// ContainAll reports whether all characters of s are in the set.
func (of *Characters) ContainAll(s string) bool {
	for i := range len(s) {
		if !of[s[i]] {
			return false
		}
	}
	return true
}

// IsToken reports whether word is a token (RFC 9110, section 5.6.2).
func IsToken(word string) bool { return word != "" && inToken.ContainAll(word) }

// IsValue reports whether text can be the value of a header field.
func IsValue(text string) bool { return inValue.ContainAll(text) }

// Trim removes the white space that HTTP allows around a value.
func Trim(s string) string {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	for s != "" && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// FieldOf returns the field of r that stores a header, or nil if answers do not depend on it.
func FieldOf(r *library.Request, name string) *string {
	switch len(name) {
	case 5:
		if strings.EqualFold(name, "Range") {
			return &r.Range
		}
	case 6:
		if strings.EqualFold(name, "Accept") {
			return &r.Accept
		}
	case 8:
		if strings.EqualFold(name, "If-Match") {
			return &r.IfMatch
		}
		if strings.EqualFold(name, "If-Range") {
			return &r.IfRange
		}
	case 13:
		if strings.EqualFold(name, "If-None-Match") {
			return &r.IfNoneMatch
		}
	case 15:
		if strings.EqualFold(name, "Accept-Encoding") {
			return &r.AcceptEncoding
		}
	case 17:
		if strings.EqualFold(name, "If-Modified-Since") {
			return &r.IfModifiedSince
		}
	case 19:
		if strings.EqualFold(name, "If-Unmodified-Since") {
			return &r.IfUnmodifiedSince
		}
	}
	return nil
}

// Path returns the decoded path of a target. It returns "" if decoding yields an escaped slash, a
// backslash or a control character.
func Path(u *url.URL) string {
	if strings.Contains(u.RawPath, "%2f") || strings.Contains(u.RawPath, "%2F") ||
		strings.ContainsFunc(u.Path, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }) {
		return ""
	}
	if u.Path == "" && u.Host != "" { // http://example.org, as sent to a proxy
		return "/"
	}
	return u.Path
}
