package http1

import (
	"bytes"
	"strings"
	"unsafe"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// recognise parses the head of a common request: GET or HEAD of a plain path in HTTP/1.1, with
// well-formed, known headers and no body. Other requests, malformed or rare, are strange. net/http
// parses accepted requests in the same way; the differential test checks that. An incomplete head
// is partial only if its lines so far are well formed, because net/http may refuse a malformed line
// at once. size is the length of the head. r refers to data.
func recognise(data []byte, r *library.Request) (size int, v Verdict) {
	end, v := bytes.Index(data, []byte("\r\n\r\n"))+2, Whole
	if end < 2 {
		end, v = bytes.LastIndexByte(data, '\n')+1, Partial
		if end == 0 {
			return 0, Partial
		}
	}
	*r = library.Request{}
	// The text is valid until data is overwritten, which is after the answer is made.
	text := unsafe.String(unsafe.SliceData(data), end)
	line, rest, _ := strings.Cut(text, "\r\n")
	if !parseRequestLine(r, line) {
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
	case v == Partial:
		return 0, Partial
	case hosts != 1:
		return 0, strange
	}
	return end + 2, Whole
}

// parseRequestLine parses "GET /path HTTP/1.1".
func parseRequestLine(r *library.Request, line string) bool {
	switch {
	case strings.HasPrefix(line, "GET /"):
		r.Method, line = "GET", line[4:]
	case strings.HasPrefix(line, "HEAD /"):
		r.Method, line = "HEAD", line[5:]
	default:
		return false
	}
	path, ok := strings.CutSuffix(line, " HTTP/1.1")
	if !ok {
		return false
	}
	r.Path = path
	// two slashes could begin a host
	return len(path) <= exchange.MaxTarget && exchange.InPath.ContainAll(path) && !strings.HasPrefix(path, "//")
}

// Characters of the names and the values of headers in a common request.
var inName, inValue = func() (name, value exchange.Characters) {
	for c := range 256 {
		name[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-'
		value[c] = c >= ' ' && c < 127 || c == '\t'
	}
	return name, value
}()

// readHeaderLine parses a header line. A duplicate of a relevant header is strange: net/http would
// join them.
func readHeaderLine(r *library.Request, line string) (isHost, ok bool) {
	name, value, found := strings.Cut(line, ":")
	if !found || !inValue.ContainAll(value) {
		return false, false
	}
	value = exchange.Trim(value)
	switch len(name) {
	case 4:
		if strings.EqualFold(name, "Host") {
			return true, exchange.IsAuthority(value)
		}
	case 10:
		if strings.EqualFold(name, "Connection") {
			return false, strings.EqualFold(value, "keep-alive")
		}
	}
	if to := exchange.FieldOf(r, name); to != nil {
		if *to != "" || value == "" {
			return false, false
		}
		*to = value
		return false, true
	}
	return false, hasNoEffect(name)
}

// hasNoEffect reports whether a header is common but has no effect.
func hasNoEffect(name string) bool {
	if len(name) < len(ignored) {
		for _, known := range ignored[len(name)] {
			if strings.EqualFold(name, known) {
				return true
			}
		}
	}
	return hasPrefixFold("Sec-", name) || hasPrefixFold("X-Forwarded-", name)
}

var ignored = func() (byLength [26][]string) {
	for _, name := range []string{
		"DNT", "Via", "Cookie", "Origin", "Pragma", "Referer", "Priority", "Forwarded", "Save-Data", "X-Real-IP", "User-Agent", "X-Request-ID", "Cache-Control",
		"Accept-Language", "X-Requested-With", "Upgrade-Insecure-Requests",
	} {
		byLength[len(name)] = append(byLength[len(name)], name)
	}
	return byLength
}()

// hasPrefixFold reports whether the header name begins with prefix, ignoring case.
func hasPrefixFold(prefix, name string) bool {
	return len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) && inName.ContainAll(name)
}
