package parallel

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// CollectOften makes the garbage collector run more often while much memory is in use, so that the
// heap does not grow to twice its live size.
var CollectOften = sync.OnceFunc(func() {
	go func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for was := 100; ; time.Sleep(100 * time.Millisecond) {
			metrics.Read(live)
			percent := 100
			switch used := live[0].Value.Uint64(); {
			case used > 256<<20:
				percent = 12
			case used > 72<<20:
				percent = 25
			case used > 36<<20:
				percent = 50
			}
			if percent != was {
				debug.SetGCPercent(percent)
				was = percent
			}
		}
	}()
})
