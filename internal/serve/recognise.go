package serve

import (
	"bytes"
	"net/http"
	"strings"
	"unsafe"
)

// verdict is what the recogniser makes of the bytes of a connection.
type verdict int

const (
	whole   verdict = iota // a request that the fast lane answers
	partial                // more bytes may make it one
	strange                // something for net/http
)

// recognise reads the head of a common request: GET or HEAD of a plain path in HTTP/1.1, with well-formed header lines that are all known by name, and no
// body. Anything else is strange, whether it is wrong or only rare. So what it accepts, net/http reads in the same way: the differential test holds it to that.
// size is how many bytes the head has. The request refers to data.
func recognise(data []byte, r *request) (size int, v verdict) {
	end := bytes.Index(data, []byte("\r\n\r\n"))
	if end < 0 {
		return 0, partial
	}
	*r = request{}
	// The text is valid as long as data is not written to, which is until the answer is made.
	text := unsafe.String(unsafe.SliceData(data), end+2)
	line, rest, _ := strings.Cut(text, "\r\n")
	if !r.requestLine(line) {
		return 0, strange
	}
	hosts := 0
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\r\n")
		isHost, ok := r.headerLine(line)
		if !ok {
			return 0, strange
		}
		if isHost {
			hosts++
		}
	}
	if hosts != 1 {
		return 0, strange
	}
	return end + 4, whole
}

// requestLine reads "GET /path HTTP/1.1".
func (r *request) requestLine(line string) bool {
	switch {
	case strings.HasPrefix(line, "GET /"):
		r.method, line = http.MethodGet, line[4:]
	case strings.HasPrefix(line, "HEAD /"):
		r.method, line = http.MethodHead, line[5:]
	default:
		return false
	}
	path, ok := strings.CutSuffix(line, " HTTP/1.1")
	if !ok {
		return false
	}
	for i := range len(path) {
		if !inPath[path[i]] {
			return false
		}
	}
	r.path = path
	return !strings.HasPrefix(path, "//") // which could be read as a host
}

// Characters that mean themselves in a path, that a host has, and that a header's value may have.
var inPath, inHost, inValue [256]bool

func init() {
	for c := range 256 {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		inPath[c] = letter || strings.IndexByte("/._~-", byte(c)) >= 0 && c < 128
		inHost[c] = letter || strings.IndexByte(".-:[]", byte(c)) >= 0 && c < 128
		inValue[c] = c >= ' ' && c < 127 || c == '\t'
	}
}

// headerLine reads a header line. Two lines of one that counts are strange: net/http would join them.
func (r *request) headerLine(line string) (isHost, ok bool) {
	name, value, found := strings.Cut(line, ":")
	if !found {
		return false, false
	}
	for i := range len(value) {
		if !inValue[value[i]] {
			return false, false
		}
	}
	value = trim(value)
	switch len(name) {
	case 4:
		if strings.EqualFold(name, "Host") {
			for i := range len(value) {
				if !inHost[value[i]] {
					return false, false
				}
			}
			return true, value != ""
		}
	case 10:
		if strings.EqualFold(name, "Connection") {
			return false, strings.EqualFold(value, "keep-alive")
		}
	}
	if to := r.field(name); to != nil {
		if *to != "" || value == "" {
			return false, false
		}
		*to = value
		return false, true
	}
	return false, harmless(name)
}

// field is where a header that counts is kept; nil for others.
func (r *request) field(name string) *string {
	switch len(name) {
	case 5:
		if strings.EqualFold(name, "Range") {
			return &r.ranges
		}
	case 6:
		if strings.EqualFold(name, "Accept") {
			return &r.accept
		}
	case 8:
		if strings.EqualFold(name, "If-Match") {
			return &r.ifMatch
		}
		if strings.EqualFold(name, "If-Range") {
			return &r.ifRange
		}
	case 13:
		if strings.EqualFold(name, "If-None-Match") {
			return &r.ifNoneMatch
		}
	case 15:
		if strings.EqualFold(name, "Accept-Encoding") {
			return &r.acceptEncoding
		}
	case 17:
		if strings.EqualFold(name, "If-Modified-Since") {
			return &r.ifModifiedSince
		}
	case 19:
		if strings.EqualFold(name, "If-Unmodified-Since") {
			return &r.ifUnmodifiedSince
		}
	}
	return nil
}

// harmless are headers that clients send and that change nothing here.
func harmless(name string) bool {
	switch len(name) {
	case 3:
		return strings.EqualFold(name, "DNT")
	case 6:
		return strings.EqualFold(name, "Cookie") || strings.EqualFold(name, "Origin") || strings.EqualFold(name, "Pragma")
	case 7:
		return strings.EqualFold(name, "Referer")
	case 8:
		return strings.EqualFold(name, "Priority")
	case 10:
		return strings.EqualFold(name, "User-Agent")
	case 13:
		return strings.EqualFold(name, "Cache-Control")
	case 15:
		return strings.EqualFold(name, "Accept-Language")
	case 25:
		return strings.EqualFold(name, "Upgrade-Insecure-Requests")
	}
	return len(name) > 4 && strings.EqualFold(name[:4], "Sec-") && strings.Trim(name[4:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}
