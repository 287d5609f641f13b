package scrutiny

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"stele/internal/author/reading/settings"
	"stele/internal/author/reading/settings/places"
	"stele/internal/base/fold"
	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/record"
)

// Words are the words of what is redacted, and where published texts have them. A redaction of a
// name is of no use if the reason, a correction or another record has the name.
type Words struct {
	words   map[string]*Found
	phrases map[string]*Found // short texts that were redacted by name, whole
	known   map[string]bool   // words of areas, entities, lists and the publisher's own name
	prose   map[string]bool   // words that whole sentences have in lower case
}

// Found is a word of what is redacted that a published text has.
type Found struct {
	Word    string
	Where   []string // the first texts that have the word
	Count   int      // how many texts have the word
	Refused bool     // false for words that many texts may have: short ones, and names of places

	within bool // whether it has a capital letter within a sentence, so that it is a name
}

const (
	fewest      = 5  // letters of a word that is refused
	shortText   = 4  // words of a text that is a name and no sentence
	mostPlaces  = 5  // of a word
	mostPhrases = 50 // each is compared with each text
)

// NewWords returns an empty collection. The redaction may name words that are ordinary.
func NewWords(r *settings.Redaction) *Words {
	w := &Words{
		words: map[string]*Found{}, phrases: map[string]*Found{}, known: map[string]bool{}, prose: map[string]bool{},
	}
	for _, word := range r.Ordinary {
		w.Know(word)
	}
	return w
}

// Know takes in a text whose words reveal nothing.
func (w *Words) Know(text string) {
	w.known[fold.Accents(strings.TrimSpace(text))] = true
	for _, word := range split(text) {
		w.known[fold.Accents(word.text)] = true
	}
}

// Redact takes in a text that is redacted: its names and numbers, and all words of a short text
// that is redacted by name. In sentences, a word in lower case is a word like others.
func (w *Words) Redact(text string, byName bool) {
	words := split(text)
	short := len(words) <= shortText
	phrase := fold.Accents(strings.TrimSpace(text))
	if byName && short && len(words) > 1 && len(w.phrases) < mostPhrases {
		w.phrases[phrase] = &Found{Word: strings.TrimSpace(text), Refused: true}
	}
	mail := strings.Contains(text, "@")
	for _, word := range words {
		if !(byName && short || mail || isName(word.text)) {
			continue
		}
		key := fold.Accents(word.text)
		f := w.words[key]
		if f == nil {
			f = &Found{Word: strings.Clone(word.text), Refused: utf8.RuneCountInString(word.text) >= fewest}
			w.words[key] = f
		}
		first, _ := utf8.DecodeRuneInString(word.text)
		f.within = f.within || byName && short || mail || word.within || !unicode.IsUpper(first)
	}
}

// IsEmpty reports whether nothing is redacted that a text could reveal.
func (w *Words) IsEmpty() bool { return len(w.words) == 0 }

// Look compares a published text with the words.
func (w *Words) Look(where, text string) {
	words := split(text)
	seen := map[*Found]bool{}
	for _, word := range words {
		key := fold.Accents(word.text)
		f := w.words[key]
		if f == nil {
			continue
		}
		if !seen[f] {
			seen[f] = true
			f.add(where)
		}
		first, _ := utf8.DecodeRuneInString(word.text)
		f.within = f.within || word.within && unicode.IsUpper(first)
		w.prose[key] = w.prose[key] || unicode.IsLower(first) && len(words) > shortText
	}
	if len(w.phrases) == 0 {
		return
	}
	folded := fold.Accents(text)
	for phrase, f := range w.phrases {
		if strings.Contains(folded, phrase) {
			f.add(where)
		}
	}
}

func (f *Found) add(where string) {
	if f.Count++; len(f.Where) < mostPlaces && !slices.Contains(f.Where, where) {
		f.Where = append(f.Where, where)
	}
}

// Found returns the words that texts have, those that are refused first.
func (w *Words) Found() (list []Found) {
	for key, f := range w.words {
		is := *f
		is.Refused = is.Refused && is.within && !w.prose[key] && !w.known[key] && !isPlace(key)
		if is.Count > 0 && (is.Refused || !w.prose[key]) {
			list = append(list, is)
		}
	}
	for phrase, f := range w.phrases {
		if f.Count > 0 && !w.known[phrase] {
			list = append(list, *f)
		}
	}
	slices.SortFunc(list, func(a, b Found) int {
		if a.Refused != b.Refused {
			return map[bool]int{true: -1, false: 1}[a.Refused]
		}
		return cmp.Compare(a.Word, b.Word)
	})
	return list
}

