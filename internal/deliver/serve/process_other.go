//go:build !linux

package serve

// processMeasures is for Linux.
func processMeasures() []Measure { return nil }

// maxFiles is for Linux.
func maxFiles() (uint64, bool) { return 0, false }
