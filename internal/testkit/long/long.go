// Package long marks the tests that make test leaves out and make test-all runs.
package long

import (
	"os"
	"strings"
	"testing"
)

// Variable is the environment variable that make test-all sets.
const Variable = "STELE_LONG_TESTS"

// Only skips a test unless make test-all runs it. Its name must begin with TestLong, because make
// test-all finds tests by that.
func Only(t testing.TB) {
	t.Helper()
	if !strings.HasPrefix(t.Name(), "TestLong") {
		t.Fatal("the name of a test that only make test-all runs begins with TestLong")
	}
	if os.Getenv(Variable) == "" {
		t.Skip("make test-all runs this test")
	}
}
