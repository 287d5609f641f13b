package serve

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	profiles "runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// metrics are counters with a bounded number of labels.
type metrics struct {
	requests    [600]atomic.Int64 // by status
	lanes       [2]atomic.Int64   // by lane
	sent        atomic.Int64      // bytes of bodies
	swaps       atomic.Int64
	connections atomic.Int64 // open connections
	stalled     atomic.Int64 // HTTP/2 streams without progress
	refusals    [len(refusedNames)]atomic.Int64
	took        [len(latencies) + 1]atomic.Int64 // timed requests, by duration
	tookTotal   atomic.Int64                     // total duration in nanoseconds
	asked       atomic.Int64                     // number of requests, some of which are timed
	panics      atomic.Int64
	panicLogged atomic.Int64 // Unix time of the last logged panic
}

// The lanes of requests: fast, or reference, which parses them in full.
const (
	laneFast = iota
	laneReference
)

var laneNames = [...]string{"fast", "reference"}

// latencies are the bounds of the histogram of durations, in seconds. One request in timedOf is
// timed, because reading the clock is comparatively expensive.
var latencies = [...]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10}

const timedOf = 16

func (m *metrics) addDuration(took time.Duration) {
	i, _ := slices.BinarySearch(latencies[:], took.Seconds())
	m.took[i].Add(1)
	m.tookTotal.Add(int64(took))
}

// exposeLatency writes the histogram of durations.
func (m *metrics) exposeLatency(e *exposition) {
	const name = "stele_request_duration_seconds"
	e.writeHeader(name, histogram, fmt.Sprintf("Seconds until answers were sent, for one request in %d.", timedOf))
	count := int64(0)
	for i := range m.took {
		count += m.took[i].Load()
		bound := "+Inf"
		if i < len(latencies) {
			bound = strconv.FormatFloat(latencies[i], 'g', -1, 64)
		}
		e.writeSample(name+"_bucket", float64(count), "le", bound)
	}
	e.writeSample(name+"_sum", time.Duration(m.tookTotal.Load()).Seconds())
	e.writeSample(name+"_count", float64(count))
}

// Reasons for ending a connection before its answer.
const (
	refusedAddress   = iota // too many connections from its address
	refusedHandshake        // TLS handshake failed
	refusedSlow             // the head of a request did not arrive in time
	refusedHTTP2            // HTTP/2 protocol error
	refusedIdle             // idle, and other connections needed the room
)

var refusedNames = [...]string{"address", "handshake", "slow", "http2", "idle"}

func (m *metrics) countRefusal(why int) { m.refusals[why].Add(1) }

// badStatuses are the statuses for malformed and too large requests.
var badStatuses = [...]int{
	http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestURITooLong,
	http.StatusRequestHeaderFieldsTooLarge, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported,
}

// reportEvery is the interval of reports about refused requests, so that clients cannot fill the
// log.
const reportEvery = 10 * time.Second

// reportRefusals logs numbers of refused requests until stopped is closed.
func (d *responder) reportRefusals(stopped <-chan struct{}) {
	t := time.NewTicker(reportEvery)
	defer t.Stop()
	var before refusalCounts
	for running := true; running; {
		select {
		case <-t.C:
		case <-stopped:
			running = false
		}
		before = d.logRefusals(before)
	}
}

type refusalCounts struct {
	reasons  [len(refusedNames)]int64
	statuses [len(badStatuses)]int64
}

func (d *responder) logRefusals(before refusalCounts) (now refusalCounts) {
	var more []any
	for i, name := range refusedNames {
		now.reasons[i] = d.metrics.refusals[i].Load()
		if n := now.reasons[i] - before.reasons[i]; n > 0 {
			more = append(more, slog.Int64(name, n))
		}
	}
	for i, status := range badStatuses {
		now.statuses[i] = d.metrics.requests[status].Load()
		if n := now.statuses[i] - before.statuses[i]; n > 0 {
			more = append(more, slog.Int64(http.StatusText(status), n))
		}
	}
	if len(more) > 0 {
		d.options.Log.Warn("requests refused", more...)
	}
	return now
}

// exposition is the server's metrics in the Prometheus text format, version 0.0.4.
type exposition struct{ bytes.Buffer }

// Types of metrics.
const (
	counter = "counter"
	gauge   = "gauge"
	summary = "summary"

	histogram = "histogram"
)

func (e *exposition) writeHeader(name, kind, help string) {
	help = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help)
	e.WriteString("# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n")
}

