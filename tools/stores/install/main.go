// Install gets the servers of others that tests start, so that they do not have to, and so that it
// is seen.
package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"stele/tools/npm"
	"stele/tools/stores"
)

func main() {
	// Two at a time: one links on a single core, and npm waits for the network.
	var all sync.WaitGroup
	var missing atomic.Bool
	places := make(chan struct{}, 2)
	for _, program := range []struct {
		name    string
		install func(io.Writer) (string, error)
	}{
		{"an S3 server", stores.S3},
		{"a server of Google Cloud Storage", stores.Google},
		{"a server of Azure Blob Storage", npm.Azurite},
		{"a witness of logs", stores.Witness},
		{"an authority for certificates", stores.Authority},
	} {
		places <- struct{}{}
		all.Go(func() {
			if _, err := program.install(os.Stdout); err != nil {
				fmt.Printf("Tests with %s are left out: %v\n", program.name, err)
				missing.Store(true)
			}
			<-places
		})
	}
	if all.Wait(); missing.Load() && os.Getenv("CI") != "" {
		os.Exit(1)
	}
}
