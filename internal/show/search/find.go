package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"stele/record"
)

// The constants of the ranking, which are the same in part-find.js.
const (
	blocksAtOnce = 8  // blocks that are compared
	maxLonger    = 40 // words that begin with the one being typed
	inPassing    = 5  // maximum weight of a word that is only mentioned

	// Factors for words that were not typed exactly.
	related, named, longerShare, meantShare, shorterShare, codeShare = 0.5, 0.5, 0.4, 1, 0.6, 0.4
)

// Finder searches a published index. For the same words, it finds the same results in the same
// order as the script of the pages. A search reads a few small files of the index. A Finder is safe
// for concurrent use.
type Finder struct {
	files Files
	head  head
	terms *terms
	mu    sync.Mutex
	words map[string]map[string]json.RawMessage // files of words and blocks, by name
	rows  map[string][][]string
}

// Files reads the files of an index.
type Files interface {
	// Read reads a file of the index by name, such as head or words/3.
	Read(ctx context.Context, name string) ([]byte, error)
	// Has reports whether the record with an ID has a page.
	Has(ctx context.Context, of *Shown, id string) bool
}

// maxCached is the maximum number of word files, and of row files, that a Finder caches.
const maxCached = 256

// OpenFinder opens the index that files contains.
func OpenFinder(ctx context.Context, files Files) (*Finder, error) {
	f := &Finder{files: files, words: map[string]map[string]json.RawMessage{}, rows: map[string][][]string{}}
	data, err := files.Read(ctx, "head")
	if err == nil {
		err = json.Unmarshal(data, &f.head)
	}
	if err == nil {
		err = f.head.check()
	}
	if err == nil {
		f.terms, err = newTerms(&f.head)
	}
	return f, err
}

// Found is the result of a search.
type Found struct {
	// Results are the documents with words of the query, best first.
	Results []Result
	// Own is the URL of the record whose ID was typed, unless it is among the first results.
	Own string
	// Instead maps typed words that no record has to the words that were searched instead.
	Instead map[string]string
	// Missing are significant words that no record has, as typed.
	Missing []string
	// Total is the number of documents with words of the query; -1 if not all were compared.
	Total int
}

// Result is a document that a search found.
type Result struct {
	Document int
	Score    float64
}

// term is a typed word with the documents that contain it.
type term struct {
	forms  []form
	found  map[int]float64 // scores, by document
	weight float64
	year   string // that was typed; "" if it is not a year
}

// form is a word of the index that a typed word matches, with its weight.
type form struct {
	word   string
	rare   float64
	count  int // of its documents
	common bool
}

var yearForm = regexp.MustCompile(`^(1[89]|20)\d\d$`)

