//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpu returns the CPU time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // there is no such error for oneself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
