package serve

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"stele/internal/deliver/library"
)

// metrics are counters without labels that could grow.
type metrics struct {
	requests    [600]atomic.Int64 // by status
	lanes       [2]atomic.Int64   // by the way that requests took
	sent        atomic.Int64      // bytes of bodies
	swaps       atomic.Int64
	refused     atomic.Int64 // releases that could not be served
	connections atomic.Int64 // open ones
	stalled     atomic.Int64 // streams of HTTP/2 that stood still
	refusals    [len(refusedNames)]atomic.Int64
	panics      atomic.Int64
	panicLogged atomic.Int64 // when one was logged last, in seconds
}

// The ways that a request can take.
const (
	laneFast = iota
	laneReference
)

var laneNames = [...]string{"fast", "reference"}

// started is when a request began, where somebody wants to know.
func (s *Server) started() time.Time {
	if s.options.AccessLog {
		return time.Now()
	}
	return time.Time{}
}

// count counts an answer, and logs it where that is asked for: without the query string, which is
// nobody's business.
func (s *Server) count(r *library.Request, a *library.Answer, sent int64, started time.Time, lane int) {
	s.metrics.requests[a.Status].Add(1)
	s.metrics.lanes[lane].Add(1)
	s.metrics.sent.Add(sent)
	if s.options.AccessLog {
		s.options.Log.LogAttrs(
			context.Background(),
			slog.LevelInfo,
			"request",
			slog.String("method", r.Method),
			slog.String("path", strings.Clone(r.Path)),
			slog.Int(
				"status",
				a.Status,
			),
			slog.Int64("bytes", sent),
			slog.Duration("took", time.Since(started)),
			slog.String("lane", laneNames[lane]),
		)
	}
}
