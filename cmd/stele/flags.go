package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/clock"
	"stele/internal/base/suggest"
	"stele/internal/compile/compiler"
	"stele/record"
)

// choice is a word that a flag accepts, the variable that it sets, and its meaning.
type choice struct {
	word string
	set  *bool
	doc  string
}

// choices are the words of a flag that can be repeated or take a comma-separated list.
type choices []choice

// addChoicesFlag adds the flag name, which accepts several words of list.
func addChoicesFlag(c *cobra.Command, name, doc string, list ...choice) {
	docs := make([]string, len(list))
	for i, one := range list {
		docs[i] = one.word + " (" + one.doc + ")"
	}
	c.Flags().Var(choices(list), name, doc+", comma-separated: "+strings.Join(docs, ", "))
}

func (l choices) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		found := false
		for _, one := range l {
			if one.word == strings.TrimSpace(word) {
				*one.set, found = true, true
			}
		}
		if !found {
			return fmt.Errorf("unknown word %q: choose from %s", word, l.wordList())
		}
	}
	return nil
}

func (l choices) String() string { return "" }

// Type returns the placeholder of the value in help texts.
func (l choices) Type() string { return "words" }

func (l choices) wordList() string {
	words := make([]string, len(l))
	for i, one := range l {
		words[i] = one.word
	}
	return strings.Join(words, ", ")
}

// addWordFlag adds the flag name, which sets to to one word of list. The first word is the default.
func addWordFlag(c *cobra.Command, to *string, name, doc string, list ...string) {
	*to = list[0]
	c.Flags().Var(&oneWord{to, list}, name, doc)
}

type oneWord struct {
	to   *string
	list []string
}

func (w *oneWord) Set(text string) error {
	if !slices.Contains(w.list, text) {
		return errors.New("write " + strings.Join(w.list, ", "))
	}
	*w.to = text
	return nil
}

func (w *oneWord) String() string { return *w.to }
func (w *oneWord) Type() string   { return "string" }

// addAllowFlags adds the flags that allow what a release otherwise refuses.
func addAllowFlags(c *cobra.Command, opt *compiler.Options, more ...choice) {
	c.Flags().StringArrayVar(&opt.AllowRemoved, "allow-removed", nil, "ID or pattern of records that may be missing, with a reason ('sig-a: Withdrawn.'); or @FILE with one per line")
	addChoicesFlag(c, "allow", "allow", append([]choice{
		{"shrink", &opt.AllowShrink, "a kind with over a tenth fewer records"},
		{"license", &opt.AllowLicense, "another licence or notice"},
		{"move", &opt.AllowMove, "another base_url"},
	}, more...)...)
}

// countArguments returns a check that there are from least to most arguments. Its error shows the
// usage and an example.
func countArguments(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		example, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
		return fmt.Errorf("usage: %s. For example: %s", strings.TrimSuffix(c.UseLine(), " [flags]"), example)
	}
}

// showHelp prints the first paragraph of the help, then the examples, the other paragraphs, and the
// flags.
func showHelp(c *cobra.Command, _ []string) {
	what, more, _ := strings.Cut(c.Long, "\n\n")
	sections, example := []string{what}, c.Example
	if example != "" {
		sections = append(sections, "Examples:\n"+example)
	}
	if more != "" {
		sections = append(sections, more)
	}
	c.Example, c.Flags().Lookup("help").Hidden = "", true // the reader has already found it
	fmt.Fprint(c.OutOrStdout(), strings.Join(append(sections, c.UsageString()), "\n\n"))
	c.Example = example
}

func flagError(c *cobra.Command, err error) error {
	if invalid := new(pflag.InvalidValueError); errors.As(err, &invalid) {
		return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := suggest.Closest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("unknown flag --%s; did you mean --%s?", unknown.GetSpecifiedName(), near)
	}
	return fmt.Errorf("unknown flag --%s; `%s --help` lists the flags", unknown.GetSpecifiedName(), c.CommandPath())
}

// addQuietFlag sets to to whether --quiet is given, a flag that all commands have.
func addQuietFlag(c *cobra.Command, to *bool) {
	c.PreRunE = func(c *cobra.Command, _ []string) (err error) {
		*to, err = c.Flags().GetBool("quiet")
		return err
	}
}

// discardOutput discards a command's output if --quiet is given. It is for commands whose output
// only confirms success.
func discardOutput(c *cobra.Command) *cobra.Command {
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		quiet, err := c.Flags().GetBool("quiet")
		if quiet {
			c.SetOut(io.Discard)
		}
		return err
	}
	return c
}

// runInFolder runs a command in the records folder that its last argument names, if there are more
// than least arguments and the last one is a records folder.
func runInFolder(least int, run runFunc) runFunc {
	return func(c *cobra.Command, args []string) error {
		last := len(args) - 1
		if last < least {
			return run(c, args)
		}
		if _, err := os.Stat(filepath.Join(args[last], input.SettingsFile)); err != nil {
			return run(c, args)
		}
		if f := c.Flags().Lookup("previous"); f != nil && f.Changed && !strings.Contains(f.Value.String(), "://") {
			at, err := filepath.Abs(f.Value.String())
			if err = errors.Join(err, f.Value.Set(at)); err != nil {
				return err
			}
		}
		if err := os.Chdir(args[last]); err != nil {
			return err
		}
		return run(c, args[:last])
	}
}

// noFolderError returns the error about an argument that is not a records folder.
func noFolderError(name string) error {
	return fmt.Errorf("%s is not a records folder: %s is missing", name, input.SettingsFile)
}

// releaseDate returns the given date, or the date of SOURCE_DATE_EPOCH (reproducible-builds.org),
// or today.
func releaseDate(date string) (record.Date, error) {
	if date == "" {
		date = clock.Today()
		if os.Getenv("SOURCE_DATE_EPOCH") != "" {
			at, err := sourceDate()
			if err != nil {
				return "", err
			}
			date = at.UTC().Format(time.DateOnly)
		}
	}
	if !record.Date(date).Valid() {
		return "", fmt.Errorf("--date %q is not a valid date: write YYYY-MM-DD", date)
	}
	return record.Date(date), nil
}

// releaseTimes returns the day of a release, the time at, against which embargoes are checked, and
// the current time. at is the given time, or the end of the given day in the publisher's time zone,
// or SOURCE_DATE_EPOCH, or now. No other function reads the clock.
func releaseTimes(date string, files fs.FS) (day record.Date, at, now time.Time, err error) {
	s, _, err := input.ReadSettings(files)
	if err != nil {
		return "", at, now, err
	}
	zone := s.Zone()
	now = clock.Now().Truncate(time.Minute)
	at = now
	switch m := record.Moment(date); {
	case m.HasHour() && !m.Time().IsZero():
		at = m.Time()
	case date != "":
		day, err = releaseDate(date)
		return day, settings.EndOfDay(day, zone), now, err
	case os.Getenv("SOURCE_DATE_EPOCH") != "":
		if at, err = sourceDate(); err != nil {
			return "", at, now, err
		}
	}
	return record.Date(at.In(zone).Format(time.DateOnly)), at, now, nil
}

// sourceDate returns the time in SOURCE_DATE_EPOCH (reproducible-builds.org).
func sourceDate() (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q, which is not a number of seconds: correct it, or unset it", epoch)
	}
	return time.Unix(seconds, 0), nil
}

// openFolder opens the records folder that the arguments name, or the one that contains the current
// folder. prefix is the folder's path, for messages.
func openFolder(args []string) (files fs.FS, prefix string, err error) {
	return input.Open(append(args, ".")[0])
}
