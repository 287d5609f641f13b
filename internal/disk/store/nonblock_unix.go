//go:build unix

package store

import "syscall"

// nonblock makes opening a pipe return at once. It does not affect regular files.
const nonblock = syscall.O_NONBLOCK
