// Package page puts the output of a benchmark into docs/benchmarks.md, so that figures are not
// copied by hand.
package page

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Path is the page, from the root of the project.
const Path = "docs/benchmarks.md"

// Run runs a benchmark that prints to standard output. With write set, its output also replaces the
// section of that name in the page, unless the benchmark fails.
func Run(section string, write bool, benchmark func() error) (err error) {
	if !write {
		return benchmark()
	}
	old, err := os.ReadFile(Path)
	if err != nil {
		return fmt.Errorf("run this from the root of the project: %w", err)
	}
	if _, err := Replace(old, section, nil); err != nil {
		return err // before hours of work
	}
	var printed bytes.Buffer // by the same benchmark that does not write
	isWrite := func(arg string) bool { return strings.TrimLeft(arg, "-") == "write" }
	cmd := exec.Command(os.Args[0], slices.DeleteFunc(os.Args[1:], isWrite)...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &printed), os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	// The benchmark may have run for an hour: the page may be another one by now.
	if old, err = os.ReadFile(Path); err != nil {
		return err
	}
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		commit = []byte("unknown") // as in an archive of the source
	}
	today := time.Now().UTC().Format(time.DateOnly)
	text := fmt.Appendf(nil, "%s, commit %s.\n%s", today, bytes.TrimSpace(commit), bytes.TrimSpace(printed.Bytes()))
	now, err := Replace(old, section, text)
	if err != nil {
		return err
	}
	return os.WriteFile(Path, now, 0o644)
}

// Replace returns the page with another text between the two marks of a section.
func Replace(page []byte, section string, text []byte) ([]byte, error) {
	begin, end := Marks(section)
	before, rest, found := bytes.Cut(page, []byte(begin))
	if !found {
		return nil, fmt.Errorf("%s has no line %q", Path, begin)
	}
	_, after, found := bytes.Cut(rest, []byte(end))
	if !found {
		return nil, fmt.Errorf("%s has no line %q after %q", Path, end, begin)
	}
	return fmt.Appendf(nil, "%s%s\n\n%s\n\n%s%s", before, begin, text, end, after), nil
}

// Marks returns the lines of the page around a section.
func Marks(section string) (begin, end string) {
	return "<!-- written by bench/" + section + " -->", "<!-- end of bench/" + section + " -->"
}
