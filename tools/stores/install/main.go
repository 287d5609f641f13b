// Install gets the servers of others that tests start, so that they do not have to, and so that it
// is seen.
package main

import (
	"fmt"
	"io"
	"os"

	"stele/tools/npm"
	"stele/tools/stores"
)

func main() {
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
		if _, err := program.install(os.Stdout); err != nil {
			fmt.Printf("Tests with %s are left out: %v\n", program.name, err)
			if os.Getenv("CI") != "" {
				os.Exit(1)
			}
		}
	}
}
