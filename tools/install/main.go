// Install installs the third-party programs that tests run: "go run ./tools/install test" those of
// make test, "go run ./tools/install test-all" those of make test-all. It first prints which are
// missing, and their size.
package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"stele/tools/programs"
)

func main() {
	group, ok := programs.Groups[strings.Join(os.Args[1:], " ")]
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/install test|test-all")
		os.Exit(2)
	}
	missing, megabytes := missing(group)
	if len(missing) == 0 {
		return
	}
	fmt.Printf("Tests need third-party programs, which will be installed, about %d MB in total:\n", megabytes)
	for _, p := range missing {
		fmt.Printf("  %4d MB  %s\n", p.Megabytes, p.Name)
	}
	// Two at a time: one links on a single core, and npm waits for the network.
	var all sync.WaitGroup
	var failed atomic.Bool
	places := make(chan struct{}, 2)
	for _, p := range missing {
		places <- struct{}{}
		all.Go(func() {
			if _, err := p.Get(os.Stdout); err != nil {
				fmt.Printf("Tests that need it are skipped: %v\n", err)
				failed.Store(true)
			}
			<-places
		})
	}
	if all.Wait(); failed.Load() && os.Getenv("CI") != "" {
		os.Exit(1)
	}
}

// missing returns the programs that are not installed, and their size on disk.
func missing(group []*programs.Program) (missing []*programs.Program, megabytes int) {
	for _, p := range group {
		if path, err := p.Path(); path == "" || err != nil {
			missing, megabytes = append(missing, p), megabytes+p.Megabytes
		}
	}
	return missing, megabytes
}
