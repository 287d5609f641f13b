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

Keep records as text files in a folder, one folder for each kind. Stele checks them, tells what to write
instead, and makes a release from them.

  stele init measles     make a folder with a small example of each kind
  stele serve            show the records while you write them, or serve a release
  stele check            find everything that is wrong with the records
  stele build -o public  make a release: static files that any web server can serve
  stele sign public      sign a release, so that anybody can prove that it is yours
  stele verify public    make sure that a release is whole
  stele diff old new     show what changed between two releases or folders
  stele show ID public   show a record as it is in a release, or as it stood on a day
  stele restore public   write the records as they stood on a day into a folder
  stele mirror URL dir   keep a verified copy of what a service publishes
  stele push public URL  publish a release to an object store, for any number of servers
  stele explain REF01    tell more about a finding
  stele new signal ID    write a commented template into the right place
  stele correct ID       write into a record that it was wrong, and what is right
  stele retract ID       write into a record that it no longer stands
  stele revise ID        write into a record that there is something new
  stele reverify ID      write into a record that it was checked again and stands
  stele trace ID         show what a record rests on, and what rests on it
  stele review           list the records that have to be looked at again
  stele schema signal    print what a signal looks like, as JSON Schema

Commands look for stele.yaml in the folder they are given, or where you stand, and in the folders around it.
They end with 0 if all is well, 1 if something is wrong with the records, 2 if they could not run.`,
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.AddCommand(
		buildCommand(),
		checkCommand(),
		correctCommand(),
		diffCommand(),
		explainCommand(),
		initCommand(),
		keyCommand(),
		mirrorCommand(),
		newCommand(),
		pushCommand(),
		retractCommand(),
		reverifyCommand(),
		reviewCommand(),
		reviseCommand(),
		reproduceCommand(),
		restoreCommand(),
		schemaCommand(),
		serveCommand(),
		showCommand(),
		signCommand(),
		traceCommand(),
		verifyCommand(),
		witnessCommand(),
	)
	c.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	c.CompletionOptions.HiddenDefaultCmd = true
	c.SetFlagErrorFunc(wrongFlag)
	return c
}
