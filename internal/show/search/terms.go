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

// terms parses queries, as part-terms.js does. It converts words to their form in the index.
type terms struct {
	head    *head
	asked   map[string]bool
	besides map[string][]string // related words to search too
	correct map[string]bool     // correctly spelled words
	small   map[string]bool     // words that are ignored if no record has them
	known   []string            // candidates for corrections
	meant   []*regexp.Regexp
}

func newTerms(h *head) (*terms, error) {
	t := &terms{head: h, besides: map[string][]string{}}
	t.asked, t.correct, t.small = wordSet(h.Asking), wordSet(h.Known), wordSet(h.Small)
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

// wordSet returns the set of words.
func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Split(words, " ") {
		m[w] = true
	}
	return m
}

// bucket returns the number of the file that contains word, selected by its first letters.
func (t *terms) bucket(word string) int { return bucket(word, t.head.Prefix, t.head.Buckets) }

var (
	doi        = regexp.MustCompile(`\b10\.\d{4,9}/\S+`)
	doiAddress = regexp.MustCompile(`https?://(dx\.)?(doi\.org)?|\bdoi\b`)
)

// typedWord is a word as typed and as in the index. If it replaces a phrase, said is the phrase.
type typedWord struct{ typed, word, said string }

// read returns the words of text to search for. It omits question words if text has other words.
func (t *terms) read(text string) (list []typedWord) {
	rest := foldText(text)
	identifiers := doi.FindAllString(rest, -1)
	for _, id := range identifiers {
		rest = strings.Replace(rest, id, " ", 1)
	}
	if len(identifiers) > 0 {
		rest = doiAddress.ReplaceAllString(rest, " ")
	}
	said := map[string]string{}
	for _, p := range t.head.Phrases {
		// longer than any query, but possible in the phrases of a hostile index
		if len(rest) < mostTyped && strings.Contains(rest, p[0]) {
			rest, said[p[1]] = strings.ReplaceAll(rest, p[0], p[1]), p[0]
		}
	}
	add := func(word, typed string) {
		if word != "" && !slices.ContainsFunc(list, func(w typedWord) bool { return w.word == word }) {
			list = append(list, typedWord{typed, word, said[typed]})
		}
	}
	words := slices.Collect(splitWords(rest))
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

// kindsMeant returns factors for the kinds that text, a question, prefers, by kind.
func (t *terms) kindsMeant(text string) map[string]float64 {
	kinds, asks := map[string]float64{}, strings.TrimSpace(foldText(text))
	for i, re := range t.meant {
		if re.MatchString(asks) {
			maps.Copy(kinds, t.head.Meant[i].Kinds)
		}
	}
	return kinds
}

// relatedTo returns the words to search in addition to a word, given as typed and as in the index.
func (t *terms) relatedTo(typed, word string) []string {
	if list, ok := t.besides[typed]; ok {
		return list
	}
	return t.besides[word]
}

// corrections returns the words, known or in more, that are closest to typed: at a distance of one
// letter, or two for long words, and with the same first letter. It does not correct numbers.
func (t *terms) corrections(typed string, more []string) (found []string) {
	letters, stemmed := []rune(typed), cmp.Or(stem(typed), typed)
	length := len(letters)
	if length < 4 || strings.ContainsFunc(typed, isDigit) || t.correct[typed] || t.correct[stem(typed)] {
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
			if first != letters[0] || length == 4 && len(o) == 4 && !haveSameLetters(letters, o) {
				continue
			}
			d := min(suggest.Distance(letters, o, least+1), suggest.Distance([]rune(stemmed), o, least+1))
			if d > least || d == 0 || slices.Contains(found, other) {
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

// haveSameLetters reports whether a and b have the same letters in any order.
func haveSameLetters(a, b []rune) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// check returns an error if the numbers in h are inconsistent.
func (h *head) check() error {
	if h.Documents < 0 || h.Documents > mostDocuments || h.Chunk < 1 || h.Buckets < 1 || h.Prefix < 1 ||
		h.PerBlock < 1024 || h.Shares < 1 {
		return errors.New("search index: inconsistent sizes")
	}
	for _, p := range h.Phrases {
		if p[0] == "" || len(p[1]) > mostPhrase {
			return errors.New("search index: invalid phrase")
		}
	}
	for _, s := range h.Shown {
		if s.First < 0 || s.Count < 0 || s.First > h.Documents || s.Count > h.Documents-s.First {
			return errors.New("search index: inconsistent number of documents")
		}
	}
	return nil
}

// The limits on an index and on queries.
const (
	mostDocuments = 100_000_000
	mostPhrase    = 64 // bytes
	mostTyped     = 4_000
)
