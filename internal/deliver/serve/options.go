package serve

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"stele/internal/base/layout"
	"stele/internal/deliver/library"
)

// Options configure a server. Zero values are the defaults.
type Options struct {
	layout.Freshness       // cache lifetimes of answers; default five minutes, negative for none
	Memory           int64 // maximum size of a release held in memory, in bytes; default 512 MiB

	// Refresh is called when a file of a library cannot be read. It reports whether the server has
	// switched to another library.
	Refresh func(*library.Library) bool

	HeaderBytes int           // maximum size of the head of a request; default 16 KiB
	HeaderTime  time.Duration // time limit for sending it; default 10 seconds
	// how long a connection may be idle, and how long 256 KiB may take to send; default one minute
	IdleTime time.Duration
	// how long files of a replaced release may still be sent; default ten minutes
	OldTime     time.Duration
	Connections int // maximum number of open connections; default 10,000. Idle ones make room for others
	// maximum number of open connections from one address; default a tenth of all, negative for no
	// limit. Local connections are not limited
	PerAddress         int
	ConnectionTime     time.Duration // maximum age of a connection at a request; default an hour
	ConnectionRequests int           // maximum number of requests on a connection; default 100,000

	// Wrap wraps the plain handler. If it is set, net/http serves every request.
	Wrap func(plain http.Handler) http.Handler

	// Measures return metrics of the source of releases or of the certificates; serving is the ID
	// of the current release.
	Measures []func(serving string) []Measure

	Status *Status // status for administrators; nil for a new one

	TLS *tls.Config // for HTTPS; nil for plain HTTP
	// Unsecured returns the handler for ServeUnsecured, which net/http serves, next to HTTPS. plain
	// is the server's own handler.
	Unsecured func(plain http.Handler) http.Handler

	Log       *slog.Logger
	AccessLog bool // whether to log each request
}

func (o Options) withDefaults() Options {
	o.HeaderBytes = cmp.Or(o.HeaderBytes, 16<<10)
	o.HeaderTime = cmp.Or(o.HeaderTime, 10*time.Second)
	o.IdleTime = cmp.Or(o.IdleTime, time.Minute)
	o.OldTime = cmp.Or(o.OldTime, 10*time.Minute)
	o.Connections = cmp.Or(o.Connections, 10_000)
	o.PerAddress = cmp.Or(o.PerAddress, max(o.Connections/10, 1))
	o.ConnectionTime = cmp.Or(o.ConnectionTime, time.Hour)
	o.ConnectionRequests = cmp.Or(o.ConnectionRequests, 100_000)
	o.Status = cmp.Or(o.Status, new(Status))
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Library returns the options for the server's libraries.
func (o Options) Library() library.Options {
	opt := library.Options{Freshness: o.Freshness, Memory: o.Memory, Refresh: o.Refresh, Log: o.Log}
	if o.Status != nil {
		opt.Behind = func(serving string) string {
			reason, _ := o.Status.behindReason(serving)
			return reason
		}
	}
	return opt
}

// Measure is a metric.
type Measure struct {
	Name, Help string
	Value      float64
	Total      bool // whether it is a counter
}
