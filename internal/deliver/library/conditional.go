package library

import (
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
			return statusPreconditionFailed
		}
	case c.IfUnmodifiedSince != "":
		if t, err := parseTime(c.IfUnmodifiedSince); err == nil && modified.After(t) {
			return statusPreconditionFailed
		}
	}
	switch {
	case c.IfNoneMatch != "":
		if matchTag(c.IfNoneMatch, etag, true) {
			return statusNotModified
		}
	case c.IfModifiedSince != "":
		if t, err := parseTime(c.IfModifiedSince); err == nil && modified.Equal(t) {
			return statusNotModified
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
