package record

import (
	"flag"
	"os"
	"testing"

	"stele/internal/testkit/race"
)

// TestMain tries fifty records of each kind, and fewer where the race detector watches: all of this
// is done by one goroutine. Fuzz tests try more.
func TestMain(m *testing.M) {
	checks := "50"
	if race.Enabled {
		checks = "15"
	}
	if err := flag.Set("rapid.checks", checks); err != nil { // before -rapid.checks is read
		panic(err)
	}
	os.Exit(m.Run())
}
