//go:build !unix

package store

// syncDir does nothing: Windows refuses to flush a folder, and keeps its names in a journal.
func syncDir(dir string) error { return nil }
