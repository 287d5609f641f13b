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

// Exit codes: exitFound means that problems were found, exitFailed that a command could not run,
// and exitAsked that a command needed a confirmation that it could not ask for.
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
	case errors.Is(err, context.Canceled): // a command is only canceled by the user
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
to write instead, and compiles them into a release.

  stele init measles     create a folder with a small example of each kind
  stele serve            show the records while you write them, or serve a release
  stele check            find all problems in the records
  stele build -o public  build a release: static files that any web server can serve

Commands look for stele.yaml in the given folder (by default the current folder) and its parents.
A release can be a folder, a zip, a bucket, or the URL of a service.
Exit codes are 0 for success, 1 for problems in the data, and 2 if a command could not run.
With -q or --quiet, a command prints nothing if it succeeds. If SOURCE_DATE_EPOCH is set, it
replaces the current time.`,
		// A version template would make the linker keep every method, a fifth of the program.
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"write", "Write records:", []*cobra.Command{
			editCommand(), initCommand(), newCommand(), importCommand(), areasCommand(),
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
	c.PersistentFlags().BoolP("quiet", "q", false, "print nothing on success")
	c.PersistentFlags().Lookup("quiet").Hidden = true // the help of stele mentions it once
	c.CompletionOptions.HiddenDefaultCmd = true
	c.SetFlagErrorFunc(flagError)
	c.SetHelpFunc(showHelp)
	return c
}
