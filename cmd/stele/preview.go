package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/author/judging/report"
	"stele/internal/author/reading/input"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/preview"
	"stele/internal/deliver/serve"
	"stele/internal/show/bulk"
	"stele/sample"
)

// newPreview returns a preview of the records folder that the arguments name, and a text about the
// files it watches.
func newPreview(c *cobra.Command, args, listen []string, opt serve.Options, quiet bool) (
	*preview.Preview, string, error,
) {
	files, prefix, err := openFolder(args)
	showSample := len(args) == 0 && errors.Is(err, fs.ErrNotExist)
	if showSample {
		files, prefix, err = sample.Files, "sample", nil
		if !quiet {
			fmt.Fprintln(c.ErrOrStderr(), "No stele.yaml found, so this is the sample that comes with Stele. Run `stele init` to create your own folder.")
		}
	} else if err == nil {
		files, err = input.NewReopeningFS(prefix)
	}
	if err != nil {
		return nil, "", err
	}
	p := &preview.Preview{
		Files: files, Dir: prefix, Listen: listen, Options: opt,
		Names: func() []string { return input.WatchedPaths(files) },
	}
	about := "watching " + prefix + " for changes"
	downloads := bulk.None // building them would delay the preview
	if showSample {
		p.Dir, about, downloads = "", "the sample does not change", bulk.Choice{}
	}
	p.Build = func() (compiler.Options, error) {
		date, at, _, err := releaseTimes("", files) // the date of this build: a preview may run for days
		return compiler.Options{Date: date, At: at, Render: renderers(downloads), PreviousUnknown: true}, err
	}
	out, built := c.OutOrStdout(), 0
	p.Report = func(o *compiler.Outcome, took time.Duration) string {
		built++
		opt := report.Options{Files: files, Prefix: prefix, Took: took}
		var text strings.Builder
		if len(o.Check.Problems) > 0 {
			if err := report.Write(&text, "text", o.Check, opt); err != nil {
				return err.Error()
			}
			opt.Color = useColor(out)
			report.Write(out, "text", o.Check, opt) // errors of the terminal do not stop the preview
		} else if built == 1 && !quiet {
			report.WriteHeldBack(out, o.Check.Held)
		} else if built > 1 && !quiet {
			fmt.Fprintf(out, "%s  rebuilt: %d records, no problems found (%.2f s)\n", time.Now().Format(time.TimeOnly), o.Check.Records, took.Seconds())
		}
		return text.String()
	}
	return p, about, nil
}
