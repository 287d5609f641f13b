// Stele publishes public records as static, read-only files.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"stele/internal/base/version"
)

// Exit codes: exitFound is for findings, exitFailed for a command that could not run, exitAsked for
// one that would change something and had nobody to ask.
const (
	exitFound  = 1
	exitFailed = 2
	exitAsked  = 3
)

func main() {
	err := newRoot().Execute()
	switch {
	case err == nil:
	case errors.Is(err, errFound):
		os.Exit(exitFound)
	case errors.Is(err, errAsked):
		os.Exit(exitAsked)
	case errors.Is(err, context.Canceled): // nobody else ends what a command does
		fmt.Fprintln(os.Stderr, "stele: interrupted")
		os.Exit(exitFailed)
	default:
		printError(os.Stderr, err)
		os.Exit(exitFailed)
	}
}

func newRoot() *cobra.Command {
	c := &cobra.Command{
		Use:   "stele",
		Short: "Publish public records as static, read-only files",
		Long: `Stele publishes public records as static, read-only files.

Keep records as text files in a folder, one folder for each kind. Stele checks them, suggests what
to write instead, and makes a release from them.

  stele init measles     make a folder with a small example of each kind
  stele serve            show the records while you write them, or serve a release
  stele check            find everything that is wrong with the records
  stele build -o public  make a release: static files that any web server can serve

Commands look for stele.yaml in the folder they are given, or the current one, and in its parents.
Where they read a release, name a folder, a zip, a bucket, or the address of a service.
They end with 0 if all is well, 1 if something is wrong with the records, 2 if they could not run.
With -q, or --quiet, they print nothing when all is well. Today is the day of SOURCE_DATE_EPOCH,
where that is set.`,
		// A template for it would make the linker keep every method: a fifth of the program.
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"write", "Write records:", []*cobra.Command{
			editCommand(), initCommand(), newCommand(), importCommand(),
			correctCommand(), reviseCommand(), reverifyCommand(), retractCommand(), redactCommand(),
		}},
		{"check", "Check them:", []*cobra.Command{
			checkCommand(), explainCommand(), reviewCommand(), traceCommand(), schemaCommand(),
		}},
		{"publish", "Publish them:", []*cobra.Command{
			publishCommand(), buildCommand(), diffCommand(), keyCommand(), signCommand(), pushCommand(),
			reproduceCommand(),
		}},
		{"serve", "Serve a release:", []*cobra.Command{serveCommand(), mcpCommand()}},
		{"read", "Read what others publish:", []*cobra.Command{
			mirrorCommand(), verifyCommand(), showCommand(), restoreCommand(), reuseCommand(), auditCommand(),
		}},
	} {
		c.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, one := range g.commands {
			one.GroupID = g.id
		}
		c.AddCommand(g.commands...)
	}
	cobra.EnableCommandSorting = false
	c.PersistentFlags().BoolP("quiet", "q", false, "print nothing when all is well")
	c.PersistentFlags().Lookup("quiet").Hidden = true // the help of stele has it once
	c.CompletionOptions.HiddenDefaultCmd = true
	c.SetFlagErrorFunc(wrongFlag)
	c.SetHelpFunc(showHelp)
	return c
}
