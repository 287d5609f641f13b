package library

import (
	"log/slog"
	"time"

	"stele/internal/base/layout"
)

// Options of a library. The zero value of each stands for its default.
type Options struct {
	layout.Freshness       // how long caches may use an answer; default five minutes, negative for none
	Memory           int64 // how many bytes a release may have to be held in memory; default 512 MiB

	// Refresh is called when a file of a library cannot be read, and reports whether another
	// library is served by now.
	Refresh func(*Library) bool
	Log     *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.MaxAge == 0 {
		o.MaxAge = 5 * time.Minute
	}
	if o.Memory == 0 {
		o.Memory = 512 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o *Options) fault(err error) {
	o.Log.Error("a file of the release cannot be read", "error", err)
}
