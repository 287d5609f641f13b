//go:build !linux && !darwin

package bucket

// freeBytes returns false: the free space is unknown on this system.
func freeBytes(string) (float64, bool) { return 0, false }
