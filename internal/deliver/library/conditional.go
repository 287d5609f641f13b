package library

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Conditions are the preconditions of a request, as they were sent.
type Conditions struct {
	IfMatch, IfUnmodifiedSince, IfNoneMatch, IfModifiedSince string
}

// judge evaluates preconditions in the order of RFC 9110, section 13.2.2. It answers with 412, 304,
// or 0 to go on. A file is unchanged since a time only if that is the very time of its release: a
// client with a later one has a later release, which was taken back.
func (c *Conditions) judge(etag []byte, modified time.Time) int {
	switch {
	case c.IfMatch != "":
		if !matchTag(c.IfMatch, etag, false) {
			return http.StatusPreconditionFailed
		}
	case c.IfUnmodifiedSince != "":
		if t, err := http.ParseTime(c.IfUnmodifiedSince); err == nil && modified.After(t) {
			return http.StatusPreconditionFailed
		}
	}
	switch {
	case c.IfNoneMatch != "":
		if matchTag(c.IfNoneMatch, etag, true) {
			return http.StatusNotModified
		}
	case c.IfModifiedSince != "":
		if t, err := http.ParseTime(c.IfModifiedSince); err == nil && modified.Equal(t) {
			return http.StatusNotModified
		}
	}
	return 0
}

// matchTag reports whether a list of entity tags has one. A weak tag matches only where weak
// comparison is asked for; the tags of a release are all strong.
func matchTag(list string, etag []byte, weak bool) bool {
	if trim(list) == "*" {
		return true
	}
	for list != "" {
		list = strings.TrimLeft(list, " \t,")
		isWeak := strings.HasPrefix(list, "W/")
		list = strings.TrimPrefix(list, "W/")
		end := tagEnd(list)
		if end < 0 {
			return false // this and what follows cannot be read
		}
		if list[:end] == string(etag) && (weak || !isWeak) {
			return true
		}
		list = list[end:]
	}
	return false
}

// tagEnd is where the entity tag ends that a list begins with; -1 if there is none.
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

type span struct{ from, size int64 }

// rangeOf reads a Range header. ok says that it asks for one part that is there; unsatisfiable,
// that it asks for one that is not. A header that cannot be read, that has another unit, or that
// asks for several parts is none: the whole is sent, as RFC 9110, section 14.2, allows. So no
// request can ask for more than the file. An empty file has no parts, and clients that ask for the
// beginning of everything need not see it fail.
func rangeOf(header string, size int64) (s span, ok, unsatisfiable bool) {
	unit, spec, found := strings.Cut(header, "=")
	if !found || !SameWord(unit, "bytes") || strings.Contains(spec, ",") || size == 0 {
		return s, false, false
	}
	first, last, found := strings.Cut(trim(spec), "-")
	if !found {
		return s, false, false
	}
	if first == "" {
		return suffix(last, size)
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
	return span{from, to - from + 1}, true, false
}

// suffix asks for the last n bytes.
func suffix(n string, size int64) (s span, ok, unsatisfiable bool) {
	length, valid := parsePosition(n)
	if !valid {
		return s, false, false
	}
	if length = min(length, size); length == 0 {
		return s, false, true
	}
	return span{size - length, length}, true, false
}

// parsePosition reads digits. A number that is too large for any file is the largest.
func parsePosition(s string) (int64, bool) {
	if s == "" || len(s) > 30 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, _ := strconv.ParseInt(s, 10, 64) // on overflow it is the largest number
	return n, true
}

// applies reports whether an If-Range condition holds, so that the range may be sent.
func applies(ifRange string, etag []byte, modified time.Time) bool {
	if ifRange == "" || ifRange == string(etag) {
		return true
	}
	t, err := http.ParseTime(ifRange)
	return err == nil && t.Equal(modified)
}
