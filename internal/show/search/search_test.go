package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestWords: what people write in different ways becomes the same words.
func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"The measles cases":         {"measle", "case"},
		"Côte d'Ivoire":             {"cote", "ivoire"},
		"immunisation":              {"vaccine"},
		"Immunization of children":  {"vaccine", "child"},
		"countries":                 {"country"},
		"status, analysis, mass":    {"status", "analysis", "mass"},
		"evd-mmr-one-dose":          {"evd", "mmr", "one", "dose"},
		"1998, 133,802 and 1234567": {"1998", "133802", "1234567"},
		"W.H.O., e.g. in the U.S.":  {"who", "eg", "us"},
		"12.5 of 7.402, 0.123":      {"12", "7402", "123"},
		"TB mortality":              {"tuberculosis", "death"},
		"麻疹":                        {"麻疹"},

		"الحصبه، مستشفى، أوروبا": {"حصبه", "مستشفي", "اوروبا"},
		"الحصبة، مستشفي، اوروبا": {"حصبه", "مستشفي", "اوروبا"},

		"": nil,
	} {
		if got := Words(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestAnyOrder: the index does not depend on the order in which documents come, also where not all
// that have a word can be kept.
func TestAnyOrder(t *testing.T) {
	const documents = 3_000
	made := func(order []int) (all []byte) {
		x := New(documents)
		for _, i := range order {
			x.Add(i, []Text{{Text: "common words of all", Weight: uint32(1 + i%15)}, {Text: fmt.Sprintf("rare%d", i/5), Weight: 3}})
		}
		head := must.Get(x.Head(nil, nil))(t)
		all = head
		for n := range x.Buckets() {
			all = append(all, x.Bucket(n)...)
		}
		for n := range x.BlockCount() {
			all = append(all, x.Block(n)...)
		}
		return all
	}
	order := make([]int, documents)
	for i := range order {
		order[i] = i
	}
	first := made(order)
	rand.New(rand.NewPCG(1, 2)).Shuffle(documents, func(i, j int) { order[i], order[j] = order[j], order[i] })
	if !bytes.Equal(first, made(order)) {
		t.Error("another order gives another index")
	}
}

// TestBucket: a file is JSON, and what is kept of a word are the documents in which it counts most.
func TestBucket(t *testing.T) {
	x := New(2_000)
	for i := range 2_000 {
		weight := uint32(2)
		if i == 1_999 {
			weight = 9
		}
		x.Add(i, []Text{{Text: "word", Weight: weight}})
	}
	var words map[string][]int
	must.Do(t, json.Unmarshal(x.Bucket(x.bucket("word")), &words))
	list := words["word"]
	if len(list) != 1+maxPostings || list[0] != 2_000 {
		t.Fatalf("%d numbers, the first is %d", len(list), list[0])
	}
	sum := 0
	for _, step := range list[1:] {
		sum += step
	}
	if sum != 1_999*weights+9 {
		t.Errorf("the last document is %d", sum)
	}
}

// TestSmallFiles: with a million records, what a first result needs stays small: the head, a file
// of words for each of three words, and ten files of rows. A fifth of them will do: there are fewer
// files of words then, and the largest are larger (88 kB, where those of a million are 65).
func TestSmallFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	const documents = 200_000
	x := New(documents)
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.1, 20, 150_000) // how often words are used, about as in texts
	for i := range documents {
		var text []byte
		for range 14 {
			n := zipf.Uint64()
			text = append(text, ' ')
			for k := 0; k < 3 || n > 0; k++ {
				text = append(text, "etaoinshrdlcumwfgypbvk"[(n*7+uint64(k)*3)%22])
				n /= 22
			}
		}
		x.Add(i, []Text{{Text: string(text), Weight: 6}})
	}
	head := must.Get(x.Head(nil, nil))(t)
	var sizes []int
	for n := range x.Buckets() {
		sizes = append(sizes, len(x.Bucket(n)))
	}
	slices.Sort(sizes)
	largest := 0
	for _, size := range sizes[len(sizes)-3:] {
		largest += size
	}
	largestBlock := 0
	for n := range x.BlockCount() {
		largestBlock = max(largestBlock, len(x.Block(n)))
	}
	const row = 260 // bytes: an address, a title, a few words
	total := len(head) + largest + 10*PerChunk*row
	t.Logf("%d bytes at most: head %d, the three largest files of words %d; the largest file of a block %d",
		total, len(head), largest, largestBlock)
	if total > 300_000 || largestBlock > 150_000 {
		t.Error("these are not small")
	}
}

// TestBlocks: the blocks have every document of a common word, with what it counts there.
func TestBlocks(t *testing.T) {
	const documents = 2*PerBlock + 5
	x := New(documents)
	want := map[int]bool{}
	for i := range documents {
		texts := []Text{{Text: "rest", Weight: 1}}
		if i%7 == 0 {
			texts, want[i] = append(texts, Text{Text: "common", Weight: uint32(1 + i%15)}), true
		}
		x.Add(i, texts)
	}
	shares := x.filesPerBlock()
	if x.BlockCount() != 3*shares {
		t.Fatalf("%d files of blocks, of %d shares", x.BlockCount(), shares)
	}
	for n := range x.BlockCount() {
		var words map[string][]int
		must.Do(t, json.Unmarshal(x.Block(n), &words))
		sum := n / shares * PerBlock * weights
		for _, step := range words["common"] {
			sum += step
			if i := sum / weights; !want[i] || sum%weights != 1+i%15 {
				t.Fatalf("document %d has the word %t, and it counts %d", i, want[i], sum%weights)
			}
			delete(want, sum/weights)
		}
	}
	if len(want) > 0 {
		t.Errorf("%d documents are missing", len(want))
	}
	if n := New(maxPostings).BlockCount(); n != 0 {
		t.Errorf("where no word can be common there are %d files", n)
	}
}

// TestNoEnglishNames: no word of English names a country because another language has it in a name,
// nor does a word that joins others there.
func TestNoEnglishNames(t *testing.T) {
	for _, w := range Words("deaths died mortality children vaccines causes die les las och " + English.Asking + " " + English.Known + " " + English.Small) {
		for _, code := range names()[w] {
			if isWhole(code) && code != Whole(w) && !strings.Contains(otherNames, w) {
				t.Errorf("%s names %s", w, code)
			}
		}
	}
}
