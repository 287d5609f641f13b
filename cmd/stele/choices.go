package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stele/internal/build/publish"
)

// choice is a word that a flag takes, what it sets, and what it means.
type choice struct {
	word string
	set  *bool
	doc  string
}

// choices are the words of a flag, which can be given several times or with commas between them.
type choices []choice

// choicesFlag adds a flag that takes some of a list of words.
func choicesFlag(c *cobra.Command, name, does string, list ...choice) {
	docs := make([]string, len(list))
	for i, one := range list {
		docs[i] = one.word + " (" + one.doc + ")"
	}
	c.Flags().Var(choices(list), name, does+", with commas: "+strings.Join(docs, ", "))
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
			return fmt.Errorf("%q is not among the words: write %s", word, l.words())
		}
	}
	return nil
}

func (l choices) String() string { return "" }

// Type is what a help shows in the place of a value.
func (l choices) Type() string { return "words" }

func (l choices) words() string {
	words := make([]string, len(l))
	for i, one := range l {
		words[i] = one.word
	}
	return strings.Join(words, ", ")
}

// formatFlag adds the flag for the format of what is printed, the first of a list unless given.
func formatFlag(c *cobra.Command, to *string, doc string, list ...string) {
	*to = list[0]
	c.Flags().Var(&format{to, list}, "format", doc)
}

type format struct {
	to   *string
	list []string
}

func (f *format) Set(text string) error {
	if !slices.Contains(f.list, text) {
		return fmt.Errorf("unknown format %q: write %s", text, strings.Join(f.list, ", "))
	}
	*f.to = text
	return nil
}

func (f *format) String() string { return *f.to }
func (f *format) Type() string   { return "string" }

// allowFlag is for what a release may only do if it is meant.
func allowFlag(c *cobra.Command, list ...choice) {
	choicesFlag(c, "allow", "allow", list...)
}

// allowed are the choices of --allow that all who compare releases have.
func allowed(opt *publish.Options) []choice {
	return []choice{
		{"shrink", &opt.AllowShrink, "a kind loses over a tenth"},
		{"license", &opt.AllowLicense, "another licence or notice"},
		{"move", &opt.AllowMove, "another base_url"},
	}
}
