package serve

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Admin answers what concerns whoever runs the server: health, metrics, profiles. It belongs on a
// listener of its own that the public does not reach.
func (s *Server) Admin() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collector{s},
	)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		m := s.Library().Release()
		if s.stopping.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, "stopping")
			return
		}
		fmt.Fprintf(w, "serving release %s of %s\n", m.Release, m.Date)
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// collector gives the server's counters to Prometheus. No label is an address or comes from a
// client.
type collector struct{ s *Server }

var (
	requestsTotal = prometheus.NewDesc("stele_requests_total", "Requests answered, by status.", []string{"status"}, nil)
	lanesTotal    = prometheus.NewDesc("stele_lane_requests_total", "Requests answered, by the way that they took.", []string{"lane"}, nil)
	sentTotal     = prometheus.NewDesc("stele_body_bytes_total", "Bytes of bodies sent.", nil, nil)
	swapsTotal    = prometheus.NewDesc("stele_swaps_total", "Releases that were put in the place of another.", nil, nil)
	refusedTotal  = prometheus.NewDesc("stele_refused_releases_total", "Releases that could not be served.", nil, nil)
	stalledTotal  = prometheus.NewDesc("stele_stalled_streams_total", "Streams of HTTP/2 that were reset because they stood still.", nil, nil)
	refusals      = prometheus.NewDesc("stele_refused_connections_total", "Connections that ended without an answer, by reason.", []string{"reason"}, nil)
	panicsTotal   = prometheus.NewDesc("stele_panics_total", "Mistakes in the program that cost an answer or a connection.", nil, nil)
	connections   = prometheus.NewDesc("stele_connections", "Connections that are open.", nil, nil)
	served        = prometheus.NewDesc("stele_release_info", "The release that is served.", []string{"release", "date"}, nil)
)

// Measure is a number of somebody else that the metrics show too.
type Measure struct {
	Name, Help string
	Value      float64
	Total      bool // whether it only grows
}

func (c collector) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, to) }

func (c collector) Collect(to chan<- prometheus.Metric) {
	m := &c.s.metrics
	counter := func(d *prometheus.Desc, v int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	for status := range m.requests {
		if n := m.requests[status].Load(); n > 0 {
			counter(requestsTotal, n, strconv.Itoa(status))
		}
	}
	for i, name := range laneNames {
		counter(lanesTotal, m.lanes[i].Load(), name)
	}
	counter(sentTotal, m.sent.Load())
	counter(swapsTotal, m.swaps.Load())
	counter(refusedTotal, m.refused.Load())
	counter(stalledTotal, m.stalled.Load())
	for i, name := range refusedNames {
		counter(refusals, m.refusals[i].Load(), name)
	}
	counter(panicsTotal, m.panics.Load())
	to <- prometheus.MustNewConstMetric(connections, prometheus.GaugeValue, float64(m.connections.Load()))
	r := c.s.Library().Release()
	to <- prometheus.MustNewConstMetric(served, prometheus.GaugeValue, 1, r.Release, r.Date)
	if c.s.options.Measures == nil {
		return
	}
	for _, v := range c.s.options.Measures(r.Release) {
		kind := prometheus.GaugeValue
		if v.Total {
			kind = prometheus.CounterValue
		}
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(v.Name, v.Help, nil, nil), kind, v.Value)
	}
}
