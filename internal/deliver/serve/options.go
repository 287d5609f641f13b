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

// Options of a server. The zero value of each stands for its default.
type Options struct {
	layout.Freshness       // how long caches may use an answer; default five minutes, negative for none
	Memory           int64 // how many bytes a release may have to be held in memory; default 512 MiB

	// Refresh is called when a file of a library cannot be read, and reports whether another
	// library is served by now.
	Refresh func(*library.Library) bool

	HeaderBytes int           // how large the head of a request may be; default 16 KiB
	HeaderTime  time.Duration // how long sending it may take; default 10 seconds
	// how long a connection may do nothing, and how long a quarter of a mebibyte may take to send;
	// default one minute
	IdleTime time.Duration
	// how long a release may be sent from after another has taken its place; default ten minutes
	OldTime     time.Duration
	Connections int // how many may be open; default 10,000. Idle ones make room for others
	// how many may be open from one address; default a tenth of all, negative for no limit. Of this
	// machine, as many as may be
	PerAddress         int
	ConnectionTime     time.Duration // how old a connection may be when it asks; default an hour
	ConnectionRequests int           // how often it may ask; default 100,000

	// Wrap puts a handler around the plain one. Then net/http takes every request.
	Wrap func(plain http.Handler) http.Handler

	// Measures are numbers of whoever brings the releases or the certificates, for the metrics;
	// serving is the ID of the release that is served.
	Measures []func(serving string) []Measure

	Status *Status // shows the server to those who run it; nil for a new one

	TLS *tls.Config // for HTTPS; nil for plain HTTP
	// Unsecured answers what comes to ServeUnsecured, which net/http takes, beside HTTPS. plain is
	// the server's own answer.
	Unsecured func(plain http.Handler) http.Handler

	Log       *slog.Logger
	AccessLog bool // whether there is a line for each request
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

// Library are the options of the libraries that a server is given.
func (o Options) Library() library.Options {
	opt := library.Options{Freshness: o.Freshness, Memory: o.Memory, Refresh: o.Refresh, Log: o.Log}
	if o.Status != nil {
		opt.Behind = func(serving string) string {
			reason, _ := o.Status.behind(serving)
			return reason
		}
	}
	return opt
}

// Measure is a number that the metrics show.
type Measure struct {
	Name, Help string
	Value      float64
	Total      bool // whether it only grows
}
