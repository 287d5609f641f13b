package search

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/suggest"
)

// terms reads what is typed, as part-terms.js does. Words become what they are in the index.
type terms struct {
	head    *head
	asked   map[string]bool
	besides map[string][]string // what is looked for besides a word
	correct map[string]bool     // words that are spelled right
	small   map[string]bool     // those that do not count where no record has them
	known   []string            // words that a misspelt one may have been meant to be
	meant   []*regexp.Regexp
}

func newTerms(h *head) (*terms, error) {
	t := &terms{head: h, besides: map[string][]string{}}
	t.asked, t.correct, t.small = set(h.Asking), set(h.Known), set(h.Small)
	seen := map[string]bool{}
	know := func(w string) {
		if !seen[w] {
			seen[w] = true
			t.known = append(t.known, w)
		}
	}
	for _, w := range strings.Split(h.Spelling, " ") {
		know(w)
	}
	for _, s := range h.Synonyms {
		t.correct[s[0]], t.correct[s[1]] = true, true
		know(s[0])
	}
	for _, r := range h.Related {
		for _, w := range strings.Split(r[0], " ") {
			t.besides[w] = strings.Split(r[1], " ")
			know(w)
		}
	}
	for _, m := range h.Meant {
		re, err := regexp.Compile(m.Words)
		if err != nil {
			return nil, err
		}
		t.meant = append(t.meant, re)
	}
	return t, nil
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Split(words, " ") {
		m[w] = true
	}
	return m
}

// bucket is the file that a word is in, by its first letters.
func (t *terms) bucket(word string) int { return bucket(word, t.head.Prefix, t.head.Buckets) }

var (
	doi        = regexp.MustCompile(`\b10\.\d{4,9}/\S+`)
	doiAddress = regexp.MustCompile(`https?://(dx\.)?(doi\.org)?|\bdoi\b`)
)

// typedWord is a word as it was typed and as the index has it.
type typedWord struct{ typed, word string }

// read is what is looked for. Words of a question are left out where there are others.
func (t *terms) read(text string) (list []typedWord) {
	rest := folded(text)
	identifiers := doi.FindAllString(rest, -1)
	for _, id := range identifiers {
		rest = strings.Replace(rest, id, " ", 1)
	}
	if len(identifiers) > 0 {
		rest = doiAddress.ReplaceAllString(rest, " ")
	}
	for _, p := range t.head.Phrases {
		if len(rest) < mostTyped { // which nobody types, but phrases of a hostile index may make
			rest = strings.ReplaceAll(rest, p[0], p[1])
		}
	}
	add := func(word, typed string) {
		if word != "" && !slices.ContainsFunc(list, func(w typedWord) bool { return w.word == word }) {
			list = append(list, typedWord{typed, word})
		}
	}
	words := slices.Collect(pieces(rest))
	questions := map[string]bool{}
	for i, w := range words {
		if t.asked[w] || w == "who" && i+1 < len(words) && t.asked[words[i+1]] {
			questions[w] = true
		}
	}
	telling := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return questions[w] })
	if len(identifiers) > 0 || slices.ContainsFunc(telling, func(w string) bool { return stem(w) != "" }) {
		words = telling
	}
	for _, w := range words {
		add(stem(w), w)
	}
	for _, id := range identifiers {
		add(Whole(id), id)
	}
	return list
}

// kindsMeant is how much more kinds of records count for a question.
func (t *terms) kindsMeant(text string) map[string]float64 {
	kinds, asks := map[string]float64{}, strings.TrimSpace(folded(text))
	for i, re := range t.meant {
		if re.MatchString(asks) {
			maps.Copy(kinds, t.head.Meant[i].Kinds)
		}
	}
	return kinds
}

// others are words that are looked for besides one that was typed.
func (t *terms) others(typed, word string) []string {
	if list, ok := t.besides[typed]; ok {
		return list
	}
	return t.besides[word]
}

// near are the known words that a misspelt one comes nearest to: one letter beside it, two where it
// is long, and with the same first letter. A number is never another number.
func (t *terms) near(typed string, more []string) (found []string) {
	letters, stemmed := []rune(typed), cmp.Or(stem(typed), typed)
	length := len(letters)
	if length < 4 || strings.ContainsFunc(typed, digit) || t.correct[typed] || t.correct[stem(typed)] {
		return nil
	}
	least := 1
	if length >= 8 {
		least = 2
	}
	for _, list := range [][]string{t.known, more} {
		for _, other := range list {
			first, _ := utf8.DecodeRuneInString(other)
			o := []rune(other)
			if first != letters[0] || length == 4 && len(o) == 4 && !swapped(letters, o) {
				continue
			}
			d := min(suggest.Distance(letters, o, least+1), suggest.Distance([]rune(stemmed), o, least+1))
			if d > least || d == 0 {
				continue
			}
			if d < least {
				found = nil
			}
			least, found = d, append(found, other)
		}
	}
	return found[:min(len(found), 3)]
}

// swapped reports whether two words have the same letters.
func swapped(a, b []rune) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// check refuses a head whose numbers make no sense.
func (h *head) check() error {
	if h.Documents < 0 || h.Documents > mostDocuments || h.Chunk < 1 || h.Buckets < 1 || h.Prefix < 1 ||
		h.PerBlock < 1024 || h.Shares < 1 {
		return errors.New("the index of the search does not say how it is divided")
	}
	for _, p := range h.Phrases {
		if p[0] == "" || len(p[1]) > mostPhrase {
			return errors.New("the index of the search has a phrase that is none")
		}
	}
	for _, s := range h.Shown {
		if s.First < 0 || s.Count < 0 || s.First > h.Documents || s.Count > h.Documents-s.First {
			return errors.New("the index of the search has more documents than it says")
		}
	}
	return nil
}

// Limits of an index that is read, and of what is looked for in it.
const (
	mostDocuments = 100_000_000
	mostPhrase    = 64 // bytes
	mostTyped     = 4_000
)
