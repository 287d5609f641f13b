package scrutiny

import (
	"cmp"
	"fmt"
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
	"stele/internal/base/sheet/areas"
	"stele/record"
)

// Words collects the words of redacted content, and finds published texts that contain them. A
// redaction is useless if the reason, a correction or another record repeats the content.
type Words struct {
	words   map[string]*Found
	phrases map[string]*Found // short texts that were redacted by name
	known   map[string]bool   // words of areas, entities, lists and the publisher's name
	prose   map[string]bool   // lower-case words of sentences
}

// Found is a redacted word that a published text contains.
type Found struct {
	Word    string
	Where   []string // the first texts with the word
	Count   int      // number of texts with the word
	Refused bool     // false for common words: short words, and names of places

	within bool // whether it is capitalized within a sentence, and so a name
}

const (
	fewest      = 5  // minimum number of letters of a refused word
	shortText   = 4  // maximum number of words of a name
	mostPlaces  = 5  // maximum length of Where
	mostPhrases = 50 // maximum number of phrases; each is compared with each text
)

// NewWords returns an empty collection for a redaction, which may name ordinary words.
func NewWords(r *settings.Redaction) *Words {
	w := &Words{
		words: map[string]*Found{}, phrases: map[string]*Found{}, known: map[string]bool{}, prose: map[string]bool{},
	}
	for _, word := range r.Ordinary {
		w.AddKnown(word)
	}
	return w
}

// AddKnown adds the words of text as known. They reveal nothing.
func (w *Words) AddKnown(text string) {
	w.known[fold.Accents(strings.TrimSpace(text))] = true
	for _, word := range splitWords(text) {
		w.known[fold.Accents(word.text)] = true
	}
}

// AddRedacted adds a redacted text: its names and numbers, and all words of a short text that is
// redacted by name. Lower-case words of sentences are ordinary words.
func (w *Words) AddRedacted(text string, byName bool) {
	words := splitWords(text)
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

// IsEmpty reports whether there are no redacted words.
func (w *Words) IsEmpty() bool { return len(w.words) == 0 }

// CompareText compares text, which is published at where, with the redacted words.
func (w *Words) CompareText(where, text string) {
	words := splitWords(text)
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

// Found returns the redacted words in published texts, refused words first.
func (w *Words) Found() (list []Found) {
	for key, f := range w.words {
		is := *f
		is.Refused = is.Refused && is.within && !w.prose[key] && !w.known[key] && !placeWords()[key]
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

// Masked returns the word in a form for public logs.
func (f *Found) Masked() string {
	runes := []rune(f.Word)
	return string(runes[:min(len(runes), 2)]) + "…"
}

// CompareTree compares the texts of a record or of settings, except the members without.
func (w *Words) CompareTree(name string, t *schema.Tree, without ...string) {
	EachText(t, func(pointer, text string) {
		if !slices.ContainsFunc(without, func(m string) bool { return isInside(pointer, m) }) {
			w.CompareText(name+" "+pointer, text)
		}
	})
}

// AddRedactedTree adds the redacted texts of a record: the members, or if there are none all texts
// except those about sources, which are public.
func (w *Words) AddRedactedTree(t *schema.Tree, members []string) {
	EachText(t, func(pointer, text string) {
		switch {
		case slices.ContainsFunc(members, func(m string) bool { return isInside(pointer, m) }):
			w.AddRedacted(text, true)
		case len(members) > 0 || isInside(pointer, "/source_links") || isInside(pointer, "/provenance"):
		case strings.ContainsAny(text, " \n") || strings.HasPrefix(pointer, "/x_"):
			w.AddRedacted(text, false)
		}
	})
}

// CompareSettings compares the settings' texts about the service. The publisher's name is known.
func (w *Words) CompareSettings(file string, s *settings.Settings) {
	w.AddKnown(s.Title)
	w.AddKnown(s.Publisher)
	public := *s
	public.Accept, public.Publish = nil, nil // not part of releases
	t := new(schema.Tree)
	if data, err := jsonline.Marshal(&public, ""); err == nil && t.ScanJSON("", string(data), 1) {
		w.CompareTree(file, t)
	}
}

// CompareAreas compares the texts of schemes of areas, and adds the names of the areas as known.
func (w *Words) CompareAreas(schemes []*areas.Scheme) {
	for _, s := range schemes {
		for i := range s.Codes {
			c := &s.Codes[i]
			w.AddKnown(c.Name)
			for _, n := range c.Names {
				w.AddKnown(n.Text)
			}
			w.CompareText(fmt.Sprintf("%s line %d", s.CodesFile, c.Line), c.Level)
		}
		for i := range s.Changes {
			c := &s.Changes[i]
			where := fmt.Sprintf("%s line %d", s.ChangesFile, c.Line)
			w.CompareText(where, c.Basis)
			w.CompareText(where, c.Note)
		}
	}
}

// AddKnownEntity adds the names of a record as known: an area, a measure, an institution.
func (w *Words) AddKnownEntity(k *record.Kind, t *schema.Tree) {
	if k.Name == record.KindEntity {
		w.AddKnown(t.Text("title"))
	}
}

func isInside(pointer, member string) bool {
	return pointer == member || strings.HasPrefix(pointer, member+"/")
}

// EachText calls f with each text in t that is not a number, and the text's JSON Pointer.
func EachText(t *schema.Tree, f func(pointer, text string)) {
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

// word is a word of a text. within means that it is not the first word of a sentence, which is
// always capitalized.
type word struct {
	text   string
	within bool
}

func splitWords(text string) (words []word) {
	from, within, ended := -1, false, true // ended: the previous sentence has ended
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

// isName reports whether word may be a name or a number: it is capitalized, contains a digit, or is
// in a script without capital letters.
func isName(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return !unicode.IsLower(first) || strings.ContainsFunc(word, unicode.IsDigit)
}

var placeWords = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, names := range places.Names() {
		for _, list := range names {
			for _, name := range list {
				for _, word := range splitWords(name) {
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
		for _, word := range splitWords(v.Word) {
			known[fold.Accents(word.text)] = true
		}
	}
	addLists(known, s.Elem, depth+1)
	for i := range s.Members {
		addLists(known, s.Members[i].Shape, depth+1)
	}
}
