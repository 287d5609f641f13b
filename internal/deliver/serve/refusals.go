package serve

import (
	"log/slog"
	"net/http"
	"time"
)

// badStatuses are those of requests that are not well-formed, or too large.
var badStatuses = [...]int{
	http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestURITooLong,
	http.StatusRequestHeaderFieldsTooLarge, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported,
}

// reportEvery is how often the log says what was refused: so rarely that clients cannot fill it.
const reportEvery = 10 * time.Second

// reportRefusals logs what was refused, until the server stops.
func (d *desk) reportRefusals(stopped <-chan struct{}) {
	t := time.NewTicker(reportEvery)
	defer t.Stop()
	var before refusalCounts
	for running := true; running; {
		select {
		case <-t.C:
		case <-stopped:
			running = false
		}
		before = d.report(before)
	}
}

type refusalCounts struct {
	reasons  [len(refusedNames)]int64
	statuses [len(badStatuses)]int64
}

func (d *desk) report(before refusalCounts) (now refusalCounts) {
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
		d.options.Log.Warn("requests were refused", more...)
	}
	return now
}
