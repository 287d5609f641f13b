package durable

import (
	"errors"
	"time"
)

// ErrBusy means that another process has the lock.
var ErrBusy = errors.New("another process is writing there")

// Lock creates and locks the file at path. The lock ends when unlock is called or the process ends.
// If another process has the lock, the error is [ErrBusy].
func Lock(path string) (unlock func(), err error) { return lock(path) }

// LockSoon is Lock, but waits up to ten seconds for a lock that others hold briefly.
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
