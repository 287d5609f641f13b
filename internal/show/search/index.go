package search

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Sizes of the index.
const (
	mostPostings  = 300   // documents of a word: the best ones; of the others only the number is kept
	mostSpellings = 4_000 // words that a misspelt one is compared with: those of the most documents
	PerChunk      = 32    // documents in a file of what results show
	weights       = 16
)

// Index collects the words of documents, which are numbers from 0 on.
type Index struct {
	documents int
	mu        sync.Mutex
	words     map[string]*postings
	made      bool
	spelling  []string
	buckets   [][]string // the words of each file
}

// postings are the documents that have a word.
type postings struct {
	count int
	best  []uint32 // document times weights, plus what the word weighs in it
}

// New returns an index of so many documents.
func New(documents int) *Index {
	return &Index{documents: documents, words: map[string]*postings{}}
}

// Buckets returns how many files the words are divided among: enough for each to be small.
func (x *Index) Buckets() int {
	n := 16
	for n < 4096 && n*400 < x.documents {
		n *= 2
	}
	return n
}

// prefix is how many letters decide in which file a word is. A word that is being typed is found
// from so many letters on.
func (x *Index) prefix() int {
	if x.documents <= 50_000 {
		return 2
	}
	return 3
}

// bucket is the file that a word is in.
func (x *Index) bucket(word string) int {
	runes := []rune(word)
	h := fnv.New32a()
	h.Write([]byte(string(runes[:min(len(runes), x.prefix())])))
	return int(h.Sum32() % uint32(x.Buckets()))
}

// Text is a text of a document, and how much it counts there: from 1 to 15.
type Text struct {
	Text   string
	Weight uint32
}

// Add adds a document. It may be called from several goroutines at once.
func (x *Index) Add(document int, texts []Text) {
	found := map[string]uint32{}
	for _, t := range texts {
		for _, w := range Words(t.Text) {
			found[w] = min(weights-1, max(found[w], t.Weight))
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for w, weight := range found {
		p := x.words[w]
		if p == nil {
			p = &postings{}
			x.words[strings.Clone(w)] = p
		}
		p.count++
		p.best = append(p.best, uint32(document)*weights+weight)
		if len(p.best) >= 2*mostPostings {
			p.prune()
		}
	}
}

// prune keeps the documents in which a word weighs the most, of equals the first. What is kept does
// not depend on the order in which they came.
func (p *postings) prune() {
	slices.SortFunc(p.best, func(a, b uint32) int {
		if d := int(b%weights) - int(a%weights); d != 0 {
			return d
		}
		return int(int64(a) - int64(b))
	})
	p.best = p.best[:min(len(p.best), mostPostings)]
}

// finish divides the words among the files.
func (x *Index) finish() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.made {
		return
	}
	x.made = true
	all := slices.Sorted(maps.Keys(x.words))
	x.buckets = make([][]string, x.Buckets())
	for _, w := range all {
		p := x.words[w]
		p.prune()
		slices.Sort(p.best)
		b := x.bucket(w)
		x.buckets[b] = append(x.buckets[b], w)
	}
	x.spelling = slices.Clone(all)
	slices.SortStableFunc(x.spelling, func(a, b string) int { return x.words[b].count - x.words[a].count })
	x.spelling = x.spelling[:min(len(x.spelling), mostSpellings)]
	slices.Sort(x.spelling)
}

// head is what the script reads first.
type head struct {
	Documents int         `json:"documents"`
	Chunk     int         `json:"chunk"`
	Buckets   int         `json:"buckets"`
	Prefix    int         `json:"prefix"`
	Joining   string      `json:"joining"`
	Synonyms  [][2]string `json:"synonyms"`
	Spelling  string      `json:"spelling"`
	Columns   []string    `json:"columns"` // of the rows, which the index does not know
	Shown     any         `json:"shown"`
}

// Head returns the file that says how the index is divided, with the words that a misspelt one is
// compared with, and what else the page needs.
func (x *Index) Head(columns []string, shown any) ([]byte, error) {
	x.finish()
	b, err := json.Marshal(head{
		x.documents, PerChunk, x.Buckets(), x.prefix(), Joining, Synonyms, strings.Join(x.spelling, " "), columns, shown,
	})
	return append(b, '\n'), err
}

// Bucket returns file n of the words: each with how many documents have it, and the best of them,
// each as the distance from the one before.
func (x *Index) Bucket(n int) []byte {
	x.finish()
	b := []byte{'{'}
	for i, w := range x.buckets[n] {
		if i > 0 {
			b = append(b, ',')
		}
		p := x.words[w]
		b = append(append(append(b, "\n\""...), w...), "\":["...) // letters and digits, which JSON has as they are
		b = strconv.AppendInt(b, int64(p.count), 10)
		last := uint32(0)
		for _, posting := range p.best {
			b = strconv.AppendUint(append(b, ','), uint64(posting-last), 10)
			last = posting
		}
		b = append(b, ']')
	}
	return append(b, "\n}\n"...)
}

// Chunks returns how many files hold what results show.
func (x *Index) Chunks() int { return (x.documents + PerChunk - 1) / PerChunk }
