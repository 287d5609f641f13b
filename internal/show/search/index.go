package search

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The sizes of the index.
const (
	maxPostings  = 300    // documents of a word in its file: the best ones; the blocks contain all
	maxSpellings = 4_000  // words that a misspelt one is compared with: the most frequent ones
	PerChunk     = 32     // documents in a file of rows
	PerBlock     = 16_384 // documents in a file of common words
	maxShares    = 32     // files that a block is divided into
	weights      = 16
)

// Index collects the words of documents, which are numbered from 0.
type Index struct {
	documents int
	mu        sync.Mutex
	words     map[string]*postings
	made      bool
	spelling  []string
	buckets   [][]string    // words of each file
	names     [][][2]string // words in other languages and codes, by file
	common    [][]string    // by share of a block: the words with more documents than their file contains
}

// New returns an empty index for the given number of documents.
func New(documents int) *Index {
	return &Index{documents: documents, words: map[string]*postings{}}
}

// Buckets returns the number of word files, which grows with the index so that each file is small.
func (x *Index) Buckets() int {
	n := 16
	for n < 64 && n*40 < x.documents || n < 4096 && n*400 < x.documents { // other names are divided too
		n *= 2
	}
	return n
}

// prefix returns the number of first letters that select the file of a word. While a reader types a
// word, the script finds it once it has that many letters.
func (x *Index) prefix() int {
	if x.documents <= 50_000 {
		return 2
	}
	return 3
}

// bucket returns the number of the file that contains word.
func (x *Index) bucket(word string) int { return bucket(word, x.prefix(), x.Buckets()) }

// bucket returns the number of the file that contains word, selected by its first prefix letters.
func bucket(word string, prefix, buckets int) int {
	runes := []rune(word)
	h := fnv.New32a()
	h.Write([]byte(string(runes[:min(len(runes), prefix)])))
	return int(h.Sum32() % uint32(buckets))
}

// filesPerBlock returns the number of files per block. It never exceeds the number of word files,
// so that the file of a word determines its share.
func (x *Index) filesPerBlock() int {
	n := 1
	for n < maxShares && n*512 < x.documents {
		n *= 2
	}
	return n
}

// BlockCount returns the number of files with all documents of common words.
func (x *Index) BlockCount() int {
	if x.documents <= maxPostings {
		return 0 // no word is common
	}
	return (x.documents + PerBlock - 1) / PerBlock * x.filesPerBlock()
}

// Text is a text of a document with its weight, from 1 to 15. If Whole is set, only the whole text
// is found, not its words.
type Text struct {
	Text   string
	Weight uint32
	Whole  bool
}

// Add adds the document with the given number and texts. It is safe for concurrent use.
func (x *Index) Add(document int, texts []Text) {
	found := map[string]uint32{}
	for _, t := range texts {
		list := Words(t.Text)
		if t.Whole {
			list = []string{Whole(t.Text)}
		}
		for _, w := range list {
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
		p.add(uint32(document)*weights + weight)
	}
}

// finish assigns the words to files.
func (x *Index) finish() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.made {
		return
	}
	x.made = true
	all := slices.Sorted(maps.Keys(x.words))
	x.buckets, x.common = make([][]string, x.Buckets()), make([][]string, x.filesPerBlock())
	blocks := (x.documents + PerBlock - 1) / PerBlock
	for _, w := range all {
		p, b := x.words[w], x.bucket(w)
		x.buckets[b] = append(x.buckets[b], w)
		if p.finish(blocks); p.isCommon() {
			x.common[b%len(x.common)] = append(x.common[b%len(x.common)], w)
		}
	}
	x.names = make([][][2]string, x.Buckets())
	x.addNames()
	x.spelling = slices.DeleteFunc(all, func(w string) bool { return strings.ContainsAny(w, "=0123456789") })
	slices.SortStableFunc(x.spelling, func(a, b string) int { return x.words[b].count - x.words[a].count })
	x.spelling = x.spelling[:min(len(x.spelling), maxSpellings)]
	slices.Sort(x.spelling)
}

// head is the first file that the script reads.
type head struct {
	Documents int      `json:"documents"`
	Chunk     int      `json:"chunk"`
	Buckets   int      `json:"buckets"`
	Prefix    int      `json:"prefix"`
	PerBlock  int      `json:"perBlock"`
	Shares    int      `json:"shares"`
	Spelling  string   `json:"spelling"`
	Columns   []string `json:"columns"` // of the rows, which the index does not interpret
	Shown     []Shown  `json:"shown"`
	Vocabulary
}

// Shown describes the documents of one kind for the search.
type Shown struct {
	Name   string  `json:"name"` // of a group of results
	Kind   string  `json:"kind"`
	Folder string  `json:"folder"`
	Prefix string  `json:"prefix"`
	First  int     `json:"first"`
	Count  int     `json:"count"`
	Boost  float64 `json:"boost"` // factor of their scores
	// Years are the first and the last year of their figures. A year alone finds all of them.
	Years []string `json:"years,omitempty"`
}

// Head returns the file that describes the index and contains the words for corrections and other
// data for the page.
func (x *Index) Head(columns []string, shown []Shown) ([]byte, error) {
	x.finish()
	b, err := json.Marshal(head{
		x.documents, PerChunk, x.Buckets(), x.prefix(), PerBlock, x.filesPerBlock(),
		strings.Join(x.spelling, " "), columns, shown, English,
	})
	return append(b, '\n'), err
}

// Bucket returns word file n: for each word, the number of its documents, and its best documents as
// distances from the previous one. The entry of the empty word contains other names.
func (x *Index) Bucket(n int) []byte {
	x.finish()
	b := []byte{'{'}
	if names := x.names[n]; len(names) > 0 {
		b = append(b, "\n\"\":{"...)
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, "\"%s\":\"%s\"", name[0], name[1])
		}
		b = append(b, '}')
	}
	for i, w := range x.buckets[n] {
		p := x.words[w]
		b = strconv.AppendInt(begin(b, i+len(x.names[n]), w), int64(p.count), 10)
		last := uint32(0)
		for _, posting := range p.top {
			b = strconv.AppendUint(append(b, ','), uint64(posting-last), 10)
			last = posting
		}
		b = append(b, ']')
	}
	return append(b, "\n}\n"...)
}

// Block returns file n of the documents of common words, encoded as distances from the first
// document of the block.
func (x *Index) Block(n int) []byte {
	x.finish()
	block, share := n/x.filesPerBlock(), n%x.filesPerBlock()
	b, i := []byte{'{'}, 0
	for _, w := range x.common[share] {
		packed := x.words[w].block(block)
		if len(packed) == 0 {
			continue
		}
		b = begin(b, i, w)
		for between := ""; len(packed) > 0; between = "," {
			step, size := binary.Uvarint(packed)
			b = strconv.AppendUint(append(b, between...), step, 10)
			packed = packed[size:]
		}
		b = append(b, ']')
		i++
	}
	return append(b, "\n}\n"...)
}

// begin appends the beginning of entry i, that of word, to b. Letters and digits need no escaping.
func begin(b []byte, i int, word string) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return append(append(append(b, "\n\""...), word...), "\":["...)
}

// ChunkCount returns the number of row files.
func (x *Index) ChunkCount() int { return (x.documents + PerChunk - 1) / PerChunk }
