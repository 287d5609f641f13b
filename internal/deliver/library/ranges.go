package library

import (
	"strconv"
	"strings"
	"time"
)

type span struct{ from, size int64 }

// rangeOf reads a Range header. ok says that it asks for one part that is there; unsatisfiable,
// that it asks for one that is not. A header that cannot be read, that has another unit, or that
// asks for several parts is none: the whole is sent, as RFC 9110, section 14.2, allows. So no
// request can ask for more than the file. An empty file has no parts, and clients that ask for the
// beginning of everything need not see it fail.
func rangeOf(header string, size int64) (s span, ok, unsatisfiable bool) {
	unit, spec, found := strings.Cut(header, "=")
	if !found || !sameWord(unit, "bytes") || strings.Contains(spec, ",") || size == 0 {
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
	t, err := parseTime(ifRange)
	return err == nil && t.Equal(modified)
}
