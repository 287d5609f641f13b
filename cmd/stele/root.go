package main

import (
	"github.com/spf13/cobra"

	"stele/internal/base/version"
)

func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "stele",
		Short: "Publish public records as static, read-only files",
		Long: `Stele publishes public records as static, read-only files.

Keep records as text files in a folder, one folder for each kind. Stele checks them, suggests what to write
instead, and makes a release from them.

  stele init measles     make a folder with a small example of each kind
  stele serve            show the records while you write them, or serve a release
  stele check            find everything that is wrong with the records
  stele build -o public  make a release: static files that any web server can serve

Commands look for stele.yaml in the folder they are given, or in the current folder, and in its parents.
They end with 0 if all is well, 1 if something is wrong with the records, 2 if they could not run.`,
		// A template for it would make the linker keep every method: a fifth of the program.
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.AddCommand(
		auditCommand(),
		buildCommand(),
		checkCommand(),
		correctCommand(),
		diffCommand(),
		explainCommand(),
		importCommand(),
		initCommand(),
		keyCommand(),
		mcpCommand(),
		mirrorCommand(),
		newCommand(),
		publishCommand(),
		pushCommand(),
		redactCommand(),
		retractCommand(),
		reverifyCommand(),
		reviewCommand(),
		reviseCommand(),
		reproduceCommand(),
		restoreCommand(),
		reuseCommand(),
		schemaCommand(),
		serveCommand(),
		showCommand(),
		signCommand(),
		traceCommand(),
		verifyCommand(),
	)
	c.CompletionOptions.HiddenDefaultCmd = true
	c.SetFlagErrorFunc(wrongFlag)
	return c
}
