package tables

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed questions.yaml
var phrasesFile []byte

// phrases returns the texts of questions.yaml, by language and name.
var phrases = sync.OnceValue(func() (all map[string]map[string]string) {
	if err := yaml.Unmarshal(phrasesFile, &all); err != nil {
		panic("tables: questions.yaml: " + err.Error()) // a bug in the program
	}
	return all
})

// Speaks reports whether phrases are in a language.
func Speaks(language string) bool { return phrases()[language] != nil }

// Phrase is something that import says about a table, in any language.
type Phrase struct {
	name string // in questions.yaml; "" for a text of the table
	fill []any  // texts, numbers, phrases and lists of phrases
}

func say(name string, fill ...any) Phrase { return Phrase{name, fill} }

// literal returns a text that is the same in all languages.
func literal(text string) Phrase { return Phrase{fill: []any{text}} }

func (p Phrase) isEmpty() bool { return p.name == "" && len(p.fill) == 0 }

// String returns the phrase in English.
func (p Phrase) String() string { return p.In("en") }

// Error returns the phrase in English: a phrase can be an error.
func (p Phrase) Error() string { return p.String() }

// ErrorIn returns the text of an error in a language, or in English if it has no translation.
func ErrorIn(err error, language string) string {
	if faults, are := errors.AsType[Faults](err); are {
		var lines []string
		for _, f := range faults {
			lines = append(lines, f.phrase().In(language))
		}
		return strings.Join(lines, "\n")
	}
	if p, is := errors.AsType[Phrase](err); is && language != "en" {
		return p.In(language)
	}
	return err.Error()
}

// hole matches a placeholder in a text, with quotation marks around it if there are any.
var hole = regexp.MustCompile(`"\{\d\}"|\{\d\}`)

// In returns the phrase in a language, or in English if questions.yaml lacks the language.
func (p Phrase) In(language string) string {
	if !Speaks(language) {
		language = "en"
	}
	text, found := phrases()[language][p.name]
	switch {
	case p.isEmpty():
		return ""
	case p.name == "":
		text = "{1}"
	case !found:
		panic("tables: unknown phrase " + p.name) // a bug in the program
	}
	text = hole.ReplaceAllStringFunc(text, func(hole string) string {
		filled := fillText(p.fill[strings.Trim(hole, `"{}`)[0]-'1'], language)
		if hole[0] == '"' {
			return strconv.Quote(filled)
		}
		return filled
	})
	return fmt.Sprintf("%.500s", toOneLine(text))
}

// fillText returns fill, the value for a placeholder, as text. Among words in another script, texts
// from the table keep their own direction.
func fillText(fill any, language string) string {
	switch f := fill.(type) {
	case Phrase:
		return f.In(language)
	case error:
		return ErrorIn(f, language)
	case []Phrase:
		var list []string
		for _, p := range f {
			list = append(list, p.In(language))
		}
		return strings.Join(list, ", ")
	case string:
		if language != "en" {
			return "\u2068" + f + "\u2069"
		}
	}
	return fmt.Sprint(fill)
}

// cutText returns the beginning of a text.
func cutText(text string) string { return fmt.Sprintf("%.60s", text) }
