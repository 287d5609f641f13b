// Install gets the programs of others that tests run, so that they do not have to, and so that it
// is seen: those of node with "npm", the servers with "stores".
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"stele/tools/npm"
	"stele/tools/stores"
)

type program struct {
	name    string
	install func(io.Writer) (string, error)
}

var programs = map[string][]program{
	"npm": {{"linters and readers of formats", npm.Install}, {"DuckDB", npm.DuckDB}},
	"stores": {
		{"an S3 server", stores.S3},
		{"a server of Google Cloud Storage", stores.Google},
		{"a server of Azure Blob Storage", npm.Azurite},
		{"a witness of logs", stores.Witness},
		{"an authority for certificates", stores.Authority},
	},
}

func main() {
	// Two at a time: one links on a single core, and npm waits for the network.
	var all sync.WaitGroup
	var missing atomic.Bool
	places := make(chan struct{}, 2)
	for _, p := range programs[strings.Join(os.Args[1:], "")] {
		places <- struct{}{}
		all.Go(func() {
			if _, err := p.install(os.Stdout); err != nil {
				fmt.Printf("Tests with %s are left out: %v\n", p.name, err)
				missing.Store(true)
			}
			<-places
		})
	}
	if all.Wait(); missing.Load() && os.Getenv("CI") != "" {
		os.Exit(1)
	}
}
