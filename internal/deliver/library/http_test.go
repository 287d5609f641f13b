package library

import (
	"net/http"
	"testing"
	"time"
)

// TestHTTP holds what is said here of HTTP to net/http.
func TestHTTP(t *testing.T) {
	for status, title := range Statuses {
		if title != http.StatusText(status) {
			t.Errorf("%d is %q, not %q", status, http.StatusText(status), title)
		}
	}
	for _, text := range []string{
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
		"", "yesterday", "1994-11-06T08:49:37Z", "Sunday, 06-Nov-94 08:49:37 CET",
	} {
		got, err := parseTime(text)
		want, wantErr := http.ParseTime(text)
		if (err == nil) != (wantErr == nil) || !got.Equal(want) {
			t.Errorf("%q is %v (%v), not %v (%v)", text, got, err, want, wantErr)
		}
	}
	if timeFormat != http.TimeFormat || time.Unix(0, 0).UTC().Format(timeFormat) != "Thu, 01 Jan 1970 00:00:00 GMT" {
		t.Errorf("times are written as %q", timeFormat)
	}
}
