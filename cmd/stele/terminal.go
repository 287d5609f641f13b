package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"stele/internal/author/judging/report"
)

// errAsked ends a command that needs a confirmation that it cannot ask for.
var errAsked = errors.New("would publish")

// errFound ends a command that ran and found problems in the data.
var errFound = errors.New("found problems")

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printError prints an error. It escapes characters that could control the terminal.
func printError(w io.Writer, err error) {
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = report.Printable(line)
	}
	fmt.Fprintln(w, "stele: "+strings.Join(lines, "\n"))
}

// printLateError prints late, the error of a step after publication, unless it is nil.
func printLateError(c *cobra.Command, late error) {
	if late != nil {
		printError(c.ErrOrStderr(), late)
	}
}

// useColor reports whether to print colours: only at a terminal, and if NO_COLOR (no-color.org) is
// not set.
func useColor(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func newProgressBar(w io.Writer, quiet bool) (progress func(step string, done, total int64), finish func()) {
	if quiet || !isTerminal(w) {
		return func(string, int64, int64) {}, func() {}
	}
	const width, blank = 30, "\r\x1b[K"
	var mu sync.Mutex
	next, drawn, ended := time.Now().Add(400*time.Millisecond), false, false
	var late *time.Timer // draws a step that came too early, if no other follows
	progress = func(step string, done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if total <= 0 || ended {
			return
		}
		if late != nil {
			late.Stop()
		}
		if wait := time.Until(next); wait > 0 {
			late = time.AfterFunc(wait, func() { progress(step, done, total) })
			return
		}
		next, drawn = time.Now().Add(100*time.Millisecond), true
		done = min(max(done, 0), total)
		full := int(float64(done) / float64(total) * width)
		fmt.Fprintf(w, "%s%-11s %3d %% |%s%s|", blank, step, int(100*float64(done)/float64(total)),
			strings.Repeat("█", full), strings.Repeat(" ", width-full))
	}
	return progress, func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		if drawn {
			fmt.Fprint(w, blank)
		}
	}
}

// canAsk reports whether the input and the output are a terminal, so that a person can answer.
func canAsk(c *cobra.Command) bool {
	in, ok := c.InOrStdin().(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && isTerminal(c.OutOrStdout())
}

type answers struct{ lines *bufio.Scanner }

func newAnswers(r io.Reader) *answers { return &answers{bufio.NewScanner(r)} }

// askLetter asks question until the answer begins with one of letters. The end of the input counts
// as the last letter.
func (a *answers) askLetter(w io.Writer, question, letters string) (byte, error) {
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

type runFunc = func(c *cobra.Command, args []string) error

// withInterrupt cancels the command's context when the user interrupts it. A second interrupt ends
// the program at once.
func withInterrupt(run runFunc) runFunc {
	return func(c *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop)
		c.SetContext(ctx)
		return run(c, args)
	}
}
