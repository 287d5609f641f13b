//go:build !linux

package serve

func processMeasures() []Measure { return nil }

func maxFiles() (uint64, bool) { return 0, false }
