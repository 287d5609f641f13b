package library

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is how long the thread has had the processor.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return time.Since(began) // no kernel of today answers so
	}
	return time.Duration(t.Nano())
}
