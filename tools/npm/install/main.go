// Install installs the programs of others that tests run with node, so that they do not have to.
package main

import (
	"fmt"
	"io"
	"os"

	"stele/tools/npm"
)

func main() {
	for _, program := range []struct {
		name    string
		install func(io.Writer) (string, error)
	}{
		{"linters and readers of formats", npm.Install},
		{"DuckDB", npm.DuckDB},
	} {
		if _, err := program.install(os.Stdout); err != nil {
			fmt.Printf("Tests that run %s are left out: %v\n", program.name, err)
			if os.Getenv("CI") != "" {
				os.Exit(1)
			}
		}
	}
}
