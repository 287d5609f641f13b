package serve

import (
	"bytes"
	"net/http"
	"strings"
	"unsafe"

	"stele/internal/deliver/library"
)

// verdict is what the recogniser makes of the bytes of a connection.
type verdict int

const (
	whole   verdict = iota // a request that the fast lane answers
	partial                // more bytes may make it one
	strange                // something for net/http
	cold                   // one whose answer has to be waited for
)

// recognise reads the head of a common request: GET or HEAD of a plain path in HTTP/1.1, with
// well-formed header lines that are all known by name, and no body. Anything else is strange,
// whether it is wrong or only rare. So what it accepts, net/http reads in the same way: the
// differential test holds it to that. A head that has not come whole is partial only as long as its
// lines are good: net/http may answer a bad one without waiting for the rest. size is how many
// bytes the head has. The request refers to data.
func recognise(data []byte, r *library.Request) (size int, v verdict) {
	end, v := bytes.Index(data, []byte("\r\n\r\n"))+2, whole
	if end < 2 {
		end, v = bytes.LastIndexByte(data, '\n')+1, partial
		if end == 0 {
			return 0, partial
		}
	}
	*r = library.Request{}
	// The text is valid as long as data is not written to, which is until the answer is made.
	text := unsafe.String(unsafe.SliceData(data), end)
	line, rest, _ := strings.Cut(text, "\r\n")
	if !readRequestLine(r, line) {
		return 0, strange
	}
	hosts := 0
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\r\n")
		isHost, ok := readHeaderLine(r, line)
		if !ok {
			return 0, strange
		}
		if isHost {
			hosts++
		}
	}
	switch {
	case v == partial:
		return 0, partial
	case hosts != 1:
		return 0, strange
	}
	return end + 2, whole
}

// readRequestLine reads "GET /path HTTP/1.1".
func readRequestLine(r *library.Request, line string) bool {
	switch {
	case strings.HasPrefix(line, "GET /"):
		r.Method, line = http.MethodGet, line[4:]
	case strings.HasPrefix(line, "HEAD /"):
		r.Method, line = http.MethodHead, line[5:]
	default:
		return false
	}
	path, ok := strings.CutSuffix(line, " HTTP/1.1")
	if !ok {
		return false
	}
	r.Path = path
	// two slashes could be read as the begin of a host
	return consists(path, &inPath) && !strings.HasPrefix(path, "//")
}

// Characters that mean themselves in a path, that a header's name has, and that its value may have.
var inPath, inName, inValue [256]bool

func init() {
	for c := range 256 {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		inPath[c] = letter || strings.IndexByte("/._~-", byte(c)) >= 0 && c < 128
		inName[c] = letter || c == '-'
		inValue[c] = c >= ' ' && c < 127 || c == '\t'
	}
}

// consists reports whether a text consists of some characters.
func consists(s string, of *[256]bool) bool {
	for i := range len(s) {
		if !of[s[i]] {
			return false
		}
	}
	return true
}

// readHeaderLine reads a header line. Two lines of one that counts are strange: net/http would join
// them.
func readHeaderLine(r *library.Request, line string) (isHost, ok bool) {
	name, value, found := strings.Cut(line, ":")
	if !found || !consists(value, &inValue) {
		return false, false
	}
	value = trimSpace(value)
	switch len(name) {
	case 4:
		if strings.EqualFold(name, "Host") {
			return true, isAuthority(value)
		}
	case 10:
		if strings.EqualFold(name, "Connection") {
			return false, strings.EqualFold(value, "keep-alive")
		}
	}
	if to := fieldOf(r, name); to != nil {
		if *to != "" || value == "" {
			return false, false
		}
		*to = value
		return false, true
	}
	return false, harmless(name)
}

// fieldOf is where a header that counts is kept; nil for others.
func fieldOf(r *library.Request, name string) *string {
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

// harmless reports whether a header is one that clients and proxies send and that changes nothing
// here.
func harmless(name string) bool {
	if len(name) < len(ignored) {
		for _, known := range ignored[len(name)] {
			if strings.EqualFold(name, known) {
				return true
			}
		}
	}
	return oneOf("Sec-", name) || oneOf("X-Forwarded-", name)
}

// ignored are the names of harmless headers, by length.
var ignored = func() (byLength [26][]string) {
	for _, name := range []string{
		"DNT", "Via", "Cookie", "Origin", "Pragma", "Referer", "Priority", "Forwarded", "Save-Data", "X-Real-IP", "User-Agent", "X-Request-ID", "Cache-Control",
		"Accept-Language", "X-Requested-With", "Upgrade-Insecure-Requests",
	} {
		byLength[len(name)] = append(byLength[len(name)], name)
	}
	return byLength
}()

// oneOf reports whether a header is of a family: one whose names all begin alike.
func oneOf(family, name string) bool {
	return len(name) > len(family) && strings.EqualFold(name[:len(family)], family) && consists(name, &inName)
}

// trim removes the white space that HTTP allows around a value.
func trimSpace(s string) string { return strings.Trim(s, " \t") }

// sameName compares a word of a client with one of ours, which is ASCII. Upper and lower case are
// the same. Unicode has further letters that fold to those of ASCII, but they are longer.
func sameName(s, word string) bool { return len(s) == len(word) && strings.EqualFold(s, word) }
