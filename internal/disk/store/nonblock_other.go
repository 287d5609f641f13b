//go:build !unix

package store

// nonblock is for systems that have pipes among their files.
const nonblock = 0
