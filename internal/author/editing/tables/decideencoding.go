package tables

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"stele/internal/base/sheet"
)

// decideEncoding finds the encoding of a CSV file that does not show it. If the possible encodings
// give different words, a word that is known in only one of them decides, or the answer to a
// question.
func (p *proposal) decideEncoding(open opener) error {
	if !p.table.Guessed {
		return nil
	}
	q := Question{ID: "encoding", Text: say("encoding")}
	var known []string
	seen := map[string]bool{}
	for _, encoding := range sheet.Alternatives {
		words, err := p.foreignWords(open, encoding)
		if err != nil {
			return err
		}
		if whole := strings.Join(words, ", "); !seen[whole] && !strings.ContainsRune(whole, unicode.ReplacementChar) {
			seen[whole] = true
			q.Choices = append(q.Choices, Choice{Value: encoding, Label: say("encoding is", encoding, cutText(whole))})
			if slices.ContainsFunc(words, isKnownWord) {
				known = append(known, encoding)
			}
		}
	}
	p.options.Encoding = sheet.Alternatives[0]
	if len(known) == 1 {
		p.options.Encoding = known[0]
	} else if len(q.Choices) > 1 {
		if answer, unanswered := p.ask(q); !unanswered {
			p.options.Encoding = answer
		}
	}
	t, err := open(p.options)
	if err != nil {
		return err
	}
	t, p.table = p.table, t
	return t.Close()
}

// foreignWords returns the different words of a table with letters other than those of ASCII.
func (p *proposal) foreignWords(open opener, encoding string) ([]string, error) {
	o := p.options
	o.Encoding = encoding
	t, err := open(o)
	if err != nil {
		return nil, err
	}
	words, isForeign := map[string]bool{}, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }
	for row, err := range t.Rows() {
		if err != nil || len(words) > 1000 {
			break // errors are reported when the table is read
		}
		for _, c := range row.Cells {
			for _, word := range append(strings.FieldsFunc(c.Text, isNoLetter), trimSpace(c.Text)) {
				if strings.ContainsFunc(word, isForeign) {
					words[strings.Clone(word)] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(words)), t.Close()
}

// isKnownWord reports whether a word is a country, a sex, a month or the heading of a column.
func isKnownWord(word string) bool {
	return namesArea(word) || isSex(word) || parseMonthName(word) > 0 || timeHead.MatchString(word) ||
		placeHead.MatchString(word) || dividers.MatchString(word)
}
