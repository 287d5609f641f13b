// Package projecttest tests the project as a whole: which package imports which, that the docs are
// accurate, how long lines and functions are, and what the program weighs.
package projecttest

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in the root folder of the project, so they name files as the docs do.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
