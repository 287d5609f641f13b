package exchange

import "strings"

// Characters of a host name, and of an address in brackets.
var inHostName, inBrackets = func() (name, brackets Characters) {
	for c := range 256 {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		name[c] = letter || c < 128 && strings.IndexByte("-._~!$&'()*+,;=", byte(c)) >= 0
		brackets[c] = name[c] || c == ':'
	}
	return name, brackets
}()

// AreHosts reports whether values can be the Host of one request: at most one value, which is empty
// or an authority.
func AreHosts(values []string) bool {
	return len(values) == 0 || len(values) == 1 && (values[0] == "" || IsAuthority(values[0]))
}

// IsAuthority reports whether s is a host with an optional port (RFC 3986, section 3.2), without a
// user (RFC 9110, section 4.2.4).
func IsAuthority(s string) bool {
	host, rest := s, ""
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 2 || !inBrackets.ContainAll(s[1:end]) {
			return false
		}
		rest = s[end+1:]
	} else {
		if i := strings.IndexByte(s, ':'); i >= 0 {
			host, rest = s[:i], s[i:]
		}
		if host == "" || !isHostName(host) {
			return false
		}
	}
	return rest == "" || rest[0] == ':' && isPort(rest[1:])
}

// isHostName reports whether a host name is well formed. It may contain percent-encoded characters.
func isHostName(host string) bool {
	for {
		before, after, escaped := strings.Cut(host, "%")
		if !inHostName.ContainAll(before) {
			return false
		}
		if !escaped {
			return true
		}
		if len(after) < 2 || !isHex(after[0]) || !isHex(after[1]) {
			return false
		}
		host = after[2:]
	}
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isPort reports whether s is a port number or empty.
func isPort(s string) bool {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
		if n = 10*n + int(s[i]-'0'); n > 0xffff {
			return false
		}
	}
	return true
}

// SameAuthority reports whether the authorities a and b name the same host, ignoring case and the
// default port.
func SameAuthority(a, b string) bool {
	return strings.EqualFold(withoutDefaultPort(a), withoutDefaultPort(b))
}

func withoutDefaultPort(authority string) string {
	for _, port := range []string{":443", ":80", ":"} {
		if host, ok := strings.CutSuffix(authority, port); ok {
			return host
		}
	}
	return authority
}
