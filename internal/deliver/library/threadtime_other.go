//go:build !linux

package library

import "time"

// threadTime is how long the program runs: what others take of the processor counts too.
func threadTime() time.Duration { return time.Since(began) }