// Masked is the word as a public log may have it.
func (f *Found) Masked() string {
	runes := []rune(f.Word)
	return string(runes[:min(len(runes), 2)]) + "…"
}

// Tree compares the texts of a record or of settings, but for the members that are left out.
func (w *Words) Tree(name string, t *schema.Tree, without ...string) {
	Texts(t, func(pointer, text string) {
		if !slices.ContainsFunc(without, func(m string) bool { return inside(pointer, m) }) {
			w.Look(name+" "+pointer, text)
		}
	})
}

// RedactTree takes in what a redaction takes out of a record: the members, or without any all texts
// but those about sources, which are public.
func (w *Words) RedactTree(t *schema.Tree, members []string) {
	Texts(t, func(pointer, text string) {
		switch {
		case slices.ContainsFunc(members, func(m string) bool { return inside(pointer, m) }):
			w.Redact(text, true)
		case len(members) > 0 || inside(pointer, "/source_links") || inside(pointer, "/provenance"):
		case strings.ContainsAny(text, " \n") || strings.HasPrefix(pointer, "/x_"):
			w.Redact(text, false)
		}
	})
}

// Settings compares what a publisher says of the service, whose own name is known.
func (w *Words) Settings(file string, s *settings.Settings) {
	w.Know(s.Title)
	w.Know(s.Publisher)
	public := *s
	public.Accept, public.Publish = nil, nil // no release has them
	t := new(schema.Tree)
	if data, err := jsonline.Marshal(&public, ""); err == nil && t.ScanJSON("", string(data), 1) {
		w.Tree(file, t)
	}
}

// Entity takes in a record whose name is known: an area, a measure, an institution.
func (w *Words) Entity(k *record.Kind, t *schema.Tree) {
	if k.Name == record.KindEntity {
		w.Know(t.Text("title"))
	}
}

func inside(pointer, member string) bool {
	return pointer == member || strings.HasPrefix(pointer, member+"/")
}

// Texts calls f with each text in a tree that is not a number, and the JSON Pointer to it.
func Texts(t *schema.Tree, f func(pointer, text string)) {
	if len(t.Nodes) == 0 {
		return
	}
	var walk func(i int32, pointer string)
	walk = func(i int32, pointer string) {
		n := &t.Nodes[i]
		if n.Type != schema.Object && n.Type != schema.Array {
			if n.Type >= schema.String && strings.Trim(n.Text, "+-.0123456789") != "" || strings.Count(n.Text, "-") > 1 {
				f(pointer, n.Text)
			}
			return
		}
		at := 0
		for c := range t.Children(i) {
			step := schema.Pointer(t.Nodes[c].Name)
			if n.Type == schema.Array {
				step = schema.Pointer(at)
			}
			walk(c, pointer+step)
			at++
		}
	}
	walk(0, "")
}

// word is a word of a text, and whether it is not the first one of a sentence, where each word has
// a capital letter.
type word struct {
	text   string
	within bool
}

func split(text string) (words []word) {
	from, within, ended := -1, false, true // before the first word, a sentence has ended
	for at, c := range text + "\x00" {
		switch inWord := unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c); {
		case inWord && from < 0:
			from, within, ended = at, !ended, false
		case !inWord && from >= 0:
			words, from = append(words, word{text[from:at], within}), -1
		}
		ended = ended || strings.ContainsRune(".!?:;。؟\n", c)
	}
	return words
}

// isName reports whether a word may be a name or a number: it begins with a capital letter, has a
// digit, or is of a script without capital letters.
func isName(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return !unicode.IsLower(first) || strings.ContainsFunc(word, unicode.IsDigit)
}

// isPlace reports whether a word is one of the name of a country or continent, or of a closed list.
func isPlace(folded string) bool { return placeWords()[folded] }

var placeWords = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, names := range places.Called() {
		for _, list := range names {
			for _, name := range list {
				for _, word := range split(name) {
					known[fold.Accents(word.text)] = true
				}
			}
		}
	}
	for _, k := range record.Kinds {
		addLists(known, k.Shape(), 0)
	}
	return known
})

func addLists(known map[string]bool, s *schema.Shape, depth int) {
	const deepest = 6
	if s == nil || depth > deepest {
		return
	}
	for _, v := range s.List {
		for _, word := range split(v.Word) {
			known[fold.Accents(word.text)] = true
		}
	}
	addLists(known, s.Elem, depth+1)
	for i := range s.Members {
		addLists(known, s.Members[i].Shape, depth+1)
	}
}
