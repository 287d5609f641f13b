// Package clock provides the current day to the whole program, so that tests can set it. For
// waiting, deadlines and certificates, use package time.
package clock

import "time"

// Now returns the current time. Only tests replace it.
var Now = time.Now

// Today returns the current day in UTC, such as 2026-11-16.
func Today() string { return Now().UTC().Format(time.DateOnly) }
