package library

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic where somebody waits for an error.
type PanicError struct {
	value any
	stack []byte
}

// Error has the stack, too.
func (e PanicError) Error() string {
	return fmt.Sprintf("a mistake in the program, please report it: %v\n%s", e.value, e.stack)
}

// Safely does something, and makes an error of a panic.
func Safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = PanicError{p, debug.Stack()}
		}
	}()
	return do()
}
