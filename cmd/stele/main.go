// Stele publishes public records as static, read-only files.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Exit codes: found is for findings, failed for a command that could not run, asked for one that
// would change something and had nobody to ask.
const (
	found  = 1
	failed = 2
	asked  = 3
)

// errAsked ends a command that would change what is published.
var errAsked = errors.New("would publish")

// errFound ends a command that ran well and found something wrong with the data.
var errFound = errors.New("found problems")

func main() {
	err := root().Execute()
	switch {
	case err == nil:
	case errors.Is(err, errFound):
		os.Exit(found)
	case errors.Is(err, errAsked):
		os.Exit(asked)
	case errors.Is(err, context.Canceled): // nobody else ends what a command does
		fmt.Fprintln(os.Stderr, "stele: interrupted")
		os.Exit(failed)
	default:
		printError(os.Stderr, err)
		os.Exit(failed)
	}
}
