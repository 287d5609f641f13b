//go:build unix

package store

import "syscall"

// nonblock lets opening a pipe return at once. To ordinary files it means nothing.
const nonblock = syscall.O_NONBLOCK
