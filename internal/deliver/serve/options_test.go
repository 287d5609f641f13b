package serve

import (
	"net/http"
	"testing"
)

// plainly leaves everything to net/http.
func plainly(plain http.Handler) http.Handler { return plain }

// TestDefaults: options that have their defaults stay as they are when they are completed again, as
// a follower and its server do. What they do not ask for does not keep requests from the lanes.
func TestDefaults(t *testing.T) {
	once := Options{}.withDefaults()
	if twice := once.withDefaults(); twice.Wrap != nil || twice.Connections != once.Connections {
		t.Errorf("%+v becomes %+v", once, twice)
	}
}
