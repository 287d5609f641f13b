package serve

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// processMeasures are what Linux knows of the process, by the names that dashboards know. What it
// does not say is left out.
func processMeasures() []Measure {
	list := []Measure{{"process_start_time_seconds", "When the process began, since 1970.", float64(began.UnixNano()) / 1e9, false}}
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) == nil {
		used := float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
		list = append(list, Measure{"process_cpu_seconds_total", "Seconds of CPU time used.", used, true})
	}
	var pages, resident float64
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		if _, err := fmt.Sscan(string(data), &pages, &resident); err == nil {
			size := float64(os.Getpagesize())
			list = append(list, Measure{"process_virtual_memory_bytes", "Bytes of virtual memory.", pages * size, false}, Measure{"process_resident_memory_bytes", "Bytes of memory in use.", resident * size, false})
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		list = append(list, Measure{"process_open_fds", "Files that are open.", float64(len(open)), false})
	}
	if most, ok := maxFiles(); ok {
		list = append(list, Measure{"process_max_fds", "Files that may be open.", float64(most), false})
	}
	return list
}

// maxFiles is how many files the process may have open, connections among them.
func maxFiles() (uint64, bool) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
	return limit.Cur, err == nil
}