// Find searches documents of the given kind, or of all kinds if kind is "", for the words of text.
func (f *Finder) Find(ctx context.Context, text, kind string) (*Found, error) {
	found := &Found{Instead: map[string]string{}}
	kinds := f.terms.kindsMeant(text)
	typed := strings.TrimSpace(text)
	for i := range f.head.Shown { // an ID, partly typed
		if s := &f.head.Shown[i]; s.Prefix != "" && strings.HasPrefix(typed, s.Prefix) {
			kinds[s.Kind], text = 4, strings.TrimPrefix(typed, s.Prefix)
			break
		}
	}
	var list []*term
	var small []string
	for _, w := range f.terms.read(text) {
		t, err := f.lookUp(ctx, w, found.Instead)
		if err != nil {
			return nil, err
		}
		switch {
		case len(t.forms) > 0 || t.year != "":
		case f.terms.small[w.typed]:
			small = append(small, w.typed)
			continue
		case isWord(w.word):
			found.Missing = append(found.Missing, cmp.Or(w.said, w.typed))
		}
		list = append(list, t)
	}
	if len(list) == 0 {
		found.Missing = small
	}
	s := &query{f, list, kind, kinds}
	if err := s.compareAll(ctx, found); err != nil {
		return nil, err
	}
	return found, f.moveToFirst(ctx, found, typed)
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*$`)

// moveToFirst moves the record with the ID typed, if it has a page, to the top of the results.
func (f *Finder) moveToFirst(ctx context.Context, found *Found, typed string) error {
	if !idForm.MatchString(typed) {
		return nil
	}
	for _, id := range []string{typed, strings.ToLower(typed)} {
		i := slices.IndexFunc(f.head.Shown, func(s Shown) bool {
			return s.Prefix != "" && strings.HasPrefix(id, s.Prefix) && s.Kind != record.KindHealthcareStatistic
		})
		if i < 0 || !f.files.Has(ctx, &f.head.Shown[i], id) {
			continue
		}
		found.Own = "/" + f.head.Shown[i].Folder + "/" + id + "/"
		for j, r := range found.Results[:min(len(found.Results), 4*blocksAtOnce)] {
			row, err := f.Row(ctx, r.Document)
			if err != nil {
				return err
			}
			if row["address"] == found.Own {
				found.Results = slices.Insert(slices.Delete(found.Results, j, j+1), 0, r)
				found.Own = ""
				break
			}
		}
		return nil
	}
	return nil
}

// readCached returns the file of the index with the given name, from cache if possible.
func readCached[T any](ctx context.Context, f *Finder, cache map[string]T, name string) (file T, err error) {
	f.mu.Lock()
	file, known := cache[name]
	f.mu.Unlock()
	if known {
		return file, nil
	}
	data, err := f.files.Read(ctx, name)
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		return file, fmt.Errorf("%s of the search: %w", name, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(cache) >= maxCached {
		clear(cache)
	}
	cache[name] = file
	return file, nil
}

// readFile returns the file of words with the given name.
func (f *Finder) readFile(ctx context.Context, name string) (map[string]json.RawMessage, error) {
	return readCached(ctx, f, f.words, name)
}

func (f *Finder) readWordFile(ctx context.Context, word string) (map[string]json.RawMessage, error) {
	return f.readFile(ctx, "words/"+strconv.Itoa(f.terms.bucket(word)))
}

// wordData returns the data of word in words, a file of words, or nil.
func wordData(words map[string]json.RawMessage, word string) (list []int, err error) {
	if raw := words[word]; raw != nil && word != "" {
		err = json.Unmarshal(raw, &list)
	}
	return list, err
}

// addScores stores the scores of the documents in list, which encodes postings as distances,
// counted from document from. Each weight is multiplied by rare.
func (t *term) addScores(list []int, rare float64, from int) {
	sum := from * weights
	for _, step := range list {
		sum += step
		document := sum / weights
		t.found[document] = max(t.found[document], float64(sum%weights)*rare)
	}
}

// add adds the documents of word to t. titled reports whether word also occurs in titles, not only
// in IDs and summaries.
func (f *Finder) add(ctx context.Context, t *term, word string, share float64) (titled bool, err error) {
	words, err := f.readWordFile(ctx, word)
	if err != nil {
		return false, err
	}
	entry, err := wordData(words, word)
	if err != nil || len(entry) == 0 {
		return false, err
	}
	count, list := entry[0], entry[1:]
	if !slices.ContainsFunc(t.forms, func(form form) bool { return form.word == word }) {
		rare := share * math.Log(1+float64(f.head.Documents)/float64(count))
		t.addScores(list, rare, 0)
		t.forms = append(t.forms, form{word, rare, count, count > len(list)})
		t.weight = max(t.weight, rare)
	}
	sum := 0
	return slices.ContainsFunc(list, func(step int) bool {
		sum += step
		return sum%weights > inPassing
	}), nil
}

// addNamed adds the documents of word and of its other names, such as translations and codes, to t.
// Other names count less if word occurs in titles, and codes count less if means is true.
func (f *Finder) addNamed(ctx context.Context, t *term, word string, share float64, means bool) error {
	titled, err := f.add(ctx, t, word, share)
	if err != nil {
		return err
	}
	target, err := f.otherNames(ctx, word)
	if err != nil || target[word] == "" {
		return err
	}
	for _, other := range strings.Split(target[word], " ") {
		counts := share
		switch {
		case other == Whole(word) && means:
			counts *= codeShare / 2
		case other == Whole(word):
			counts *= codeShare
		case titled:
			counts *= named
		}
		if _, err := f.add(ctx, t, other, counts); err != nil {
			return err
		}
	}
	return nil
}

// otherNames returns the other names in the file that contains word, by word.
func (f *Finder) otherNames(ctx context.Context, word string) (list map[string]string, err error) {
	words, err := f.readWordFile(ctx, word)
	if err == nil && words[""] != nil {
		err = json.Unmarshal(words[""], &list)
	}
	return list, err
}

// lookUp finds w: exactly, by another name, as a prefix of other words, by a correction, or by a
// word that is its prefix. It tries these in order.
func (f *Finder) lookUp(ctx context.Context, w typedWord, instead map[string]string) (*term, error) {
	t := &term{found: map[int]float64{}, year: yearForm.FindString(w.word)}
	if _, err := f.add(ctx, t, w.word, 1); err != nil {
		return nil, err
	}
	others := f.terms.relatedTo(w.typed, w.word)
	for _, other := range others {
		share := 1.0
		if len(t.forms) > 0 {
			share = related
		}
		if _, err := f.add(ctx, t, other, share); err != nil {
			return nil, err
		}
	}
	if err := f.addNamed(ctx, t, w.word, 1, len(others) > 0); err != nil {
		return nil, err
	}
	if len(t.forms) == 0 && isWord(w.word) && !isDigit(rune(w.word[0])) && !f.terms.small[w.typed] && w.said == "" {
		if err := f.findSimilar(ctx, t, w, instead); err != nil {
			return nil, err
		}
	}
	if t.weight == 0 {
		t.weight = math.Log(1 + float64(f.head.Documents))
	}
	return t, nil
}

func (f *Finder) findSimilar(ctx context.Context, t *term, w typedWord, instead map[string]string) error {
	words, err := f.readWordFile(ctx, w.word)
	if err != nil {
		return err
	}
	byName, err := f.otherNames(ctx, w.word)
	if err != nil {
		return err
	}
	others := slices.Sorted(maps.Keys(byName))
	beside := append(slices.Sorted(maps.Keys(words)), others...)
	if utf8.RuneCountInString(w.word) >= f.head.Prefix {
		left := maxLonger
		for _, other := range beside {
			if left > 0 && strings.HasPrefix(other, w.word) && isWord(other) {
				left--
				if err := f.addNamed(ctx, t, other, longerShare, false); err != nil {
					return err
				}
			}
		}
	}
	if len(t.forms) > 0 {
		return nil
	}
	near := f.terms.corrections(w.typed, slices.DeleteFunc(slices.Clone(beside), func(w string) bool {
		return w == "" || strings.ContainsAny(w, "=0123456789")
	}))
	for _, other := range near {
		if err := f.addNamed(ctx, t, stem(other), meantShare, false); err != nil {
			return err
		}
	}
	if len(t.forms) > 0 {
		instead[w.typed] = near[0]
		return nil
	}
	return f.addShorter(ctx, t, w.word, beside)
}

// addShorter adds the documents of the longest word in beside that is a prefix of word.
func (f *Finder) addShorter(ctx context.Context, t *term, word string, beside []string) error {
	least, longest := 5, ""
	if strings.ContainsFunc(word, isHan) {
		least = 2
	}
	for _, other := range beside {
		if n := utf8.RuneCountInString(other); n >= least && strings.HasPrefix(word, other) &&
			n > utf8.RuneCountInString(longest) {
			longest = other
		}
	}
	if longest == "" {
		return nil
	}
	return f.addNamed(ctx, t, longest, shorterShare, false)
}

// query is a running search.
type query struct {
	*Finder
	list  []*term
	kind  string             // "" for all
	kinds map[string]float64 // factors, by kind
}

// kindsToSearch yields the document kinds to search.
func (s *query) kindsToSearch(yield func(*Shown) bool) {
	for i := range s.head.Shown {
		if k := &s.head.Shown[i]; k.Count > 0 && (s.kind == "" || s.kind == k.Kind) && !yield(k) {
			return
		}
	}
}

func (s *query) accepts(document int) bool {
	for k := range s.kindsToSearch {
		if document >= k.First && document < k.First+k.Count {
			return true
		}
	}
	return false
}

// neededBlocks returns the blocks that may contain more documents: first those with the rarest
// word.
func (s *query) neededBlocks() (blocks []int) {
	var few *term
	common := false
	for _, t := range s.list {
		if slices.ContainsFunc(t.forms, func(f form) bool { return f.common }) {
			common = true
		} else if few == nil || len(t.found) < len(few.found) {
			few = t
		}
	}
	if !common {
		return nil
	}
	seen := map[int]bool{}
	add := func(block int) {
		if !seen[block] {
			seen[block] = true
			blocks = append(blocks, block)
		}
	}
	if few != nil {
		for _, document := range slices.Sorted(maps.Keys(few.found)) {
			if s.accepts(document) {
				add(document / s.head.PerBlock)
			}
		}
	}
	for k := range s.kindsToSearch {
		for block := k.First / s.head.PerBlock; block*s.head.PerBlock < k.First+k.Count; block++ {
			add(block)
		}
	}
	return blocks
}

// compareAll compares the documents in the first blocks that s needs, and stores the results in
// found. It reads no block if the number of documents is already known.
func (s *query) compareAll(ctx context.Context, found *Found) error {
	blocks, within := s.neededBlocks(), 0
	for k := range s.kindsToSearch {
		within += k.Count
	}
	found.Total = -1
	if len(blocks) > blocksAtOnce && len(s.list) == 1 && len(s.list[0].forms) == 1 && within == s.head.Documents {
		found.Total, blocks = s.list[0].forms[0].count, nil
	}
	for _, block := range blocks[:min(len(blocks), blocksAtOnce)] {
		if err := s.compare(ctx, block); err != nil {
			return err
		}
	}
	if found.Results = s.results(); found.Total < 0 && len(blocks) <= blocksAtOnce {
		found.Total = len(found.Results)
	}
	return nil
}

// compare adds the documents of common words in the given block.
func (s *query) compare(ctx context.Context, block int) error {
	for _, t := range s.list {
		for _, form := range t.forms {
			if !form.common {
				continue
			}
			words, err := s.readFile(ctx, "blocks/"+strconv.Itoa(block*s.head.Shares+s.terms.bucket(form.word)%s.head.Shares))
			if err != nil {
				return err
			}
			list, err := wordData(words, form.word)
			if err != nil {
				return err
			}
			t.addScores(list, form.rare, block*s.head.PerBlock)
		}
	}
	return nil
}

// results returns the matching documents, best first. Rare words and words in titles count more,
// and documents that lack words count less. Documents that mention few words in passing are
// omitted.
func (s *query) results() (results []Result) {
	type counted struct{ weight, score float64 }
	all, whole := map[int]*counted{}, 0.0
	for _, t := range s.list {
		whole += t.weight
		for document, score := range t.found {
			if document < 0 || document >= s.head.Documents {
				continue
			}
			c := all[document]
			if c == nil {
				c = &counted{}
				all[document] = c
			}
			c.weight += t.weight
			c.score += score
		}
	}
	for document, c := range all {
		if !s.accepts(document) {
			continue
		}
		k := s.Of(document)
		share := (c.weight + s.missingYearWeight(k, document)) / whole
		if share < 0.5 && c.score/c.weight < inPassing {
			continue
		}
		more := k.Boost
		if counts, ok := s.kinds[k.Kind]; ok {
			more *= counts
		}
		results = append(results, Result{document, c.score * math.Pow(share, 3) * more})
	}
	if len(results) == 0 {
		return s.indicatorsOfYears()
	}
	slices.SortFunc(results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Document, b.Document))
	})
	return results
}

// missingYearWeight returns the weight of the typed years that a document of kind k does not
// contain, if it is an indicator: figures have years.
func (s *query) missingYearWeight(k *Shown, document int) (weight float64) {
	for _, t := range s.list {
		if _, has := t.found[document]; k.Kind == record.KindHealthcareStatistic && t.year != "" && !has {
			weight += t.weight
		}
	}
	return weight
}

// indicatorsOfYears returns all indicators if the query contains only years for which figures
// exist.
func (s *query) indicatorsOfYears() (results []Result) {
	for k := range s.kindsToSearch {
		outside := func(t *term) bool { return t.year == "" || t.year < k.Years[0] || t.year > k.Years[1] }
		if len(k.Years) < 2 || len(s.list) == 0 || slices.ContainsFunc(s.list, outside) {
			continue
		}
		for document := k.First; document < min(k.First+k.Count, s.head.Documents); document++ {
			results = append(results, Result{document, 1})
		}
	}
	return results
}

// Of returns the kind of the given document.
func (f *Finder) Of(document int) *Shown {
	of := &Shown{}
	for i := range f.head.Shown {
		if k := &f.head.Shown[i]; k.Count > 0 && k.First <= document {
			of = k
		}
	}
	return of
}

// Row returns the cells shown for a document, by column name.
func (f *Finder) Row(ctx context.Context, document int) (map[string]string, error) {
	name := "rows/" + strconv.Itoa(document/f.head.Chunk)
	rows, err := readCached(ctx, f, f.rows, name)
	if err != nil {
		return nil, err
	}
	i := document % f.head.Chunk
	if i >= len(rows) || len(rows[i]) < len(f.head.Columns) {
		return nil, fmt.Errorf("search index: file %s does not contain document %d", name, document)
	}
	row := map[string]string{}
	for j, column := range f.head.Columns {
		row[column] = rows[i][j]
	}
	return row, nil
}
