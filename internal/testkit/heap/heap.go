// Package heap measures memory in use, for tests of programs that may use only so much.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Live returns the bytes of the heap that are in use, without garbage.
func Live() uint64 {
	runtime.GC()
	runtime.GC() // the first keeps what pools hold
	return marked()
}

// marked returns the bytes that the last collection of garbage found in use. Unlike the size of the
// heap, it does not depend on how much garbage there is at the moment.
func marked() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Growth calls do and returns how many more bytes were in use at once while it ran. Garbage is
// collected often meanwhile, whatever the environment says, because each collection is one measure.
func Growth(do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	before := Live()
	most := before
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, marked())
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	return most - before
}
