package library

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Conditions are the precondition headers of a request, as sent.
type Conditions struct {
	IfMatch, IfUnmodifiedSince, IfNoneMatch, IfModifiedSince string
}

// evaluate evaluates the preconditions of a request for a file, in the order of RFC 9110, section
// 13.2.2. It returns 412, 304, or 0 to continue. A file counts as unmodified only if the client's
// time is exactly modified, the time of the release: a later time comes from a later release that
// was rolled back.
func (c *Conditions) evaluate(etag []byte, modified time.Time) int {
	switch {
	case c.IfMatch != "":
		if !matchesTag(c.IfMatch, etag, false) {
			return http.StatusPreconditionFailed
		}
	case c.IfUnmodifiedSince != "":
		if t, err := http.ParseTime(c.IfUnmodifiedSince); err == nil && modified.After(t) {
			return http.StatusPreconditionFailed
		}
	}
	switch {
	case c.IfNoneMatch != "":
		if matchesTag(c.IfNoneMatch, etag, true) {
			return http.StatusNotModified
		}
	case c.IfModifiedSince != "":
		if t, err := http.ParseTime(c.IfModifiedSince); err == nil && modified.Equal(t) {
			return http.StatusNotModified
		}
	}
	return 0
}

// matchesTag reports whether a list of entity tags contains etag. A weak tag matches only if weak
// is true; the tags of a release are all strong.
func matchesTag(list string, etag []byte, weak bool) bool {
	if trim(list) == "*" {
		return true
	}
	for list != "" {
		list = strings.TrimLeft(list, " \t,")
		isWeak := strings.HasPrefix(list, "W/")
		list = strings.TrimPrefix(list, "W/")
		end := tagEnd(list)
		if end < 0 {
			return false // the rest of the list is malformed
		}
		if list[:end] == string(etag) && (weak || !isWeak) {
			return true
		}
		list = list[end:]
	}
	return false
}

// tagEnd returns the end of the entity tag at the beginning of list, or -1 if it is malformed.
func tagEnd(list string) int {
	if !strings.HasPrefix(list, `"`) {
		return -1
	}
	for i := 1; i < len(list); i++ {
		switch c := list[i]; {
		case c == '"':
			return i + 1
		case c <= ' ' || c == 0x7f:
			return -1
		}
	}
	return -1
}

type byteRange struct{ from, size int64 }

// parseRange parses a Range header. ok is true if the header requests one existing range, and
// unsatisfiable is true if it requests a range outside the file. A header that is malformed, has
// another unit or requests several ranges is ignored, as RFC 9110, section 14.2, allows: the whole
// file is sent. No request can therefore ask for more than the file. For an empty file every range
// is ignored, so that clients that always request a range do not fail.
func parseRange(header string, size int64) (s byteRange, ok, unsatisfiable bool) {
	unit, spec, found := strings.Cut(header, "=")
	if !found || !SameWord(unit, "bytes") || strings.Contains(spec, ",") || size == 0 {
		return s, false, false
	}
	first, last, found := strings.Cut(trim(spec), "-")
	if !found {
		return s, false, false
	}
	if first == "" {
		return suffixRange(last, size)
	}
	from, valid := parsePosition(first)
	if !valid {
		return s, false, false
	}
	to := size - 1
	if last != "" {
		end, valid := parsePosition(last)
		if !valid || end < from {
			return s, false, false
		}
		to = min(to, end)
	}
	if from >= size {
		return s, false, true
	}
	return byteRange{from, to - from + 1}, true, false
}

// suffixRange returns the range of the last n bytes of a file of size bytes. n is a decimal number.
func suffixRange(n string, size int64) (s byteRange, ok, unsatisfiable bool) {
	length, valid := parsePosition(n)
	if !valid {
		return s, false, false
	}
	if length = min(length, size); length == 0 {
		return s, false, true
	}
	return byteRange{size - length, length}, true, false
}

// parsePosition parses decimal digits. It returns the largest int64 for larger numbers.
func parsePosition(s string) (int64, bool) {
	if s == "" || len(s) > 30 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, _ := strconv.ParseInt(s, 10, 64) // after an overflow, n is the largest number
	return n, true
}

// isIfRangeTrue reports whether the If-Range condition is true, so that the range may be sent.
func isIfRangeTrue(ifRange string, etag []byte, modified time.Time) bool {
	if ifRange == "" || ifRange == string(etag) {
		return true
	}
	t, err := http.ParseTime(ifRange)
	return err == nil && t.Equal(modified)
}
