package serve

import (
	"net/http"
	"testing"
)

// TestDefaults: options that have their defaults stay as they are when they are completed again, as
// a follower and its server do. What they do not ask for does not keep requests from the fast lane.
func TestDefaults(t *testing.T) {
	once := Options{}.withDefaults()
	twice := once.withDefaults()
	if once.NoLane || twice.NoLane || twice.Wrap != nil || twice.Connections != once.Connections {
		t.Errorf("%+v becomes %+v", once, twice)
	}
	wrapped := Options{Wrap: func(plain http.Handler) http.Handler { return plain }}.withDefaults()
	if !wrapped.NoLane {
		t.Error("requests do not reach the handler that is put around the plain one")
	}
}
