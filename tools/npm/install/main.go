// Install installs the programs of others that tests run with node, so that they do not have to.
package main

import (
	"fmt"
	"io"
	"os"

	"stele/tools/npm"
)

func main() {
	for _, install := range []func(io.Writer) (string, error){npm.Install, npm.DuckDB} {
		if _, err := install(os.Stdout); err != nil {
			fmt.Printf("Tests that run the programs of others with node are left out: %v\n", err)
			if os.Getenv("CI") != "" {
				os.Exit(1)
			}
		}
	}
}
