// Package clocktest lets a test run on another day. A test that imports it, and the programs that
// the test starts from its own binary, begin at the time in STELE_TEST_CLOCK, if that is set:
//
//	STELE_TEST_CLOCK=2028-02-29T23:59:55Z TZ=Pacific/Kiritimati go test ./cmd/stele
package clocktest

import (
	"os"
	"time"

	"stele/internal/base/clock"
)

// Variable is the environment variable with the time.
const Variable = "STELE_TEST_CLOCK"

func init() {
	text := os.Getenv(Variable)
	if text == "" {
		return
	}
	begin, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(Variable + ": " + err.Error())
	}
	started := time.Now()
	clock.Now = func() time.Time { return begin.Add(time.Since(started)) }
}
