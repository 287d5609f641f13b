package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"stele/internal/author/report"
)

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printError shows an error. What of it came from elsewhere does not steer the terminal.
func printError(w io.Writer, err error) {
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = report.Printable(line)
	}
	fmt.Fprintln(w, "stele: "+strings.Join(lines, "\n"))
}

// colorful reports whether to colour what is written: on a terminal, unless NO_COLOR (no-color.org)
// says no.
func colorful(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// stepBar shows how far each step of long work has come.
func stepBar(w io.Writer, quiet bool) (progress func(step string, done, total int64), finish func()) {
	if quiet || !isTerminal(w) {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	var current string
	start := time.Now()
	finish = func() {
		if bar != nil {
			bar.Finish()
			bar = nil
		}
	}
	progress = func(step string, done, total int64) {
		if step != current {
			finish()
			current = step
		}
		if bar == nil && time.Since(start) > 400*time.Millisecond {
			bar = progressbar.NewOptions64(
				total,
				progressbar.OptionSetWriter(w),
				progressbar.OptionSetDescription(fmt.Sprintf("%-11s", step)),
				progressbar.OptionShowBytes(
					total > 1<<20,
				),
				progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(),
				progressbar.OptionSetWidth(30),
			)
		}
		if bar != nil {
			bar.Set64(min(done, total)) // drawing may fail; the work goes on
		}
	}
	return progress, finish
}

// canAsk reports whether somebody sits at a terminal who can answer.
func canAsk(c *cobra.Command) bool {
	in, ok := c.InOrStdin().(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && isTerminal(c.OutOrStdout())
}

// answers are what somebody types.
type answers struct{ lines *bufio.Scanner }

func newAnswers(r io.Reader) *answers { return &answers{bufio.NewScanner(r)} }

// one asks until the answer begins with one of some letters. The end of the input is the last of
// them.
func (a *answers) one(w io.Writer, question, letters string) (byte, error) {
	for {
		fmt.Fprint(w, question)
		if !a.lines.Scan() {
			fmt.Fprintln(w)
			return letters[len(letters)-1], a.lines.Err()
		}
		if line := strings.ToLower(strings.TrimSpace(a.lines.Text())); line != "" && strings.Contains(letters, line[:1]) {
			return line[0], nil
		}
	}
}

// interruptible returns a context that ends when the user interrupts the command. Who interrupts it
// again need not wait for its end.
func interruptible(c *cobra.Command) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
