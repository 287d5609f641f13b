//go:build !unix

package durable

func syncDir(string) error { return nil }
