package serve

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// processMeasures returns Linux's metrics of the process, under their usual names. It omits those
// that it cannot read.
func processMeasures() []Measure {
	list := []Measure{{"process_start_time_seconds", "Unix time of the start of the process.", float64(began.UnixNano()) / 1e9, false}}
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) == nil {
		used := float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
		list = append(list, Measure{"process_cpu_seconds_total", "CPU time used, in seconds.", used, true})
	}
	var pages, resident float64
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		if _, err := fmt.Sscan(string(data), &pages, &resident); err == nil {
			size := float64(os.Getpagesize())
			list = append(list, Measure{"process_virtual_memory_bytes", "Bytes of virtual memory.", pages * size, false}, Measure{"process_resident_memory_bytes", "Bytes of resident memory.", resident * size, false})
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		list = append(list, Measure{"process_open_fds", "Number of open file descriptors.", float64(len(open)), false})
	}
	if most, ok := maxFiles(); ok {
		list = append(list, Measure{"process_max_fds", "Maximum number of open file descriptors.", float64(most), false})
	}
	return list
}

// maxFiles returns the number of files that the process may open, including connections.
func maxFiles() (uint64, bool) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
	return limit.Cur, err == nil
}