// writeSample writes a value. labels contains alternating names and values.
func (e *exposition) writeSample(name string, value float64, labels ...string) {
	e.WriteString(name)
	for i := 0; i < len(labels); i += 2 {
		e.WriteByte("{,"[min(i, 1)])
		e.WriteString(labels[i] + `="` + strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	e.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

func (e *exposition) writeSingle(m Measure) {
	kind := gauge
	if m.Total {
		kind = counter
	}
	e.writeHeader(m.Name, kind, m.Help)
	e.writeSample(m.Name, m.Value)
}

// expose writes the server's counters. No label contains addresses or data of clients.
func (s *Server) expose(e *exposition) {
	m := &s.metrics
	e.writeHeader("stele_requests_total", counter, "Requests answered, by status.")
	for status := range m.requests {
		if n := m.requests[status].Load(); n > 0 {
			e.writeSample("stele_requests_total", float64(n), "status", strconv.Itoa(status))
		}
	}
	e.writeHeader("stele_lane_requests_total", counter, "Requests answered, by lane.")
	for i, name := range laneNames {
		e.writeSample("stele_lane_requests_total", float64(m.lanes[i].Load()), "lane", name)
	}
	m.exposeLatency(e)
	e.writeHeader("stele_refused_connections_total", counter, "Connections ended without an answer, by reason.")
	for i, name := range refusedNames {
		e.writeSample("stele_refused_connections_total", float64(m.refusals[i].Load()), "reason", name)
	}
	total := func(name, help string, n int64) { e.writeSingle(Measure{name, help, float64(n), true}) }
	total("stele_body_bytes_total", "Bytes of bodies sent.", m.sent.Load())
	total("stele_swaps_total", "Releases replaced by another.", m.swaps.Load())
	total("stele_stalled_streams_total", "HTTP/2 streams reset because they made no progress.", m.stalled.Load())
	total("stele_panics_total", "Bugs in the program that cost an answer or a connection.", m.panics.Load())
	e.writeSingle(Measure{"stele_connections", "Open connections.", float64(m.connections.Load()), false})
	r := s.Library().Release()
	e.writeHeader("stele_release_info", gauge, "The release being served.")
	e.writeSample("stele_release_info", 1, "date", r.Date, "release", r.Release)
	for _, of := range s.options.Measures {
		for _, m := range of(r.Release) {
			e.writeSingle(m)
		}
	}
}

// writeRuntime writes the metrics of the Go runtime under their usual names.
func (e *exposition) writeRuntime() {
	e.writeHeader("go_info", gauge, "Information about the Go environment.")
	e.writeSample("go_info", 1, "version", runtime.Version())
	pauses := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&pauses)
	const pause = "go_gc_duration_seconds"
	e.writeHeader(pause, summary, "Pause durations of garbage collections.")
	for i, q := range []string{"0", "0.25", "0.5", "0.75", "1"} {
		e.writeSample(pause, pauses.PauseQuantiles[i].Seconds(), "quantile", q)
	}
	e.writeSample(pause+"_sum", pauses.PauseTotal.Seconds())
	e.writeSample(pause+"_count", float64(pauses.NumGC))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, v := range []Measure{
		{"go_goroutines", "Number of goroutines.", float64(runtime.NumGoroutine()), false},
		{"go_threads", "Number of OS threads created.", float64(profiles.Lookup("threadcreate").Count()), false},
		{"go_sched_gomaxprocs_threads", "Maximum number of threads that run Go code at a time.", float64(runtime.GOMAXPROCS(0)), false},
		{"go_memstats_alloc_bytes", "Bytes allocated in the heap and in use.", float64(m.Alloc), false},
		{"go_memstats_alloc_bytes_total", "Total bytes allocated in the heap.", float64(m.TotalAlloc), true},
		{"go_memstats_mallocs_total", "Total number of heap objects allocated.", float64(m.Mallocs), true},
		{"go_memstats_frees_total", "Total number of heap objects freed.", float64(m.Frees), true},
		{"go_memstats_heap_alloc_bytes", "Bytes of the heap in use.", float64(m.HeapAlloc), false},
		{"go_memstats_heap_idle_bytes", "Bytes in idle heap spans.", float64(m.HeapIdle), false},
		{"go_memstats_heap_inuse_bytes", "Bytes in in-use heap spans.", float64(m.HeapInuse), false},
		{"go_memstats_heap_objects", "Number of objects in the heap.", float64(m.HeapObjects), false},
		{"go_memstats_heap_released_bytes", "Bytes of the heap returned to the system.", float64(m.HeapReleased), false},
		{"go_memstats_heap_sys_bytes", "Bytes of the heap obtained from the system.", float64(m.HeapSys), false},
		{"go_memstats_stack_inuse_bytes", "Bytes of stacks in use.", float64(m.StackInuse), false},
		{"go_memstats_sys_bytes", "Bytes obtained from the system.", float64(m.Sys), false},
		{"go_memstats_next_gc_bytes", "Heap size at which the next garbage collection starts, in bytes.", float64(m.NextGC), false},
		{"go_memstats_last_gc_time_seconds", "Unix time of the last garbage collection.", float64(m.LastGC) / 1e9, false},
	} {
		e.writeSingle(v)
	}
}
