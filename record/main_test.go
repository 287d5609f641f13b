package record

import (
	"flag"
	"os"
	"testing"

	"stele/internal/race"
)

// TestMain tries fewer records where the race detector watches: all of this is done by one
// goroutine.
func TestMain(m *testing.M) {
	flag.Parse()
	if race.Enabled {
		if err := flag.Set("rapid.checks", "15"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
