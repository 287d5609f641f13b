package edit

import (
	"regexp"
	"strings"
)

// inForms maps commands and flags in messages to the words of forms. Words in braces are names of
// texts of the forms, and $1 is the name of a door.
var inForms = []struct {
	flags *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`name the person who verified the record now, with --by .*`), "{who_compared}: “{verified_by}”"},
	{regexp.MustCompile(`stele (correct|revise|reverify|retract|redact)\b([^;:(),]*[^;:(), ])?`), "“{$1}”"},
	{regexp.MustCompile(`stele new\b([^;:(),]*[^;:(), ])?`), "“{new}”"},
	{regexp.MustCompile(`[Rr]un stele publish --confirm to read (it|the URL) again`), "{publish_reads}"},
	{regexp.MustCompile(`; if it must be removed, allow that by name: --allow-removed [^;]*`), ""},
	{regexp.MustCompile(`(?:add|use) --allow (shrink|license|move|unsigned|forget)( once)?\b`), "{tick} “{allow_$1}”"},
	{regexp.MustCompile(`--allow (shrink|license|move|unsigned) allows it`), "“{allow_$1}”"},
	{regexp.MustCompile(`add --keep-gone`), "{tick} “{import_keep}”"},
	{regexp.MustCompile(`add --over-corrections`), "{tick} “{import_over}”"},
	{regexp.MustCompile(`run this command again with --versions (\S+)`), "{tick_versions}: $1"},
	{regexp.MustCompile(`name its versions, as in --versions \S+`), "{tick_versions}"},
	{regexp.MustCompile(`--versions (\S+): `), ""},
	{regexp.MustCompile(`--set MEMBER=TEXT`), "“{redact_new_or_none}”"},
	{regexp.MustCompile(`, use --ordinary WORD`), ""},
	{regexp.MustCompile(` \(--(previous|allow-removed|date)\)`), ""},
}

var textName = regexp.MustCompile(`\{(\w+)\}`)

// rewordForForms replaces the commands and flags in a message with the buttons to press in a form.
func (p *page) rewordForForms(message string) string {
	for _, f := range inForms {
		message = f.flags.ReplaceAllString(message, f.words)
		message = textName.ReplaceAllStringFunc(message, func(name string) string {
			if text, ok := p.Texts[strings.Trim(name, "{}")]; ok {
				return text
			}
			return name
		})
	}
	return message
}
