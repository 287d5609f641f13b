//go:build !unix

package store

// nonblock has no meaning without pipes in the file system.
const nonblock = 0
