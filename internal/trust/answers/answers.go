// Package answers reads header lines of what services answer, as far as several who ask need them.
package answers

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter is how long a service asks to wait: so many seconds, or until a time.
func RetryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, time.Until(until).Round(time.Second))
}

// Encoding is the content encoding of an answer, "" for none. Some object stores also name
// aws-chunked, which is how a file came to them and not how they send it.
func Encoding(h http.Header) string {
	var codings []string
	for coding := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		coding = strings.ToLower(strings.TrimSpace(coding))
		if coding != "" && coding != "aws-chunked" && coding != "identity" {
			codings = append(codings, coding)
		}
	}
	return strings.Join(codings, ", ")
}
