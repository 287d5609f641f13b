// Package clock is where the program asks which day it is. Waiting, deadlines and certificates use
// package time: they concern this machine, not the calendar.
package clock

import "time"

// Now is the time of day. Only tests set it.
var Now = time.Now

// Today is the day, in UTC, as records write it.
func Today() string { return Now().UTC().Format(time.DateOnly) }
