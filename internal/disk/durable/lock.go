package durable

import (
	"errors"
	"time"
)

// ErrBusy says that another process has the lock.
var ErrBusy = errors.New("another process is writing there")

// Lock takes a lock on a file, which it makes. The lock ends with the process, however that ends.
// The error is [ErrBusy] where another process has it.
func Lock(path string) (unlock func(), err error) { return lock(path) }

// LockSoon waits some seconds for a lock that others have for moments.
func LockSoon(path string) (unlock func(), err error) {
	const most, pause = 10 * time.Second, 5 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		unlock, err = lock(path)
		if !errors.Is(err, ErrBusy) || waited >= most {
			return unlock, err
		}
		time.Sleep(pause)
	}
}
