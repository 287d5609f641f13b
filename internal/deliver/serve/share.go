package serve

import "runtime"

// share is what a connection with a goroutine of its own has had of the processor since others had
// their turn. A client that never stops sending never lets its goroutine wait: the runtime takes
// the processor from it only after ten milliseconds, and a few such clients make everybody else
// wait for many times that.
type share int

const (
	wholeShare = 8 << 10 // bytes of requests
	ofEachRead = 512     // so that small pieces count, too
)

// took counts what was read, and lets others have their turn when the share is used up.
func (s *share) took(n int) {
	if *s += share(n + ofEachRead); *s >= wholeShare {
		*s = 0
		runtime.Gosched()
	}
}
